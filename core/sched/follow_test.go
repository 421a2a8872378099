package sched_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// filled is a trajectory of filler, with these delays before its turns and answers of ten tokens.
func filled(id string, delays ...time.Duration) *trajectory.Trajectory {
	t := &trajectory.Trajectory{ID: id}
	for i, d := range delays {
		piece := trajectory.Piece{Filler: &trajectory.Filler{Tokens: 100, Key: fmt.Append(nil, i), Scope: trajectory.ScopeTrajectory}}
		t.Turns = append(t.Turns, trajectory.Turn{
			Index: uint32(i), Delay: d, ExactTokens: 10,
			Append: []trajectory.Message{{Composed: &trajectory.Composed{Role: "user", Pieces: []trajectory.Piece{piece}}}},
		})
	}
	return t
}

// tokenizer counts 30 tokens in everything, and hangs from the third text on.
type tokenizer struct {
	mu    sync.Mutex
	texts []string
}

func (k *tokenizer) Tokens(ctx context.Context, text []byte) (uint64, error) {
	k.mu.Lock()
	k.texts = append(k.texts, string(text))
	n := len(k.texts)
	k.mu.Unlock()
	if n < 3 {
		return 30, nil
	}
	<-ctx.Done()
	return 0, ctx.Err()
}

// TestNewestAnswersAreCounted asks the tokenizer between turns where there is time, and sends no turn later for it.
func TestNewestAnswersAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := &tokenizer{}
		answer := func(message string) func(context.Context, *call) {
			return func(_ context.Context, c *call) {
				c.answer(message)
				c.x.Answer.Usage = chat.Usage{Reported: true, PromptTokens: uint64(100 * c.number), CompletionTokens: 20}
			}
		}
		called := answer(`{"role":"assistant","content":"ok","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`)
		plain := answer(plainAnswer)
		b := bench{
			list: []*trajectory.Trajectory{filled("t", 0, time.Second, 0, time.Second, 10*time.Millisecond, time.Second, time.Second, time.Minute)},
			serve: func(ctx context.Context, c *call) {
				if c.number == 6 {
					called(ctx, c)
					return
				}
				plain(ctx, c)
			},
			tokenizer: asked,
		}
		b.Users, b.History = users(1), chat.Live
		b.Lengths = filler.Lengths{Mode: filler.Text, State: filler.Calibrated, Word: 1_000_000}
		b.must(t)
		const counted, expected = 30_000_000, 20_000_000
		for i, want := range []sample.Basis{
			{}, {MicroTokens: counted, Counted: true, Asked: true},
			{MicroTokens: expected}, // there is no wait
			{MicroTokens: counted, Counted: true, Asked: true},
			{MicroTokens: expected},              // too short a wait
			{MicroTokens: expected, Asked: true}, // it hangs until the turn is due
			{MicroTokens: expected},              // the answer is more than a text
			{MicroTokens: expected, Asked: true}, // it hangs for long
		} {
			s := &b.recorder.samples[i]
			got := s.Followed()
			if i > 0 {
				got.MicroTokens -= int64(i) * 100_000_000 // what was told of the request before
			}
			if !want.Counted && want.MicroTokens > 0 {
				got.MicroTokens = expected // it learns; filler's tests tell what
			}
			if got != want {
				t.Errorf("turn %d: %+v, want %+v", i, got, want)
			}
			if s.Timing.Sent != s.Timing.Due {
				t.Errorf("turn %d: due %v, sent %v", i, s.Timing.Due, s.Timing.Sent)
			}
		}
		if len(asked.texts) != 4 || asked.texts[0] != "ok" {
			t.Errorf("asked about %q", asked.texts)
		}
	})
}
