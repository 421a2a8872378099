package metrics

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// table reads the rows of the first table after a marker, header and rule left out.
func table(t *testing.T, doc, marker string) [][]string {
	t.Helper()
	_, after, ok := strings.Cut(doc, "<!-- "+marker+" -->\n")
	if !ok {
		t.Fatalf("docs/metrics.md has no table %q", marker)
	}
	var rows [][]string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows[2:]
}

// worked builds the run that docs/metrics.md tells.
func worked(t *testing.T, config Config, measure float64, rows [][]string) *run {
	r := newRun(config)
	r.Measure = at(measure)
	num := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ids := map[string]sample.ID{}
	for _, c := range rows {
		user, name, outcome := uint32(num(c[1])), c[2], sample.Outcome(c[3])
		if _, ok := ids[name]; !ok {
			ids[name] = r.conv(user, num(c[4]), num(c[4]), sample.Complete)
			if len(c) > 13 {
				conv := &r.Conversations[ids[name].Index]
				conv.Domain, conv.Labels, conv.Target = c[13], []trajectory.Label{{Key: "tenant", Value: c[14]}}, c[15]
			}
		}
		conv := &r.Conversations[ids[name].Index]
		if outcome == sample.NotSent {
			s := r.turn(ids[name], outcome, 0, 0, -1)
			s.Timing, s.Answer, s.Cause = sample.NoTiming(), nil, sample.CausePriorFailure
			continue
		}
		var events []event
		if outcome == sample.OK {
			first, answer, last, n := num(c[6]), num(c[7]), num(c[8]), num(c[10])
			for i := range int(n) {
				e := event{first + float64(i)*(last-first)/(n-1), chat.Content, 0}
				if e.ms < answer {
					e.ch = chat.Reasoning
				}
				events = append(events, e)
			}
		} else {
			conv.State = sample.Failed
		}
		out := -1
		if outcome == sample.OK {
			out = int(num(c[10]))
		}
		s := r.turn(ids[name], outcome, num(c[5]), num(c[9]), out, events...)
		s.Timing.Due, conv.End = at(num(c[4])), at(num(c[9]))
		if outcome == sample.OK {
			cached := uint64(num(c[12]))
			s.Answer.Usage.PromptTokens, s.Answer.Usage.CachedTokens = uint64(num(c[11])), &cached
		}
	}
	return r
}

// Every figure that docs/metrics.md works out by hand is what Compute gives.
func TestWorkedRun(t *testing.T) {
	doc := metricsDoc(t)
	m := Compute(&worked(t, Config{Window: All, Users: 2}, 1000, table(t, doc, "turns")).Input)
	if m.Honesty.State != Honest {
		t.Errorf("the client is %s", m.Honesty.State)
	}
	holds(t, m, table(t, doc, "figures"), 30)
}

func TestWorkedDeployment(t *testing.T) {
	doc := metricsDoc(t)
	config := Config{
		Window: All, Users: 3, Accelerators: 4, CacheBlock: 16,
		Objectives: []Objective{{ObjTTFT, 500 * time.Millisecond}, {ObjTrajectoryLatency, 6 * time.Second}},
		Targets:    []Target{{Name: "x", Weight: 1, Accelerators: 2}, {Name: "y", Weight: 1, Accelerators: 2}},
	}
	for _, c := range []struct {
		prices PriceList
		table  string
		rows   int
	}{
		{PriceList{Schema: PriceSchema, Currency: "EUR", Date: "2026-11-01", AcceleratorHour: "2.50"}, "deployment figures", 30},
		{PriceList{Schema: PriceSchema, Currency: "EUR", Date: "2026-11-01", AcceleratorHour: "2.50"}, "deployment parts", 40},
		{PriceList{Schema: PriceSchema, Currency: "EUR", Date: "2026-11-01", Input: "0.50", CachedInput: "0.05", Output: "2.00"}, "deployment by tokens", 5},
	} {
		prices, err := c.prices.Prices(config.Accelerators)
		if err != nil {
			t.Fatal(err)
		}
		config.Prices = prices
		holds(t, Compute(&worked(t, config, 0, table(t, doc, "deployment turns")).Input), table(t, doc, c.table), c.rows)
	}
}

func metricsDoc(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// holds compares the figures of a table with those of the metrics.
func holds(t *testing.T, m *Metrics, rows [][]string, least int) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(marshal(t, m))))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		t.Fatal(err)
	}
	if len(rows) < least {
		t.Errorf("only %d figures", len(rows))
	}
	for _, row := range rows {
		path := strings.Trim(row[0], "`")
		got := "null"
		switch v := follow(t, root, path).(type) {
		case json.Number:
			got = v.String()
		case string:
			got = v
		}
		wantNum(t, path, got, row[1])
	}
}

// follow walks along a path of keys and numbers of elements.
func follow(t *testing.T, value any, path string) any {
	t.Helper()
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[part]
			if !ok {
				t.Fatalf("%s: no %s", path, part)
			}
			value = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil {
				t.Fatal(err)
			}
			value = v[i]
		}
	}
	return value
}
