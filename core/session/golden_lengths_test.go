package session_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/sim"
)

// traceFile is the published coding workload, where it is at hand.
const traceFile = "../../../shared/data/applied_compute_agentic_coding_8k.jsonl"

// goldenTrace is what a line of it comes to.
type goldenTrace struct {
	line, requests       int
	first, last, prompts uint64
	output               uint64
	wait                 time.Duration
}

var goldenTraces = []goldenTrace{
	{1729, 3, 6318, 13644, 32499, 1986, 2770 * time.Millisecond},
	{1, 12, 6342, 11589, 110062, 2486, 58308 * time.Millisecond},
	{1042, 147, 6701, 79994, 6615581, 44218, 759129 * time.Millisecond},
	{1574, 2, 6254, 6359, 12613, 138, 722 * time.Millisecond},
	{1983, 2, 6312, 12121, 18433, 829, 176 * time.Millisecond},
	{3981, 159, 6327, 134492, 12726042, 68484, 158293 * time.Millisecond},
	{4096, 8, 6524, 10045, 62833, 1595, 5963 * time.Millisecond},
	{4911, 160, 6514, 85050, 7457733, 37176, 118227 * time.Millisecond},
	{8192, 29, 6889, 36610, 737414, 7827, 97380 * time.Millisecond},
}

// published reads the golden lines, or skips.
func published(t *testing.T) []coretest.Trace {
	t.Helper()
	text, err := os.ReadFile(traceFile)
	if err != nil {
		t.Skipf("the published traces are not here: %v", err)
	}
	lines := bytes.Split(text, []byte("\n"))
	list := make([]coretest.Trace, len(goldenTraces))
	for i, g := range goldenTraces {
		if list[i], err = coretest.ReadTrace(lines[g.line-1]); err != nil {
			t.Fatalf("line %d: %v", g.line, err)
		}
	}
	return list
}

// lengthy plays traces at the simulated engine, calibrated as a run is.
func lengthy(t *testing.T, mode filler.Mode, list []coretest.Trace, users int) (*played, *journal.Run) {
	t.Helper()
	return reaching(t, mode, chat.Live, list, users, sched.Reach{})
}

// reaching plays so much of traces.
func reaching(t *testing.T, mode filler.Mode, history chat.HistoryRule, list []coretest.Trace, users int, reach sched.Reach) (*played, *journal.Run) {
	t.Helper()
	p := play{stream: true, window: "all", serve: func(ctx context.Context, l *coretest.Listener) { serveLengths(ctx, t, l) }}
	for i := range list {
		p.source = append(p.source, list[i].Trajectory(strconv.Itoa(i)))
		p.source[i].Index = uint64(i)
	}
	var lengths filler.Lengths
	p.sched = func(c *sched.Config) {
		c.Users, c.History, c.Lengths, c.Reach = load.Constant(users), history, lengths, reach
		if mode == filler.Exact {
			c.Wire.API, c.Switches = chat.APICompletions, engine.Simulated.TellTokens()
		}
	}
	p.api = map[filler.Mode]chat.API{filler.Exact: chat.APICompletions}[mode]
	p.before = func(t *testing.T, client *endpoint.Client) {
		c := sched.Config{Wire: chat.Wire{Model: "m", API: p.api}}
		found, err := filler.Calibrate(t.Context(), root, mode, true, session.LengthProber{Client: client, Mode: mode, Engine: engine.Simulated, Wire: c.Wire})
		if err != nil {
			t.Fatal(err)
		}
		lengths = found
		lengths.Engine, lengths.Forced = engine.Simulated, true
	}
	p.changed = func(c *journal.RunConfig) {
		c.Lengths, c.Config = &lengths, bytes.Replace(c.Config, []byte(`"history":"recorded"`), []byte(`"history":"`+string(history)+`"`), 1)
	}
	out := p.run(t).good(t)
	return out, out.journal(t)
}

func serveLengths(ctx context.Context, t *testing.T, l *coretest.Listener) {
	server, err := sim.New(sim.Config{
		Model: "m", MaxContext: 200_000, KVTokens: 2_000_000, StepTokens: 200_000, TokensPerChunk: 64, Cost: sim.Cost{Base: time.Millisecond},
	})
	if err == nil {
		err = server.Serve(ctx, l)
	}
	if err != nil {
		t.Error(err)
	}
}

// row is what one trace came to, by the engine's own counts.
type row struct {
	requests             int
	first, last, prompts uint64
	output               uint64
	wait, over           time.Duration // of all waits, and by how much the worst is longer than planned
	most                 float64       // percent that a context is off
}

// rows writes a table of traces: what is planned beside what came.
func rows(t *testing.T, title string, golden []goldenTrace, came []row) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "line\trequests\tfirst context\tlast context\tall prompts\toutput\twaiting s\tmost over ms\tworst context off\t")
	for i, g := range golden {
		r := came[i]
		fmt.Fprintf(w, "%d\tplanned\t%d\t%d\t%d\t%d\t%.3f\t\t\t\n", g.line, g.first, g.last, g.prompts, g.output, g.wait.Seconds())
		fmt.Fprintf(w, "\t%d of %d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%.2f %%\t\n", r.requests, g.requests, r.first, r.last, r.prompts, r.output, r.wait.Seconds(),
			float64(r.over)/1e6, r.most)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log(title + "\n" + b.String())
}

// checkTrace compares what was measured of one conversation with its trace: requests, contexts, outputs as the engine counted
// them, and the waits, which may be so much longer than planned. A context that has no filler left to leave out may be longer.
func checkTrace(t *testing.T, name string, trace *coretest.Trace, samples []sample.Sample, percent float64, late time.Duration) (r row) {
	t.Helper()
	contexts, outputs := trace.Contexts(), trace.Outputs()
	r.requests = len(samples)
	if len(samples) != len(contexts) {
		t.Errorf("%s: %d requests, want %d", name, len(samples), len(contexts))
		return
	}
	for i := range samples {
		s := &samples[i]
		if s.Outcome != sample.OK || s.Answer == nil {
			t.Fatalf("%s, turn %d: %s %s", name, i, s.Outcome, s.Cause)
		}
		got := s.Answer.Usage
		if off := math.Abs(float64(got.PromptTokens) - float64(contexts[i])); off*100 > percent*float64(contexts[i]) && !s.Followed().Least || s.Planned.Prompt != int64(contexts[i]) {
			t.Errorf("%s, turn %d: a prompt of %d tokens, %d planned, want %d", name, i, got.PromptTokens, s.Planned.Prompt, contexts[i])
		}
		if got.CompletionTokens != outputs[i] {
			t.Errorf("%s, turn %d: an answer of %d tokens, want %d", name, i, got.CompletionTokens, outputs[i])
		}
		r.prompts, r.output, r.last = r.prompts+got.PromptTokens, r.output+got.CompletionTokens, got.PromptTokens
		r.most = max(r.most, 100*math.Abs(float64(got.PromptTokens)-float64(contexts[i]))/float64(contexts[i]))
		if i == 0 {
			r.first = got.PromptTokens
			continue
		}
		waited := time.Duration(s.Timing.Sent - samples[i-1].Timing.Done)
		want := time.Duration(trace.Waits[i-1] * float64(time.Second))
		if waited < want || waited > want+late {
			t.Errorf("%s, turn %d: sent %v after the answer before it, want %v", name, i, waited, want)
		}
		r.wait += waited
		r.over = max(r.over, waited-want)
	}
	return r
}

// TestGoldenTraces plays the nine golden lines, long ones included, in both modes.
func TestGoldenTraces(t *testing.T) {
	list := published(t)
	for _, mode := range []filler.Mode{filler.Exact, filler.Text} {
		t.Run(string(mode), func(t *testing.T) {
			percent := map[filler.Mode]float64{filler.Text: 0.5}[mode]
			_, run := lengthy(t, mode, list, len(list))
			var came []row
			for i, g := range goldenTraces {
				name := "line " + strconv.Itoa(g.line)
				r := checkTrace(t, name, &list[i], samplesOf(run, strconv.Itoa(i)), percent, 10*time.Millisecond)
				off := 100 * math.Abs(float64(r.prompts)-float64(g.prompts)) / float64(g.prompts)
				if r.requests != g.requests || off > percent || r.output != g.output || r.wait < g.wait-time.Duration(g.requests) || r.wait > g.wait+10*time.Millisecond {
					t.Errorf("%s: %+v, want %+v", name, r, g)
				}
				came = append(came, r)
			}
			rows(t, "simulated engine, "+string(mode)+", live history", goldenTraces, came)
		})
	}
}

func samplesOf(run *journal.Run, trajectory string) []sample.Sample {
	var list []sample.Sample
	for _, s := range run.Samples {
		if s.Trajectory == trajectory {
			list = append(list, s)
		}
	}
	return list
}
