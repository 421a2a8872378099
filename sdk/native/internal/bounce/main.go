// Command bounce is a native plugin whose scorer gives back what it is asked to fold, for the benchmarks of the host.
package main

import (
	"paceline/sdk"
	"paceline/sdk/native"
)

func main() {
	native.Serve(&sdk.Plugin{Name: "bounce", Version: "1.0.0", Components: []sdk.Component{{
		Name: "score", Scorer: func(*sdk.Opening) (sdk.Scorer, error) { return score{}, nil },
	}}})
}

type score struct{}

func (score) Score([]sdk.Sample) ([]sdk.ItemScore, []byte, error) { return nil, nil, nil }

func (score) Fold(account, _ []byte) ([]byte, error) { return account, nil }

func (score) Conclude(*sdk.ConcludeRequest) (*sdk.ConcludeScoreResponse, error) {
	return &sdk.ConcludeScoreResponse{}, nil
}
