package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/stats"
	"paceline/core/verdict"
)

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, c := range []struct{ text, indent, want string }{
		{"", "", ""},
		{"one  two\nthree", "", "one two three"},
		{"a\n\nb", "", "a\n\nb"},
		{strings.Repeat("x", 100) + " y", "  ", strings.Repeat("x", 100) + "\n  y"},
	} {
		if got := wrap(c.text, c.indent); got != c.want {
			t.Errorf("wrap(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	for line := range strings.SplitSeq(wrap(long, "        "), "\n") {
		if len(line) > columns {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if got := strings.Join(strings.Fields(wrap(long, "   ")), " "); got != strings.TrimSpace(long) {
		t.Errorf("words were lost: %s", got)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{{80, "abcdef"}, {7, "abcdef"}, {6, "abcd~"}, {2, "~"}, {1, "~"}} {
		if got := cut("abcdef", c.width); got != c.want {
			t.Errorf("width %d: %q, want %q", c.width, got, c.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	began := time.Unix(100, 0)
	p := &progress{began: began, last: reading{at: began}, duration: time.Minute}
	if got, want := p.line(began.Add(10*time.Second)), "prepare: 0/0 users, 0 turns, 0 failed, 0 tokens/s, 50s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Phase(sample.Measure)
	if got := p.line(began.Add(70 * time.Second)); !strings.HasPrefix(got, "measure: ") || !strings.HasSuffix(got, ", 0s left") {
		t.Errorf("got %q", got)
	}
	for _, c := range []struct {
		limit        time.Duration
		started, end int64
		left         time.Duration
		ok           bool
	}{
		{0, 0, 0, 0, false},
		{0, 4, 0, 0, false},
		{0, 4, 1, 30 * time.Second, true},
		{15 * time.Second, 4, 1, 5 * time.Second, true},
		{time.Minute, 4, 2, 10 * time.Second, true},
	} {
		p := &progress{began: began, duration: c.limit}
		n := sched.Counts{Conversations: c.started, Ended: c.end}
		if left, ok := p.left(began.Add(10*time.Second), n); left != c.left || ok != c.ok {
			t.Errorf("limit %v, %d of %d: %v left, %v", c.limit, c.end, c.started, left, ok)
		}
	}
}

// TestPlainProgress has no terminal: lines end, and nothing moves the cursor.
func TestPlainProgress(t *testing.T) {
	var b bytes.Buffer
	p := &progress{out: &b, stop: make(chan struct{})}
	p.show("a line")
	p.done.Go(func() { p.run(time.Hour) })
	p.End()
	if b.String() != "a line\n" {
		t.Errorf("wrote %q", b.String())
	}
}

func TestExitCodes(t *testing.T) {
	invalid := sched.Result{Faults: 1, Invalid: []error{errors.New("no plan")}}
	cancelled := sched.Result{Counts: sched.Counts{TurnsCancelled: 2}}
	failures := func(exceeded bool) report.Allowed { return report.Allowed{Failed: 1, Planned: 9, Exceeded: exceeded} }
	bad := []report.Verdict{{Reason: "mean is 3"}}
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		result report.Result
		played session.Played
		err    error
		want   int
		text   string
	}{
		"fine":                 {want: exitOK},
		"allowed":              {result: report.Result{Failures: failures(false)}, want: exitOK},
		"disk":                 {err: full, want: exitInternal},
		"preflight":            {err: &session.PreflightError{Validator: "v"}, want: exitTarget},
		"unplayable":           {err: fmt.Errorf("x: %w", &sched.RefusedError{Err: errors.New("y")}), want: exitInput},
		"folder":               {err: fmt.Errorf("x: %w", journal.ErrNotEmpty), want: exitInput},
		"cancelled early":      {err: context.Canceled, want: exitInterrupted},
		"no turn":              {result: report.Result{Status: report.Failed, Reason: "no turn succeeded"}, want: exitFailed},
		"lost":                 {played: session.Played{Lost: 3}, want: exitFailed, text: "lost 3 records"},
		"plan":                 {played: session.Played{Result: invalid}, result: report.Result{Status: report.Failed}, want: exitFailed, text: "no plan"},
		"signal before turns":  {result: report.Result{Status: report.Interrupted, Failures: failures(true)}, want: exitInterrupted},
		"turns":                {result: report.Result{Failures: failures(true), Verdicts: bad}, want: exitTurns},
		"limit":                {result: report.Result{Status: report.TimeLimit, Verdicts: bad}, played: session.Played{Result: cancelled}, want: exitLimit},
		"limit, all turns end": {result: report.Result{Status: report.TimeLimit}, want: exitOK},
		"verdict":              {result: report.Result{Verdicts: bad}, want: exitJudged, text: "mean is 3"},
		"no bounds":            {result: report.Result{Verdicts: []report.Verdict{{Reason: report.NoBounds}}}, want: exitOK},
		"score":                {result: report.Result{Scores: []report.Score{{Threshold: stats.Of(1)}}}, want: exitJudged},
		"score, no threshold":  {result: report.Result{Scores: []report.Score{{}}}, want: exitOK},
		"judge failed":         {result: report.Result{Scores: []report.Score{{Judge: report.Judge{Error: "trap"}, Passed: true}}}, want: exitJudged, text: "trap"},
		"unit failed": {result: report.Result{Verdicts: []report.Verdict{{
			Judge: report.Judge{Errors: []verdict.UnitError{{Error: "loop"}}}, Passed: true, Reason: report.NoBounds,
		}}}, want: exitJudged, text: "failed on 1 unit; the first: loop"},
	} {
		t.Run(name, func(t *testing.T) {
			err := outcome(&c.result, &c.played, c.err)
			if codeOf(err) != c.want {
				t.Errorf("exit code %d (%v), want %d", codeOf(err), err, c.want)
			}
			if c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("got %v, want %q", err, c.text)
			}
		})
	}
	for code, err := range map[int]error{exitInternal: full, exitInput: fs.ErrNotExist, exitInterrupted: context.Canceled} {
		if got := filesCode(fmt.Errorf("x: %w", err)); got != code {
			t.Errorf("%v: code %d, want %d", err, got, code)
		}
	}
}

func TestCommonest(t *testing.T) {
	r := &report.Result{Metrics: &metrics.Metrics{}}
	if got := commonest(r); got != "" {
		t.Errorf("got %q", got)
	}
	r.Metrics.Failures = metrics.Failures{Planned: 9, Outcomes: []metrics.Class{{Name: "not_sent", Count: 5}, {Name: "connect", Count: 1}, {Name: "status", Count: 3}}}
	if got := commonest(r); got != " (3 of 9: status)" {
		t.Errorf("got %q", got)
	}
}

// TestComplain: one line per fault, and the hint on its own.
func TestComplain(t *testing.T) {
	var b bytes.Buffer
	a := &app{Process: Process{Stderr: &b}}
	a.complain(failHint(exitInput, errors.New("one\ntwo\n"), "do this"))
	if got, want := b.String(), "runner: one\n        two\nhint: do this\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPairs(t *testing.T) {
	for _, bad := range []string{"x", "=y", "x="} {
		if _, err := devFiles([]string{bad}); codeOf(err) != exitUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := devFiles([]string{"a=/no/such/file"}); codeOf(err) != exitInput {
		t.Errorf("got %v", err)
	}
	if m, err := devFiles([]string{"std/mlperf=cli_test.go"}); err != nil || m["std/mlperf"] != "cli_test.go" {
		t.Errorf("got %v, %v", m, err)
	}
}

// TestSecretHeaders: what a user gives as a header is never shown by the client.
func TestSecretHeaders(t *testing.T) {
	c, err := endpoint.New(endpoint.Config{
		URL: "http://127.0.0.1:1/v1", Headers: []endpoint.Header{{Name: "X-Tenant", Value: "hide-this-value", Secret: true}},
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.Redact("a hide-this-value b"); strings.Contains(got, "hide") {
		t.Errorf("got %q", got)
	}
}
