package trace

import (
	"fmt"
	"math"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/profiles/shape"
)

// trajectory makes the plan of a trace: one turn more than it has tool calls.
func trajectory(t *shape.Trace) (*sdk.Trajectory, error) {
	out := &sdk.Trajectory{Turns: make([]sdk.Turn, 0, len(t.Turns)+1)}
	appended, err := input(t)
	if err != nil {
		return nil, err
	}
	delay := int64(0)
	for i, turn := range t.Turns {
		if err := add(out, appended, delay, turn.Assistant); err != nil {
			return nil, err
		}
		tokens, err := count(turn.Tool)
		if err != nil {
			return nil, err
		}
		appended = []sdk.Message{composed("user", own("tool/"+strconv.Itoa(i), tokens))}
		delay = turn.Wait * 1000
	}
	err = add(out, appended, delay, t.Final)
	out.Turns[len(out.Turns)-1].Final = true
	return out, err
}

func add(t *sdk.Trajectory, appended []sdk.Message, delay, tokens int64) error {
	n, err := count(tokens)
	t.Turns = append(t.Turns, sdk.Turn{Index: uint32(len(t.Turns)), Append: appended, DelayNs: uint64(delay), MaxTokens: n, ExactTokens: n})
	return err
}

// input makes the first messages: the shared prefixes as the system prompt, where there are any, and the trace's own part.
func input(t *shape.Trace) ([]sdk.Message, error) {
	rest := t.Input
	var shared []sdk.Piece
	for _, p := range t.Shared {
		tokens, err := count(p.Tokens)
		if err != nil {
			return nil, err
		}
		shared = append(shared, piece(sdk.ScopeWorkload, p.Key, tokens))
		rest -= p.Tokens
	}
	tokens, err := count(max(rest, 0))
	if err != nil {
		return nil, err
	}
	var out []sdk.Message
	if len(shared) > 0 {
		out = append(out, composed("system", shared...))
	}
	if tokens > 0 || len(out) == 0 {
		out = append(out, composed("user", own("input", tokens)))
	}
	return out, nil
}

// count narrows a number of tokens to what the contract carries.
func count(n int64) (uint32, error) {
	if n < 0 || n > math.MaxUint32 {
		return 0, fmt.Errorf("%d tokens are no length of a message", n)
	}
	return uint32(n), nil
}

func composed(role string, pieces ...sdk.Piece) sdk.Message {
	return sdk.Message{Composed: &sdk.Composed{Role: role, Pieces: pieces}}
}

// own is filler of this conversation alone.
func own(key string, tokens uint32) sdk.Piece { return piece(sdk.ScopeTrajectory, key, tokens) }

func piece(scope sdk.Scope, key string, tokens uint32) sdk.Piece {
	return sdk.Piece{Filler: &sdk.Filler{Tokens: tokens, Key: []byte(key), Scope: scope}}
}
