package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"paceline/core/report"
	"paceline/core/stats"
)

// demoRow is one point of the demo.
type demoRow struct {
	users  int
	result *report.Result
}

// writeDemo shows the points side by side, and what to look at next.
func writeDemo(w io.Writer, out string, rows []demoRow) error {
	lines := []struct {
		name string
		cell func(*report.Result) string
	}{
		{"turns ok", func(r *report.Result) string {
			return strconv.Itoa(r.Metrics.Failures.Planned - r.Metrics.Failures.Failed)
		}},
		{"turns failed", func(r *report.Result) string { return strconv.Itoa(r.Metrics.Failures.Failed) }},
		{"output tokens/s, system", func(r *report.Result) string { return number(r.Metrics.Throughput.System.Value, 0) }},
		{"output tokens/s, per user", func(r *report.Result) string { return number(r.Metrics.PerUser.Plain.Value, 0) }},
		{"TTFT p50, ms", func(r *report.Result) string { return number(r.Metrics.Turns.TTFT.P50, 1) }},
		{"TTFT p99, ms", func(r *report.Result) string { return number(r.Metrics.Turns.TTFT.P99, 1) }},
		{"TPOT p50, ms", func(r *report.Result) string { return number(r.Metrics.Turns.TPOT.P50, 2) }},
		{"trajectory latency p50, ms", func(r *report.Result) string { return number(r.Metrics.Trajectories.Latency.P50, 0) }},
		{"prefix cache hits", func(r *report.Result) string { return percent(r.Metrics.Cache.Measured.Value) }},
		{"inline score", inlineScore},
		{"output length", lengthVerdict},
		{"client", func(r *report.Result) string { return r.Metrics.Honesty.State }},
	}
	var b []byte
	b = fmt.Appendf(b, "\n%-28s", "users")
	for _, r := range rows {
		b = fmt.Appendf(b, "%14d", r.users)
	}
	b = append(b, '\n')
	for _, l := range lines {
		b = fmt.Appendf(b, "%-28s", l.name)
		for _, r := range rows {
			b = fmt.Appendf(b, "%14s", l.cell(r.result))
		}
		b = append(b, '\n')
	}
	b = fmt.Appendf(b, "\nA simulated engine answered, five times as fast as it simulates.\nIts answers mean nothing.\n")
	for _, r := range rows {
		b = fmt.Appendf(b, "report at %-10s %s\n", plural(r.users, "user")+":", filepath.Join(out, "users-"+strconv.Itoa(r.users), "report.txt"))
	}
	_, err := w.Write(b)
	return err
}

func number(n stats.Num, decimals int) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

func percent(n stats.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
}

func inlineScore(r *report.Result) string {
	if len(r.Scores) == 0 {
		return "-"
	}
	return number(r.Scores[0].Value, 4)
}

func lengthVerdict(r *report.Result) string {
	for _, v := range r.Verdicts {
		if v.Name != "std/mlperf/output-length" {
			continue
		}
		if v.Passed {
			return "passed"
		}
		return "not passed"
	}
	return "-"
}
