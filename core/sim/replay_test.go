package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"paceline/core/sim"
)

// manyTurns is the run of a user, with waits that let no two requests be due at one instant.
func manyTurns(user int) []sim.Turn {
	random := rand.New(rand.NewPCG(7, uint64(user)))
	list := make([]sim.Turn, 20)
	for i := range list {
		list[i] = sim.Turn{Append: 20 + random.IntN(100), Answer: 5 + random.IntN(40)}
		if i > 0 {
			list[i].Wait = time.Duration(1+random.Int64N(2e8))*10 + time.Duration(user)
		}
	}
	return list
}

// replayUser plays the turns of a run to a server as a client that sends token ids, until the test ends.
func replayUser(b *bench, user int, turns []sim.Turn) {
	var history []uint32
	for _, turn := range turns {
		time.Sleep(turn.Wait)
		for range turn.Append {
			history = append(history, uint32(user*1_000_000+len(history)))
		}
		ids, _ := json.Marshal(history)
		var answer struct {
			Choices []struct {
				IDs []uint32 `json:"token_ids"`
			}
		}
		_, body := b.post("/v1/completions", fmt.Sprintf(`{"model":"m","prompt":%s,"max_tokens":%d,"min_tokens":%[2]d,"ignore_eos":true,"return_token_ids":true}`, ids, turn.Answer))
		if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Choices) != 1 || len(answer.Choices[0].IDs) != turn.Answer {
			b.t.Errorf("user %d: %v, %.200s", user, err, body)
			return
		}
		history = append(history, answer.Choices[0].IDs...)
	}
}

// TestReplayIsTheServer plays the same runs to a server and to a replay, with a cache that is far too small.
func TestReplayIsTheServer(t *testing.T) {
	const users = 6
	c := sim.Config{KVTokens: 5000, MaxContext: 5000, Cost: sim.Cost{PrefillToken: time.Millisecond}}
	var stats sim.Stats
	inBubble(t, c, func(b *bench) {
		done := make(chan struct{}, users)
		for user := range users {
			go func() {
				time.Sleep(time.Duration(user) * 37 * time.Millisecond)
				replayUser(b, user, manyTurns(user))
				done <- struct{}{}
			}()
		}
		for range users {
			<-done
		}
		stats = b.server.Stats()
	})
	starts := make([]time.Duration, users)
	for user := range starts {
		starts[user] = time.Duration(user) * 37 * time.Millisecond
	}
	runs := 0
	got, err := sim.Replay{Config: c, Users: starts, Measure: 10 * time.Minute, Next: func() []sim.Turn {
		runs++
		return append(manyTurns(runs-1), sim.Turn{Wait: 1000 * time.Hour, Append: 1, Answer: 1})
	}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := sim.Replayed{
		Requests: stats.Finished, PromptTokens: stats.PrefixQueries, CachedTokens: stats.PrefixHits, Preemptions: stats.Preemptions,
		AnswerTokens: stats.GenerationTokens, Computed: stats.PrefillTokens, Steps: stats.Steps,
	}
	have := sim.Replayed{
		Requests: got.Requests, PromptTokens: got.PromptTokens, CachedTokens: got.CachedTokens, Preemptions: got.Preemptions,
		AnswerTokens: got.AnswerTokens, Computed: got.Computed, Steps: got.Steps,
	}
	if have != want || have.Preemptions == 0 || 2*have.CachedTokens > have.PromptTokens {
		t.Errorf("got  %+v\nwant %+v", have, want)
	}
}

func TestReplayOfOneUser(t *testing.T) {
	got, err := sim.Replay{
		Users: []time.Duration{time.Second}, Measure: 10 * time.Second,
		Next: func() []sim.Turn {
			return []sim.Turn{{Append: 100, Answer: 1}, {Wait: time.Hour, Append: 1, Answer: 1}}
		},
	}.Run(t.Context())
	if err != nil || got.Requests != 1 || got.Runs != 1 || got.Steps != 1 || got.AnswerTokens != 1 || got.Computed != 100 || got.Time != 10*time.Second ||
		got.Idle != got.Time-prefillTime(100, 0) || got.UseMax != 7/25000.0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReplayLeavesTheWarmupOut(t *testing.T) {
	r := sim.Replay{Users: make([]time.Duration, 3), Measure: time.Minute, Next: func() []sim.Turn { return manyTurns(1)[:5] }}
	whole, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Warmup, r.Measure = 30*time.Second, 30*time.Second
	late, err := r.Run(t.Context())
	if err != nil || late.Requests >= whole.Requests || late.AnswerTokens >= whole.AnswerTokens || late.Time > 31*time.Second || late.Steps == 0 {
		t.Errorf("%+v of %+v, %v", late, whole, err)
	}
	if again, _ := r.Run(t.Context()); again != late {
		t.Errorf("once more: %+v", again)
	}
	r.Users[0], r.Users[1], r.Users[2] = time.Hour, time.Hour, time.Hour
	if none, err := r.Run(t.Context()); none != (sim.Replayed{}) || err != nil {
		t.Errorf("nobody came: %+v, %v", none, err)
	}
}

func TestReplayRefuses(t *testing.T) {
	odd := 0
	r := sim.Replay{Config: sim.Config{MaxContext: 100}, Users: make([]time.Duration, 1), Measure: time.Second, Next: func() []sim.Turn {
		if odd++; odd%2 == 1 {
			return []sim.Turn{{Append: 90, Answer: 11}}
		}
		return []sim.Turn{{Append: 90, Answer: 10}}
	}}
	got, err := r.Run(t.Context())
	if err != nil || got.Refused == 0 || got.Refused-got.Requests > 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, test := range []struct {
		change func(*sim.Replay)
		want   string
	}{
		{func(r *sim.Replay) { r.Next = func() []sim.Turn { return []sim.Turn{{Append: 101, Answer: 1}} } }, "refuses nearly every run"},
		{func(r *sim.Replay) { r.Next = func() []sim.Turn { return nil } }, sim.ErrNoTurns.Error()},
		{func(r *sim.Replay) { r.Users = nil }, "no user"},
		{func(r *sim.Replay) { r.Users = []time.Duration{-1} }, "user 0 starts at -1ns"},
		{func(r *sim.Replay) { r.Measure = 0 }, "a measured time of 0s"},
		{func(r *sim.Replay) { r.Config.MaxBatch = -1 }, "max batch"},
	} {
		other := r
		test.change(&other)
		if _, err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
	r.Next = func() []sim.Turn { return nil }
	if _, err := r.Run(t.Context()); !errors.Is(err, sim.ErrNoTurns) {
		t.Error(err)
	}
}
