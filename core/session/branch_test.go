package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// delegating is an agent whose first answer calls three sub-agents: two go on from its history, one begins with its own. Each
// plays two turns, and the agent gets their answers as the results of its calls.
func delegating(id string) *trajectory.Trajectory {
	zero := uint32(0)
	user := func(text string) []trajectory.Message {
		return []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"%s %s"}`, id, text)}}
	}
	t := &trajectory.Trajectory{ID: id, Turns: []trajectory.Turn{
		{Index: 0, Append: user("plan")},
		{Index: 1, Append: user("one"), Branch: 1, ForkOf: &zero, Delay: ms(10)},
		{Index: 2, Append: user("two"), Branch: 2, ForkOf: &zero, Delay: ms(20)},
		{Index: 3, Append: user("three"), Branch: 3, After: &[]uint32{0}, Delay: ms(30)},
		{Index: 4, Append: user("one more"), Branch: 1},
		{Index: 5, Append: user("two more"), Branch: 2},
		{Index: 6, Append: user("three more"), Branch: 3},
		{Index: 7, Delay: ms(50), Final: true},
	}}
	var calls []string
	for i := range uint32(3) {
		turn := i + 4
		calls = append(calls, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"delegate","arguments":"{\"to\":%d}"}}`, i, i))
		t.Turns[7].Append = append(t.Turns[7].Append, trajectory.Message{Composed: &trajectory.Composed{
			Role: "tool", ToolCallID: fmt.Sprintf("c%d", i), Pieces: []trajectory.Piece{{AnswerOfTurn: &turn}, {Text: []byte(" (done)\n")}},
		}})
	}
	for i := range t.Turns {
		t.Turns[i].Recorded = &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"answer %d"}`, i)}
	}
	t.Turns[0].Recorded.JSON = []byte(`{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`)
	return t
}

// handing is an agent that hands its work to a sub-agent with a history of its own, then to one that goes on from its first
// turn, one after another, and works on with both answers.
func handing(id string, piece func(key string) trajectory.Piece) *trajectory.Trajectory {
	zero, one, two := uint32(0), uint32(1), uint32(2)
	says := func(pieces ...trajectory.Piece) []trajectory.Message {
		return []trajectory.Message{{Composed: &trajectory.Composed{Role: "user", Pieces: pieces}}}
	}
	t := &trajectory.Trajectory{ID: id, Turns: []trajectory.Turn{
		{Index: 0, Append: says(piece("plan"))},
		{Index: 1, Append: says(piece("one")), Branch: 1, After: &[]uint32{0}},
		{Index: 2, Append: says(piece("two"), trajectory.Piece{AnswerOfTurn: &one}), Branch: 2, ForkOf: &zero},
		{Index: 3, Append: says(trajectory.Piece{AnswerOfTurn: &one}, piece("and"), trajectory.Piece{AnswerOfTurn: &two}), Final: true},
	}}
	for i := range t.Turns {
		t.Turns[i].Recorded = &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"answer \"%d\""}`, i)}
	}
	return t
}

// delegated plays the agent of delegating: every answer takes 200 ms, that to "two more" 500 ms.
func delegated() *play {
	slow := streamed(
		delta(ms(50), `"role":"assistant","content":"a"`), delta(ms(400), `"content":"b"`), finish(ms(500), "stop"),
		event(ms(500), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2}}`), end(ms(500)),
	)
	return &play{
		source: sourceOf(delegating("agent"), talk("plain", 2)), stream: true, sched: users(2),
		script: &coretest.Script{Replies: []coretest.Reply{at(slow, "two more"), three()}},
	}
}

// TestSubAgents shows an agent with three parallel sub-agents from its plan to its timeline: the fan-in waits for the slowest.
func TestSubAgents(t *testing.T) {
	p := delegated().run(t).good(t)
	r := p.judge(t, &session.Judges{})
	p.recomputes(t, r)
	b := r.Result.Metrics.Branching
	if b == nil || b.Completed != 1 || b.Fans != 1 || b.Span.Max.String() != "720" || b.Straggler.Max.String() != "310" || b.Peak != 4 ||
		b.PathEngine.Max.String() != "1100" || b.Parallel.Max.String() != "1.711712" {
		t.Errorf("branching %+v", b)
	}
	lines := report.Timelines(p.journal(t), report.Wanted{Trajectory: "agent"})
	if len(lines) != 1 {
		t.Fatalf("%d timelines", len(lines))
	}
	var text bytes.Buffer
	if err := report.WriteTimeline(&text, &lines[0]); err != nil {
		t.Fatal(err)
	}
	coretest.Golden(t, "testdata/timeline.txt", text.Bytes())
	if page, err := os.ReadFile("../../docs/branches.md"); err != nil || !bytes.Contains(page, text.Bytes()) {
		t.Errorf("docs/branches.md shows another timeline (%v)", err)
	}
	if !bytes.Contains(r.Text, []byte("BRANCHES (of 1 of those trajectories, with 1 fan)")) {
		t.Errorf("the report tells nothing of branches:\n%s", r.Text)
	}
}

// results are the tool messages of the request whose last message is one.
func results(t *testing.T, requests []coretest.Request) []string {
	t.Helper()
	for _, body := range sent(requests) {
		var r struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		if r.Messages[len(r.Messages)-1].Role != "tool" {
			continue
		}
		var list []string
		for _, m := range r.Messages {
			if m.Role == "tool" {
				list = append(list, m.Content)
			}
		}
		return list
	}
	t.Fatal("no request ends with a tool message")
	return nil
}

// TestParallelResults holds three results of parallel calls, apart, against the one message that they become when they are
// merged: the same text in both.
func TestParallelResults(t *testing.T) {
	text, tokens := map[chat.ToolResults]string{}, map[chat.ToolResults]int{}
	for rule, want := range map[chat.ToolResults]int{chat.Apart: 3, chat.Merged: 1} {
		run := delegated()
		run.sched = func(c *sched.Config) { c.ToolResults = rule }
		list := results(t, run.run(t).good(t).requests)
		if len(list) != want {
			t.Errorf("%s: %d tool messages, want %d: %q", rule, len(list), want, list)
		}
		text[rule] = strings.Join(list, "")
		for _, s := range list {
			tokens[rule] += (len(s) + 3) / 4 // as the simulated engine counts them
		}
		t.Logf("%s: %d tool messages, %d tokens", rule, len(list), tokens[rule])
	}
	if tokens[chat.Apart] != 12 || tokens[chat.Merged] != 12 {
		t.Errorf("tokens of tool messages %v", tokens)
	}
	if text[chat.Apart] != text[chat.Merged] || text[chat.Apart] != "answer 4 (done)\nanswer 5 (done)\nanswer 6 (done)\n" {
		t.Errorf("texts %q", text)
	}
}

// seer keeps what judges are told of requests.
type seer struct {
	*fake
	seen []string
}

func (s *seer) Check(ctx context.Context, batch []judge.Item) (judge.Checked, error) {
	for _, it := range batch {
		history, appended := strings.TrimSuffix(string(it.History), "]"), strings.TrimPrefix(string(it.Appended), "[")
		if history != "[" && appended != "]" {
			history += ","
		}
		s.seen = append(s.seen, history+appended)
	}
	return s.fake.Check(ctx, batch)
}

// saw holds what was told to the messages that were sent. Batches are judged twice.
func (s *seer) saw(t *testing.T, requests []coretest.Request) {
	t.Helper()
	var want []string
	for _, body := range sent(requests) {
		var r struct{ Messages json.RawMessage }
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		want = append(want, string(r.Messages))
	}
	slices.Sort(want)
	slices.Sort(s.seen)
	if d := cmp.Diff(slices.Compact(want), slices.Compact(s.seen)); d != "" {
		t.Errorf("(-sent +told):\n%s", d)
	}
}

// TestJudgesSeeBranches holds what judges are told to the requests that were sent, by every rule for the history.
func TestJudgesSeeBranches(t *testing.T) {
	for _, history := range []chat.HistoryRule{chat.Recorded, chat.Live} {
		for _, results := range []chat.ToolResults{chat.Apart, chat.Merged} {
			t.Run(string(history+" "+chat.HistoryRule(results)), func(t *testing.T) {
				seeded, err := chat.SaltSchemeByName("seeded")
				if err != nil {
					t.Fatal(err)
				}
				run := delegated()
				run.script.Replies = append([]coretest.Reply{at(calling(), "plan")}, run.script.Replies...)
				run.sched = func(c *sched.Config) { c.History, c.ToolResults, c.Salt = history, results, seeded }
				run.changed = func(c *journal.RunConfig) {
					c.Salt.Scheme = "seeded"
					c.Config = bytes.Replace(c.Config, []byte(`"history":"recorded"`),
						fmt.Appendf(nil, `"history":%q,"tool_results":%q`, history, results), 1)
				}
				p := run.run(t).good(t)
				s := &seer{fake: newFake("validator", verdict.NeedHistory, verdict.NeedAppended)}
				p.judge(t, &session.Judges{Validators: []judge.Validator{s}})
				s.saw(t, p.requests)
			})
		}
	}
}

// calling is a stream of three calls.
func calling() coretest.Reply {
	var calls []string
	for i := range 3 {
		calls = append(calls, fmt.Sprintf(`{"index":%d,"id":"n%d","type":"function","function":{"name":"delegate","arguments":"{}"}}`, i, i))
	}
	return streamed(delta(ms(50), `"role":"assistant","tool_calls":[`+strings.Join(calls, ",")+`]`), finish(ms(200), "tool_calls"), end(ms(200)))
}

// crew is a live agent that starts two sub-agents after its first answer, and ends once it has had both of their answers in
// one request.
type crew struct{ agent }

func (c *crew) Next(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	step, err := c.agent.Next(ctx, state, turn, x) // a state that depends on every answer, in order
	step.End, step.Turns = nil, nil
	zero := uint32(0)
	add := func(t trajectory.Turn, pieces ...trajectory.Piece) {
		t.Append = []trajectory.Message{{Composed: &trajectory.Composed{Role: "user", Pieces: pieces}}}
		step.Turns = append(step.Turns, t)
	}
	left, right := uint32(1), uint32(2)
	switch strings.Count(string(state), " ") {
	case 0:
		add(trajectory.Turn{Index: left, Branch: 1, ForkOf: &zero}, trajectory.Piece{Text: []byte("left")})
		add(trajectory.Turn{Index: right, Branch: 2, After: &[]uint32{}}, trajectory.Piece{Text: []byte("right")})
	case 2:
		add(trajectory.Turn{Index: 3, After: &[]uint32{left, right}}, trajectory.Piece{AnswerOfTurn: &right}, trajectory.Piece{AnswerOfTurn: &left})
	case 3:
		step.End = &trajectory.End{Outcome: "solved"}
	}
	return step, err
}

func (c *crew) NextFresh(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	c.steps++
	return c.Next(ctx, state, turn, x)
}

func TestLiveBranches(t *testing.T) {
	run, a := livePlay(2)
	live := &crew{agent: *a}
	run.parts = func(p *session.Parts) { p.Folder = live }
	run.changed = func(c *journal.RunConfig) {
		c.Workload.Live, c.Config = true, bytes.Replace(c.Config, []byte(`"recorded"`), []byte(`"live"`), 1)
	}
	p := run.run(t).good(t)
	s := &seer{fake: newFake("validator", verdict.NeedHistory, verdict.NeedAppended)}
	r := p.judge(t, &session.Judges{Validators: []judge.Validator{s}, Replanner: live, Refolder: live})
	if again := r.Result.What.Workload.Again; again.Stepped != 8 || again.StepsOf != 8 || again.Error != "" {
		t.Errorf("%+v", again)
	}
	if b := r.Result.Metrics.Branching; b == nil || b.Completed != 2 || b.Fans != 2 || b.Width.Min.String() != "2" {
		t.Errorf("branching %+v", b)
	}
	p.recomputes(t, r)
	s.saw(t, p.requests)
}
