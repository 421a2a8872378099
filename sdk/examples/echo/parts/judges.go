package parts

import (
	"encoding/binary"
	"encoding/json"

	"paceline/sdk"
)

// tally is the account of both judges: two counters of 8 bytes.
type tally struct{ all, good uint64 }

func (t tally) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, t.all), t.good)
}

func parseTally(b []byte) (tally, error) {
	switch len(b) {
	case 0:
		return tally{}, nil
	case 16:
		return tally{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
	}
	return tally{}, sdk.Errorf(sdk.CodeInvalidArgument, "an account has 16 bytes, not %d", len(b))
}

// folder joins tallies.
type folder struct{}

func (folder) Fold(account, batch []byte) ([]byte, error) {
	a, err := parseTally(account)
	if err != nil {
		return nil, err
	}
	b, err := parseTally(batch)
	if err != nil {
		return nil, err
	}
	return tally{a.all + b.all, a.good + b.good}.bytes(), nil
}

type answered struct{ folder }

func (answered) Check(samples []sdk.Sample) ([]sdk.Finding, []byte, error) {
	var findings []sdk.Finding
	sum := tally{all: uint64(len(samples))}
	for i := range samples {
		s := &samples[i]
		if s.Outcome == "ok" {
			sum.good++
			continue
		}
		findings = append(findings, sdk.Finding{Severity: sdk.SeverityError, Code: "no-answer", Message: s.Outcome,
			Trajectory: s.Trajectory, Repeat: s.Repeat, Turn: s.Turn})
	}
	return findings, sum.bytes(), nil
}

func (answered) Conclude(run *sdk.ConcludeRequest) (*sdk.ConcludeCheckResponse, error) {
	sum, err := parseTally(run.Account)
	if err != nil {
		return nil, err
	}
	verdict := &sdk.ConcludeCheckResponse{Passed: sum.all > 0 && sum.all == sum.good}
	if !verdict.Passed {
		verdict.Reason = "turns without an answer"
	}
	return verdict, nil
}

type exact struct{ folder }

func (exact) Score(samples []sdk.Sample) ([]sdk.ItemScore, []byte, error) {
	items := make([]sdk.ItemScore, 0, len(samples))
	var sum tally
	for i := range samples {
		s := &samples[i]
		item := sdk.ItemScore{Trajectory: s.Trajectory, Repeat: s.Repeat, Turn: &s.Turn}
		var want string
		var got message
		switch {
		case s.Answer == nil || json.Unmarshal(s.Answer.Message, &got) != nil:
			item.Reason = "no answer"
		case json.Unmarshal(s.Truth, &want) != nil:
			item.Reason = "no truth"
		default:
			item.Scored = true
			sum.all++
			if got.Content == want {
				item.Micro = 1_000_000
				sum.good++
			}
		}
		items = append(items, item)
	}
	return items, sum.bytes(), nil
}

func (exact) Conclude(run *sdk.ConcludeRequest) (*sdk.ConcludeScoreResponse, error) {
	sum, err := parseTally(run.Account)
	if err != nil {
		return nil, err
	}
	score := &sdk.ConcludeScoreResponse{HigherIsBetter: true, Complete: sum.all > 0, Scored: sum.all,
		Score: &sdk.Value{Name: "exact", Unit: "share"}}
	if sum.all > 0 {
		score.Score.Micro = int64(sum.good * 1_000_000 / sum.all)
		score.Passed = true
	}
	return score, nil
}
