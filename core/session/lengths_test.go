package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// own are traces of our own, small ones.
var own = []coretest.Trace{
	{Turns: 2, Input: 900, Answers: []uint32{20, 300}, Tools: []uint32{500, 5}, Waits: []float64{0.2, 1.5}, Final: 64},
	{Turns: 1, Input: 1200, Answers: []uint32{7}, Tools: []uint32{40}, Waits: []float64{30}, Final: 11},
}

// TestLengths plays length-only trajectories one after another: every length is as planned, and the tool waits of one hold
// the user's slot, so that the next begins when it is over.
func TestLengths(t *testing.T) {
	for _, mode := range []filler.Mode{filler.Exact, filler.Text} {
		t.Run(string(mode), func(t *testing.T) {
			p, run := lengthy(t, mode, own, 1)
			for i := range own {
				checkTrace(t, run.Conversations[i].Trajectory, &own[i], samplesOf(run, run.Conversations[i].Trajectory), 0, 10*time.Millisecond)
			}
			first, second := &run.Conversations[0], &run.Conversations[1]
			if waited := time.Duration(first.End - first.Start); waited < 1700*time.Millisecond || second.Start < first.End {
				t.Errorf("the first conversation took %v and ended at %v, the second began at %v", waited, first.End, second.Start)
			}
			r := p.judge(t, &session.Judges{}).Result
			if l := r.Lengths; l.Contexts.Exact != 5 || l.Outputs.Exact != 5 || l.Replaced != 0 || l.State != filler.Calibrated {
				t.Errorf("the report tells %+v", l)
			}
			if info, err := os.Stat(filepath.Join(p.dir, journal.ContentFile)); err != nil || info.Size() > 4<<10 {
				t.Errorf("the content store keeps more than the recipe: %v %v", info, err)
			}
		})
	}
}

// watcher is a validator that keeps what it saw.
type watcher struct {
	*fake
	seen map[string]map[int]string // by trajectory and repeat: the messages of each turn's request
}

func (w *watcher) Check(_ context.Context, batch []judge.Item) (judge.Checked, error) {
	for _, it := range batch {
		var history, appended []json.RawMessage
		if err := json.Unmarshal(it.History, &history); err != nil {
			return judge.Checked{}, err
		}
		if err := json.Unmarshal(it.Appended, &appended); err != nil {
			return judge.Checked{}, err
		}
		text, err := json.Marshal(append(history, appended...))
		if err != nil {
			return judge.Checked{}, err
		}
		key := conversationKey(it.Trajectory, it.Repeat)
		if w.seen[key] == nil {
			w.seen[key] = map[int]string{}
		}
		w.seen[key][int(it.Turn)] = string(text)
	}
	return judge.Checked{Account: []byte("0")}, nil
}

func conversationKey(trajectory string, repeat uint32) string {
	if repeat > 0 {
		return trajectory + "__repeat_2"
	}
	return trajectory
}

// TestFillerIsMadeAgain holds what judges are told of messages that the host made, salts included, to the very bodies.
func TestFillerIsMadeAgain(t *testing.T) {
	text := func(role, text string) trajectory.Message {
		return trajectory.Message{Composed: &trajectory.Composed{Role: role, Pieces: []trajectory.Piece{{Text: []byte(text)}}}}
	}
	traced := own[0].Trajectory("lengths")
	mixed := own[1].Trajectory("mixed")
	mixed.Turns[0].Append = append([]trajectory.Message{text("system", "be \"brief\"")}, mixed.Turns[0].Append...)
	plain := talk("plain", 2)
	branched := handing("branched", func(key string) trajectory.Piece {
		return trajectory.Piece{Filler: &trajectory.Filler{Tokens: 300, Key: []byte(key), Scope: trajectory.ScopeTrajectory}}
	})
	for _, history := range []chat.HistoryRule{chat.Live, chat.Recorded} {
		seeded, err := chat.SaltSchemeByName("seeded")
		if err != nil {
			t.Fatal(err)
		}
		lengths := filler.Lengths{Mode: filler.Text, State: filler.Calibrated, Word: 1_370_000, Overhead: filler.Overhead{Prompt: 9, Turn: 8, System: 3}}
		p := play{
			source: sourceOf(traced, mixed, plain, branched), script: &coretest.Script{Replies: []coretest.Reply{three()}}, stream: true,
			sched: func(c *sched.Config) {
				c.Budget, c.History, c.Lengths, c.Salt, c.RoutingHeaders = 8, history, lengths, seeded, []string{"X-Session-Id"}
			},
			changed: func(c *journal.RunConfig) {
				c.Lengths, c.Salt.Scheme = &lengths, "seeded"
				c.Config = bytes.Replace(c.Config, []byte(`"history":"recorded"`), []byte(`"history":"`+string(history)+`"`), 1)
			},
		}
		out := p.run(t).good(t)
		sent := map[string]map[int]string{}
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
			if sent[id] == nil {
				sent[id] = map[int]string{}
			}
			sent[id][len(sent[id])] = string(text)
		}
		w := &watcher{newFake("validator", verdict.NeedHistory, verdict.NeedAppended), map[string]map[int]string{}}
		report := out.judge(t, &session.Judges{Validators: []judge.Validator{w}})
		if v := report.Result.Verdicts[0]; v.Error != "" {
			t.Fatal(v.Error)
		}
		if diff := cmp.Diff(sent, w.seen); diff != "" || len(sent) != 8 {
			t.Errorf("%s history, %d conversations: (-sent +told)\n%s", history, len(sent), shortly(diff))
		}
		if a, b := sent["lengths"][0], sent["lengths__repeat_2"][0]; commonBytes(a, b) > 100 {
			t.Error("two passes share a prompt")
		}
		if !strings.Contains(sent["mixed"][0], "salt") || strings.Contains(sent["lengths"][0], "salt") {
			t.Error("the salt is where filler begins the prompt, or lacks where text does")
		}
	}
}

func shortly(s string) string { return s[:min(len(s), 2000)] }

func commonBytes(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestAnswersWithoutIDs: where the target tells no ids of its answers, filler of their length stands for them.
func TestAnswersWithoutIDs(t *testing.T) {
	document := `{"choices":[{"index":0,"text":"abc","finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":300}}`
	p := play{
		source: sourceOf(own[0].Trajectory("lengths")), script: &coretest.Script{Replies: []coretest.Reply{said(200, document, ms(1))}}, api: chat.APICompletions,
		sched: func(c *sched.Config) {
			c.History, c.Wire.API, c.Lengths = chat.Live, chat.APICompletions, filler.Default(filler.Exact)
		},
	}
	out := p.run(t).good(t)
	var before []int
	for i, body := range sent(out.requests) {
		var ids struct{ Prompt []int }
		if err := json.Unmarshal(body, &ids); err != nil {
			t.Fatal(err)
		}
		if want := []int{900, 1700, 2005}[i]; len(ids.Prompt) != want || !slices.Equal(before, ids.Prompt[:min(len(before), len(ids.Prompt))]) {
			t.Errorf("turn %d: %d ids, want %d, and those of the prompt before first", i, len(ids.Prompt), want)
		}
		before = ids.Prompt
	}
	run := out.journal(t)
	for i := range run.Samples {
		if s := &run.Samples[i]; s.Outcome != sample.OK || (len(s.Notes) == 1) != (i < 2) {
			t.Errorf("turn %d: %s, notes %v", i, s.Outcome, s.Notes)
		}
	}
}
