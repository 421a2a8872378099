package session_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/sim"
	"paceline/core/trajectory"
)

const bashTool = `[{"type":"function","function":{"name":"bash","description":"Runs a \"command\"","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}]`

// errand is a trajectory of an agent: a system text, a task, and turns that bring what the tools gave, once two at a time.
func errand(n, turns int) *trajectory.Trajectory {
	t := &trajectory.Trajectory{ID: fmt.Sprintf("t%d", n)}
	message := func(format string, args ...any) trajectory.Message {
		return trajectory.Message{JSON: fmt.Appendf(nil, format, args...)}
	}
	for i := range turns {
		turn := trajectory.Turn{Index: uint32(i), MaxTokens: uint32(20 + 10*n)}
		if i == 0 {
			turn.Append = append(turn.Append, message(`{"role":"system","content":"You are agent %d. é \u00e9 <|user|>"}`, n%3),
				message(`{"role":"user","content":%q}`, strings.Repeat("a long task\n", 40+600*(n%2))))
		}
		switch {
		case i%3 == 1:
			turn.Append = append(turn.Append, message(`{"role":"tool","tool_call_id":"a%d","content":"out \"%d\""}`, i-1, i),
				message(`{"role":"tool","tool_call_id":"b%d","content":""}`, i-1))
		case i > 0:
			turn.Append = append(turn.Append, message(`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":" on\n"}]}`))
		}
		recorded := message(`{"role":"assistant","content":"done %d"}`, i)
		if i%3 == 0 && i < turns-1 {
			recorded = message(`{"role":"assistant","content":null,"tool_calls":[{"id":"a%d","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls <x>\"}"}},`+
				`{"id":"b%d","type":"function","function":{"name":"bash","arguments":"{}"}}]}`, i, i)
		}
		turn.Recorded = &recorded
		t.Turns = append(t.Turns, turn)
	}
	return t
}

func ten() source {
	var list []*trajectory.Trajectory
	for n := range 10 {
		list = append(list, errand(n, 2+n%4))
	}
	list = append(list, handing("branched", func(key string) trajectory.Piece {
		return trajectory.Piece{Text: []byte(strings.Repeat(key+" \"this\"\n", 500))}
	}))
	return sourceOf(list...)
}

// told is what one turn is compared by.
type told struct {
	Turn                         string
	Outcome                      sample.Outcome
	Finish                       string
	Prompt, Completion, Cached   uint64
	Answer                       string
	FirstToken, LastToken, Spent sample.Offset
}

// playBy plays trajectories at the simulated engine. An empty content is none here: streams of chat completions begin with one.
func playBy(t *testing.T, api chat.API, c sim.Config, list source, how func(*sched.Config)) []told {
	t.Helper()
	salt, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	run := &play{
		source: list, api: api, stream: true,
		serve: func(ctx context.Context, l *coretest.Listener) {
			engine, err := sim.New(c) // here, in the bubble, whose time stands while one waits for what was made outside
			if err == nil {
				err = engine.Serve(ctx, l)
			}
			if err != nil {
				t.Error(err)
			}
		},
		sched: func(c *sched.Config) {
			c.Users, c.Salt, c.MaxTokens = load.Constant(1), salt, 40 // one user: which of several comes first at one instant is nobody's to say
			how(c)
		},
		parts: func(p *session.Parts) { p.Prober = nil },
	}
	journal := run.run(t).good(t).journal(t)
	var turns []told
	for i := range journal.Samples {
		s := &journal.Samples[i]
		if s.Answer == nil {
			t.Fatalf("%s, turn %d by %s: %s (%s)", s.Trajectory, s.Turn, api, s.Outcome, s.Cause)
		}
		u := s.Answer.Usage
		turns = append(turns, told{
			fmt.Sprintf("%s/%d", s.Trajectory, s.Turn), s.Outcome, s.Answer.FinishReason, u.PromptTokens, u.CompletionTokens, *u.CachedTokens,
			strings.Replace(string(s.Answer.Message), `"content":"",`, "", 1), s.Timing.FirstToken, s.Timing.LastToken, s.Timing.Done - s.Timing.LastToken,
		})
	}
	return turns
}

// TestAPIsGiveEqualTurns plays the same trajectories, one of which branches, by all four APIs at the same engine: turns, answers, usage and the
// instants of tokens are the same.
func TestAPIsGiveEqualTurns(t *testing.T) {
	for name, how := range map[string]func(*sched.Config){
		"recorded": func(c *sched.Config) { c.History = chat.Recorded },
		"live":     func(c *sched.Config) { c.History = chat.Live },
	} {
		t.Run(name, func(t *testing.T) {
			engine := sim.Config{Model: "m", AnswerTokens: 30}
			want := playBy(t, chat.APIChat, engine, ten(), how)
			if len(want) != 37 {
				t.Fatalf("%d turns", len(want))
			}
			for _, api := range []chat.API{chat.APICompletions, chat.APIResponses, chat.APIMessages} {
				if d := gocmp.Diff(want, playBy(t, api, engine, ten(), how)); d != "" {
					t.Errorf("by %s (-chat +%s):\n%s", api, api, d)
				}
			}
		})
	}
}

// TestAPIsFanOut plays three sub-agents at once, two of them forks, whose answers their parent gets as the results of its calls.
func TestAPIsFanOut(t *testing.T) {
	for _, history := range []chat.HistoryRule{chat.Recorded, chat.Live} {
		by := func(api chat.API) []told {
			turns := playBy(t, api, sim.Config{Model: "m", AnswerTokens: 30}, sourceOf(delegating("agent")), func(c *sched.Config) { c.History = history })
			slices.SortFunc(turns, func(a, b told) int { return cmp.Compare(a.Turn, b.Turn) }) // they end in any order
			return turns
		}
		want := by(chat.APIChat)
		if len(want) != 8 {
			t.Fatalf("%d turns", len(want))
		}
		for _, api := range []chat.API{chat.APICompletions, chat.APIResponses, chat.APIMessages} {
			if d := gocmp.Diff(want, by(api)); d != "" {
				t.Errorf("%s history, by %s (-chat +%s):\n%s", history, api, api, d)
			}
		}
	}
}

// TestAPIsCallTools is the same with tools, which the completions API does not have: answers call them, think, and are cut by
// the limit.
func TestAPIsCallTools(t *testing.T) {
	for name, how := range map[string]func(*sched.Config){
		"recorded": func(c *sched.Config) { c.History, c.Info.Tools = chat.Recorded, json.RawMessage(bashTool) },
		"live":     func(c *sched.Config) { c.History, c.Info.Tools = chat.Live, json.RawMessage(bashTool) },
	} {
		t.Run(name, func(t *testing.T) {
			engine := sim.Config{Model: "m", AnswerTokens: 30, ReasoningTokens: 12, TokensPerChunk: 3}
			want := playBy(t, chat.APIChat, engine, ten(), how)
			calls, cut := 0, 0
			for _, turn := range want {
				calls += strings.Count(turn.Answer, `"tool_calls"`)
				cut += strings.Count(turn.Finish, "length")
			}
			if calls < 15 || cut < 3 {
				t.Fatalf("%d turns with calls, %d cut", calls, cut)
			}
			for _, api := range []chat.API{chat.APIResponses, chat.APIMessages} {
				if d := gocmp.Diff(want, playBy(t, api, engine, ten(), how)); d != "" {
					t.Errorf("by %s (-chat +%s):\n%s", api, api, d)
				}
			}
		})
	}
}
