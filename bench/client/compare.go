package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Ratios of B to A that are aimed at: first the one, in the end the other.
const (
	firstTarget = 3.0
	lastTarget  = 1.5
)

// Round is A and B, one after the other.
type Round struct {
	Bare  *Measured `json:"bare"`
	Real  *Measured `json:"real"`
	Ratio float64   `json:"ratio"` // of CPU per turn, B to A
}

// Comparison is the whole outcome.
type Comparison struct {
	Options Options `json:"options"`
	Rounds  []Round `json:"rounds"`
	Median  struct {
		Bare  float64 `json:"bare_cpu_us_per_turn"`
		Real  float64 `json:"real_cpu_us_per_turn"`
		Ratio float64 `json:"ratio"`
	} `json:"median"`
	FirstTarget float64 `json:"first_target"`
	LastTarget  float64 `json:"last_target"`
}

func compare(ctx context.Context, o *Options, out io.Writer) (err error) {
	server, err := start(ctx, roleStub, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.end()) }()
	if err := server.out.Decode(&o.Address); err != nil {
		return errors.New("the stub server did not start")
	}
	c := Comparison{Options: *o, FirstTarget: firstTarget, LastTarget: lastTarget}
	plain := *o
	plain.Profile, plain.Allocs = "", ""
	table := newTable(out, o)
	for i := range o.Rounds {
		var r Round
		if r.Bare, err = client(ctx, roleBare, &plain); err != nil {
			return err
		}
		if r.Real, err = client(ctx, roleReal, &plain); err != nil {
			return err
		}
		r.Ratio = round2(r.Real.CPUMicros / r.Bare.CPUMicros)
		c.Rounds = append(c.Rounds, r)
		table.round(i+1, &r)
	}
	c.Median.Bare = c.median(func(r Round) float64 { return r.Bare.CPUMicros })
	c.Median.Real = c.median(func(r Round) float64 { return r.Real.CPUMicros })
	c.Median.Ratio = c.median(func(r Round) float64 { return r.Ratio })
	if o.Profile+o.Allocs != "" { // apart, since watching costs too
		if _, err := client(ctx, roleReal, o); err != nil {
			return err
		}
	}
	if o.asJSON {
		c.Options.Address = ""
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(c)
	}
	return table.end(&c)
}

func (c *Comparison) median(of func(Round) float64) float64 {
	list := make([]float64, 0, len(c.Rounds))
	for _, r := range c.Rounds {
		list = append(list, of(r))
	}
	slices.Sort(list)
	n := len(list)
	return round2((list[(n-1)/2] + list[n/2]) / 2)
}

// table prints rounds as they come; with JSON it prints nothing.
type table struct {
	out   io.Writer
	lines *tabwriter.Writer
}

func newTable(out io.Writer, o *Options) *table {
	if o.asJSON {
		out = io.Discard
	}
	kind := "streams"
	if o.NoStream {
		kind = "whole answers"
	}
	fmt.Fprintf(out, "%d users, bodies of %d bytes, %s, %d chunks, %v between them; %d turns measured per client\n\n",
		o.Users, o.Body, kind, o.Chunks, o.Gap, o.Users*o.conversations()*turnsEach)
	t := &table{out: out, lines: tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.lines, "round\tclient\tCPU us/turn\tratio\tturns/s\tpeak MB\tallocs/turn\tKB/turn\tGCs\tchunks/read\tlate p50 us\tlate p99 us\tburst us\t")
	return t
}

func (t *table) round(n int, r *Round) {
	row := func(name string, m *Measured, ratio, late string) {
		perRead := "-"
		if m.ChunksPerRead > 0 {
			perRead = fmt.Sprintf("%.2f", m.ChunksPerRead)
		}
		fmt.Fprintf(t.lines, "%d\t%s\t%.0f\t%s\t%.1f\t%.1f\t%.0f\t%.1f\t%d\t%s\t%s\t\n", n, name, m.CPUMicros, ratio, m.TurnsPerS,
			float64(m.PeakBytes)/1e6, m.Mallocs, m.MallocBytes/1e3, m.Collections, perRead, late)
	}
	row("A bare", r.Bare, "-", "-\t-\t-")
	row("B runner", r.Real, fmt.Sprintf("%.2f", r.Ratio), fmt.Sprintf("%.0f\t%.0f\t%.0f", r.Real.LateP50, r.Real.LateP99, r.Real.Burst))
}

func (t *table) end(c *Comparison) error {
	err := t.lines.Flush()
	fmt.Fprintf(t.out, "\nmedians: A %.0f us, B %.0f us of CPU per turn; ratio %.2f (first target %.1f, design %.1f)\n",
		c.Median.Bare, c.Median.Real, c.Median.Ratio, c.FirstTarget, c.LastTarget)
	return err
}
