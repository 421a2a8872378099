package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// tools is a trajectory whose answers call a tool and whose next turns bring its results.
func tools(id string, turns int) *trajectory.Trajectory {
	t := talk(id, turns)
	for i := range turns - 1 {
		t.Turns[i].Recorded.JSON = fmt.Appendf(nil,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call-%d","type":"function","function":{"name":"f","arguments":"{}"}}]}`, i)
		t.Turns[i+1].Append = []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"tool","tool_call_id":"call-%d","content":"%0400d"}`, i, i)}}
	}
	return t
}

// partly is a run that plays parts of trajectories.
type partly struct {
	history chat.HistoryRule
	reach   sched.Reach
	users   int
	source  source
}

func (p *partly) play(t *testing.T) (*played, *journal.Run) {
	t.Helper()
	seeded, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	lengths := filler.Lengths{Mode: filler.Text, State: filler.Calibrated, Word: 1_370_000, Overhead: filler.Overhead{Prompt: 9, Turn: 8, System: 3}}
	run := play{
		source: p.source, script: &coretest.Script{Replies: []coretest.Reply{three()}}, stream: true,
		sched: func(c *sched.Config) {
			c.Users, c.History, c.Lengths, c.Salt, c.RoutingHeaders = load.Constant(max(p.users, 1)), p.history, lengths, seeded, []string{"X-Session-Id"}
			c.Reach = p.reach
		},
		changed: func(c *journal.RunConfig) {
			c.Lengths, c.Salt.Scheme = &lengths, "seeded"
			c.Config = bytes.Replace(c.Config, []byte(`"history":"recorded"`), []byte(`"history":"`+string(p.history)+`"`), 1)
		},
	}
	out := run.run(t).good(t)
	return out, out.journal(t)
}

// sentBy lists the messages of each conversation's requests, in order.
func sentBy(t *testing.T, out *played) map[string][]string {
	t.Helper()
	sent := map[string][]string{}
	for _, r := range out.requests {
		var body struct{ Messages []json.RawMessage }
		if r.Method != "POST" {
			continue
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(body.Messages)
		if err != nil {
			t.Fatal(err)
		}
		id := r.Header.Get("X-Session-Id")
		sent[id] = append(sent[id], string(text))
	}
	return sent
}

// toldOf lists what judges are told of the same, in the order of turns.
func toldOf(t *testing.T, out *played) map[string][]string {
	t.Helper()
	w := &watcher{newFake("validator", verdict.NeedHistory, verdict.NeedAppended), map[string]map[int]string{}}
	report := out.judge(t, &session.Judges{Validators: []judge.Validator{w}})
	if v := report.Result.Verdicts[0]; v.Error != "" {
		t.Fatal(v.Error)
	}
	told := map[string][]string{}
	for id, turns := range w.seen {
		for _, turn := range slices.Sorted(maps.Keys(turns)) {
			told[id] = append(told[id], turns[turn])
		}
	}
	return told
}

// TestPartsAreMadeAgain holds what judges are told of conversations that play a part of their trajectory to the very bodies.
func TestPartsAreMadeAgain(t *testing.T) {
	branched := handing("branched", func(key string) trajectory.Piece {
		return trajectory.Piece{Filler: &trajectory.Filler{Tokens: 300, Key: []byte(key), Scope: trajectory.ScopeTrajectory}}
	})
	sourced := func() source {
		return sourceOf(tools("plain", 9), own[0].Trajectory("lengths"), own[1].Trajectory("short"), branched)
	}
	for name, reach := range map[string]sched.Reach{
		"spread":   {Spread: true},
		"last":     {Last: true},
		"truncate": {MaxContext: 900, Over: sched.Truncate},
		"end":      {MaxContext: 1500, Over: sched.End},
		"both":     {Spread: true, MaxContext: 1500, Over: sched.Truncate},
	} {
		for _, history := range []chat.HistoryRule{chat.Live, chat.Recorded} {
			t.Run(fmt.Sprintf("%s %s", name, history), func(t *testing.T) {
				p := partly{history: history, reach: reach, users: 4, source: sourced()}
				out, run := p.play(t)
				if diff := cmp.Diff(sentBy(t, out), toldOf(t, out)); diff != "" {
					t.Errorf("(-sent +told)\n%s", shortly(diff))
				}
				for i := range run.Conversations {
					c := &run.Conversations[i]
					from, to := c.Part.Bounds(c.Planned)
					if n := len(samplesOf(run, c.Trajectory)); c.State != sample.Complete || n != c.Planned || c.Part != nil && n != c.Part.To-c.Part.From {
						t.Errorf("%s: %s, %d samples of %d planned turns, part %d to %d", c.Trajectory, c.State, n, c.Planned, from, to)
					}
					t.Logf("%s: %+v", c.Trajectory, c.Part)
				}
			})
		}
	}
}

// TestTruncated cuts a history of tool calls: no call is without its result, the task stays, and the cache is not credited with
// what was left out.
func TestTruncated(t *testing.T) {
	p := partly{history: chat.Recorded, reach: sched.Reach{MaxContext: 1024, Over: sched.Truncate}, source: sourceOf(tools("plain", 12))}
	out, run := p.play(t)
	var left []int
	for i, text := range sentBy(t, out)["plain"] {
		left = append(left, run.Samples[i].LeftOut)
		var list []struct {
			Role  string
			ID    string                `json:"tool_call_id"`
			Calls []struct{ ID string } `json:"tool_calls"`
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		if list[0].Role != "user" {
			t.Errorf("turn %d begins with a message of %s", i, list[0].Role)
		}
		for k := 1; k < len(list); k += 2 {
			if len(list[k].Calls) != 1 || list[k+1].ID != list[k].Calls[0].ID {
				t.Errorf("turn %d: message %d and its result do not belong together", i, k)
			}
		}
	}
	if diff := cmp.Diff([]int{0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 8}, left); diff != "" {
		t.Error(diff)
	}
	r := out.judge(t, &session.Judges{}).Result
	if c := &r.Metrics.Cache; c.EligibleTokens != 9*10+2*10 { // each prompt has 10 tokens by this target's count
		t.Errorf("%d tokens are eligible", c.EligibleTokens)
	}
}

// TestPartsOfLengths plays parts of length-only trajectories in both modes and with both histories: every context is as
// planned, the one of the first request too, and of what is left out the rest.
func TestPartsOfLengths(t *testing.T) {
	traces := []coretest.Trace{
		{Turns: 5, Input: 900, Answers: []uint32{20, 300, 40, 10, 70}, Tools: []uint32{500, 5, 300, 200, 100}, Waits: []float64{1, 1, 1, 1, 1}, Final: 64},
		{Turns: 4, Input: 700, Answers: []uint32{90, 30, 40, 10}, Tools: []uint32{100, 105, 300, 200}, Waits: []float64{1, 1, 1, 1}, Final: 11},
	}
	for name, reach := range map[string]sched.Reach{
		"spread": {Spread: true}, "last": {Last: true}, "truncate": {MaxContext: 2000, Over: sched.Truncate},
		"both": {Spread: true, MaxContext: 1900, Over: sched.Truncate},
	} {
		for _, mode := range []filler.Mode{filler.Exact, filler.Text} {
			for _, history := range []chat.HistoryRule{chat.Live, chat.Recorded} {
				t.Run(fmt.Sprintf("%s %s %s", name, mode, history), func(t *testing.T) {
					_, run := reaching(t, mode, history, traces, 2, reach)
					checkParts(t, run, traces)
				})
			}
		}
	}
}

// checkParts holds prompts to the contexts of traces, less what was left out.
func checkParts(t *testing.T, run *journal.Run, traces []coretest.Trace) {
	t.Helper()
	inside, left := 0, 0
	for i := range run.Samples {
		s := &run.Samples[i]
		contexts := traces[s.Index].Contexts()
		want := int64(contexts[s.Turn]) - int64(contexts[s.LeftOut]-contexts[0])
		if s.Outcome != sample.OK || s.Planned.Prompt != want || int64(s.Answer.Usage.PromptTokens) != want {
			t.Errorf("%s, turn %d: %s, a prompt of %d tokens, %d planned, want %d", s.Trajectory, s.Turn, s.Outcome, s.Answer.Usage.PromptTokens, s.Planned.Prompt, want)
		}
		if slices.Contains(s.Notes, sample.NoteEntered) {
			inside++
		}
		if s.LeftOut > 0 {
			left++
		}
	}
	if inside+left == 0 {
		t.Error("nothing was played in part")
	}
}
