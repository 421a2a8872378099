package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

func (t *Table) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(t)
}

// write writes Markdown, which is readable as it is.
func (t *Table) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Settings)
	t.writeProfiles(&b)
	t.writeRates(&b)
	t.writeParts(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) writeProfiles(b *strings.Builder) {
	b.WriteString("| profile | mean final context | mean conversation: turns | input | assistant | tool | wait s | final |\n|---|---|---|---|---|---|---|---|\n")
	for _, p := range t.Profiles {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %.3f | %d |\n", p.Profile, p.FinalContext, p.Turns, p.Input, p.Assistant, p.Tool, p.WaitSeconds, p.Final)
	}
}

func (t *Table) writeRates(b *strings.Builder) {
	b.WriteString("\nThroughput in tokens of answers per second, 95 % intervals over the seeds. Of each pair the first is full, the second mean.\n\n" +
		"| profile | KV | users | full tok/s | mean tok/s | mean/full | KV use, mean % | most % | hit % | preempted per 1000 | refused |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		f, m := &r.Full, &r.Mean
		fmt.Fprintf(b, "| %s | %g x | %d | %s | %s | **%.3f** (%.3f to %.3f) | %.0f, %.0f | %.0f, %.0f | %.1f, %.1f | %.1f, %.1f | %d, %d |\n",
			r.Profile, r.Factor, r.Users, f.Rate, m.Rate, r.Ratio.Mean, r.Ratio.Low, r.Ratio.High, 100*f.UseMean, 100*m.UseMean,
			100*f.UseMax, 100*m.UseMax, 100*f.Hit, 100*m.Hit, f.Preemptions, m.Preemptions, f.Refused, m.Refused)
	}
}

func (t *Table) writeParts(b *strings.Builder) {
	b.WriteString("\nWhere the time went, in ms for each token of an answer; and the context that a decoding sequence had.\n\n" +
		"| profile | KV | users | base | prefill | decode | context | idle | context, tokens |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		f, m := &r.Full.Parts, &r.Mean.Parts
		fmt.Fprintf(b, "| %s | %g x | %d | %.3f, %.3f | %.3f, %.3f | %.3f, %.3f | %.3f, %.3f | %.3f, %.3f | %.0f, %.0f |\n", r.Profile, r.Factor, r.Users,
			f.Base, m.Base, f.Prefill, m.Prefill, f.Decode, m.Decode, f.Context, m.Context, f.Idle, m.Idle, r.Full.Context, r.Mean.Context)
	}
}
