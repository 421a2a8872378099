package session_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/coretest"
	"paceline/core/report"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/mlperf/agentic"
)

const referenceDoc = "../../docs/reference.md"

// reported is what the reference client made of one of the servers. Its state was complete and its exit code 0 each time.
type reported struct {
	Issued, Completed, Failed int
	QPS                       float64
	State                     string
	Complete                  bool
	Concurrency               int
	TTFTMax                   *int64 `json:"ttft_max_ns"`
}

// dataset plans the data set that the reference played, with the shipped workload's own code.
func dataset(t *testing.T) source {
	t.Helper()
	data, err := os.ReadFile("testdata/reference/tiny.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	plugin := &sdk.Plugin{Name: "mlperf", Version: "0.1.0", Components: []sdk.Component{agentic.Component()}}
	c := sdktest.Open(t, plugin, "agentic", sdktest.Options{Config: "{}", Inputs: []sdktest.Input{{Name: "dataset", Data: data}}})
	var list source
	for i := range c.Opened.Workload.Trajectories {
		p, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, toTrajectory(p))
	}
	return sourceOf(list...)
}

// toTrajectory keeps what the reference has too: no delays, they were not injected.
func toTrajectory(p *sdk.Trajectory) *trajectory.Trajectory {
	t := &trajectory.Trajectory{ID: p.Id, Domain: p.Domain, Truth: p.Truth}
	if p.Defaults != nil {
		t.Params, t.Tools = p.Defaults.Params, p.Defaults.Tools
	}
	for i := range p.Turns {
		from := &p.Turns[i]
		turn := trajectory.Turn{Index: from.Index, Params: from.Params, MaxTokens: from.MaxTokens, Final: from.Final, Truth: from.Truth}
		for _, m := range from.Append {
			turn.Append = append(turn.Append, trajectory.Message{JSON: m.Json})
		}
		if from.Recorded != nil {
			turn.Recorded = &trajectory.Message{JSON: from.Recorded.Json}
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}

func (q *quirk) play(t *testing.T) (*played, *report.Result) {
	t.Helper()
	good := usual()
	if q.noStream {
		good = whole(document(`"content":"hello world"`, ""))
	}
	run := &play{
		source: dataset(t), stream: !q.noStream, down: q.down,
		script: &coretest.Script{Replies: append(slices.Clone(q.replies), good)},
		sched: func(c *sched.Config) {
			c.RoutingHeaders = []string{"X-Session-ID"}
			if q.sched != nil {
				q.sched(c)
			}
		},
	}
	p := run.run(t).good(t)
	return p, p.judge(t, &session.Judges{}).Result
}

// exit is the code that `runner run` gives for such a report; docs/cli.md.
func exit(r *report.Result) int {
	switch {
	case r.Status == report.Failed:
		return 5
	case r.Failures.Exceeded:
		return 6
	case r.Status == report.TimeLimit && r.Metrics.Failures.Cancelled > 0:
		return 8
	}
	return 0
}

// row is the line of the table for one server.
func (q *quirk) row(ref *reported, p map[string]int, r *report.Result) string {
	theirs := fmt.Sprintf("%d of %d completed, %d failed; %s turns/s", ref.Completed, ref.Issued, ref.Failed, figure(ref.QPS))
	if ref.TTFTMax != nil {
		theirs += fmt.Sprintf("; TTFT to %d ms", *ref.TTFTMax/int64(time.Millisecond))
	}
	var counts []string
	for _, name := range slices.SortedFunc(maps.Keys(p), byRank) {
		counts = append(counts, fmt.Sprintf("%d %s", p[name], name))
	}
	ours := strings.Join(counts, ", ")
	if v, ok := r.Metrics.Throughput.Turns.Value.Get(); ok && r.Status != report.Failed {
		ours += "; " + figure(v) + " turns/s"
	} else {
		ours += "; no rate"
	}
	if v, ok := r.Metrics.Turns.TTFT.Max.Get(); ok {
		ours += "; TTFT to " + figure(v) + " ms"
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s, exit %d | %s |", q.name, q.does, theirs, ours,
		strings.ReplaceAll(string(r.Status), "_", " "), exit(r), q.why)
}

// byRank puts ok first and not_sent last.
func byRank(a, b string) int {
	rank := func(s string) int {
		switch {
		case s == "ok":
			return 0
		case strings.HasPrefix(s, "not_sent"):
			return 2
		}
		return 1
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// figure has three digits, or all before the point.
func figure(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// TestReferenceTable plays the servers that the reference client was run against, and holds the table of docs/reference.md
// to what both made of them.
func TestReferenceTable(t *testing.T) {
	data, err := os.ReadFile("testdata/reference/quirks.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference map[string]*reported
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	rows := []string{"| server | what it does | reference | ours | our run | why |", "|---|---|---|---|---|---|"}
	for _, q := range quirks() {
		ref := reference[q.name]
		if ref == nil || ref.State != "complete" || !ref.Complete {
			t.Fatalf("%s: the reference reported %+v", q.name, ref)
		}
		p, r := q.play(t)
		rows = append(rows, q.row(ref, outcomes(p.journal(t)), r))
		delete(reference, q.name)
		if bodies := sent(p.requests); carries(bodies, "intent_codes") {
			t.Errorf("%s: a request carries the truth", q.name)
		}
	}
	if len(reference) > 0 {
		t.Errorf("not played: %v", slices.Sorted(maps.Keys(reference)))
	}
	holdDoc(t, strings.Join(rows, "\n")+"\n")
}

// holdDoc compares the part of the page between its two marks with table; with -update it writes it there.
func holdDoc(t *testing.T, table string) {
	t.Helper()
	const begin, end = "<!-- quirks -->\n", "<!-- end of quirks -->\n"
	page, err := os.ReadFile(referenceDoc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	there, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of the table", referenceDoc)
	}
	if coretest.Updating() {
		if err := os.WriteFile(referenceDoc, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(there, table); d != "" {
		t.Errorf("the table differs, rerun with -update if that is right (-page +now):\n%s", d)
	}
}
