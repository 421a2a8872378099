package check

import (
	"fmt"
	"math"
	"time"

	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// tolerance of a stored metric, relative to the derived one.
const tolerance = 0.01

// statBlocks are the blocks of result_summary.json that are read.
var statBlocks = []string{"ttft", "tpot", "latency", "output_sequence_lengths"}

func summaryShape() lax.Shape {
	whole, number := lax.WholeNumber(), lax.RealNumber()
	block := lax.Object(opt("total", number), opt("percentiles", lax.Each(number)))
	fields := []lax.Named{req("n_samples_completed", whole), opt("n_samples_issued", whole), opt("n_samples_failed", whole), req("duration_ns", number),
		null("output_tokens_per_turn_total", number), null("e2e_turn_time_seconds_total", number)}
	for _, name := range statBlocks {
		fields = append(fields, opt(name, block))
	}
	return lax.Object(fields...)
}

// percentileFaults are keys that are no percentiles, and different keys of one percentile with different values.
func percentileFaults(doc *lax.Value) []lax.Fault {
	var all []lax.Fault
	for _, name := range statBlocks {
		block := doc.At(name, "percentiles")
		if block == nil {
			continue
		}
		seen := map[float64]*lax.Value{}
		for _, f := range block.Fields {
			at := name + ".percentiles." + f.Key
			p, ok := lax.NumberOf(f.Key)
			if !ok || !(p >= 0 && p <= 100) {
				all = append(all, lax.Fault{Field: at, Found: fmt.Sprintf("the key %q", f.Key), Want: "a percentile from 0 to 100, as 90 or 90.0"})
				continue
			}
			if before := seen[p]; before != nil && !equalNumbers(before, f.Value) {
				all = append(all, lax.Fault{Field: at, Found: f.Value.String(), Want: fmt.Sprintf("%s, as under the other key of that percentile", before)})
			}
			seen[p] = f.Value
		}
	}
	return all
}

func equalNumbers(a, b *lax.Value) bool {
	x, _ := a.Number()
	y, _ := b.Number()
	return x == y
}

// percentile looks a value up under any spelling of its key.
func percentile(doc *lax.Value, block string, want float64) (float64, bool) {
	all := doc.At(block, "percentiles")
	if all == nil {
		return 0, false
	}
	for _, f := range all.Fields {
		if p, ok := lax.NumberOf(f.Key); ok && p == want {
			return f.Value.Number()
		}
	}
	return 0, false
}

// measurement applies the rules of a point's metrics.
func (c *checker) measurement(v *curve, p *point) {
	if p.sum == nil {
		return
	}
	c.duration(v, p)
	c.basis(p)
	c.accounting(p)
	c.systemTPS(p)
	c.perUser(p)
	if v.agentic {
		c.interactivity(p)
	}
}

// duration holds the window, or else the run, to the least duration.
func (c *checker) duration(v *curve, p *point) {
	at := p.Summary.Path
	ns, _ := p.sum.Get("duration_ns").Number()
	if ns <= 0 {
		c.fail("metric-consistency-duration", "nonpositive", at, "Write the run's duration in nanoseconds.", "duration_ns is %g", ns)
	} else {
		c.pass("metric-consistency-duration", at, "duration_ns is %g", ns)
	}
	if v.regions == nil {
		return
	}
	if _, ok := v.regions.Of(p.concurrency); !ok {
		return
	}
	seconds, what := ns/1e9, "the run"
	if s, ok := p.cfg.At("steady_state", "window", "duration_s").Number(); ok {
		seconds, what = s, "the steady-state window"
	}
	least := minDuration(v, p).Seconds()
	if seconds < least {
		c.warn("point-duration", "short", at, "Measure longer.", "%s: %s lasts %.6g s, less than %g s", p.Dir, what, seconds, least)
		return
	}
	c.pass("point-duration", at, "%s lasts %.6g s of at least %g s", what, seconds, least)
}

// minDuration is shorter for curves that are not agentic.
func minDuration(v *curve, p *point) time.Duration {
	least := rules.MinDuration(p.concurrency)
	if !v.agentic {
		least = min(least, 1200*time.Second)
	}
	return least
}

func (c *checker) accounting(p *point) {
	at := p.Summary.Path
	completed, _ := p.sum.Get("n_samples_completed").Number()
	failed, _ := p.sum.Get("n_samples_failed").Number()
	issued, _ := p.sum.Get("n_samples_issued").Number()
	if issued > 0 && completed+failed != issued {
		c.fail("metric-consistency-accounting", "sum", at, "Count every issued sample once.", "%.0f completed and %.0f failed make %.0f, but %.0f were issued",
			completed, failed, completed+failed, issued)
	} else {
		c.pass("metric-consistency-accounting", at, "%.0f samples are accounted for", completed+failed)
	}
	if tokens := outputTokens(p); tokens < 0 || math.IsNaN(tokens) || math.IsInf(tokens, 0) {
		c.fail("metric-consistency-output-tokens", "bad", at, "Write the number of tokens.", "output_sequence_lengths.total is %g", tokens)
	} else {
		c.pass("metric-consistency-output-tokens", at, "%.0f output tokens", tokens)
	}
}

// outputTokens are 0 where none are told.
func outputTokens(p *point) float64 {
	n, _ := p.sum.At("output_sequence_lengths", "total").Number()
	return n
}

// derivedTPS is tokens over seconds, 0 where there is no duration.
func derivedTPS(p *point) float64 {
	ns, _ := p.sum.Get("duration_ns").Number()
	tps := outputTokens(p) / (ns / 1e9)
	if !(ns > 0) || math.IsNaN(tps) || math.IsInf(tps, 0) {
		return 0
	}
	return tps
}

func (c *checker) systemTPS(p *point) {
	c.stored("metric-consistency-system-tps", "system_tps", "output tokens over seconds", p, derivedTPS(p))
}

func (c *checker) perUser(p *point) {
	at := p.Summary.Path
	ns, ok := percentile(p.sum, "tpot", 90)
	switch {
	case !ok:
		c.fail("metric-consistency-tpot-p90", "missing", at, "Write tpot.percentiles with the key 90.", "tpot.percentiles has no 90, from which tps_per_user is derived")
		return
	case !(ns > 0) || math.IsInf(ns, 0):
		c.fail("metric-consistency-tpot-p90", "bad", at, "Write the P90 in nanoseconds per token.", "tpot.percentiles 90 is %g; it must be finite and positive", ns)
		return
	}
	c.pass("metric-consistency-tpot-p90", at, "TPOT P90 is %.4f ms", ns/1e6)
	c.stored("metric-consistency-tps-per-user", "tps_per_user", "1000 over TPOT P90 in ms", p, 1e9/ns)
}

// interactivity holds e2e_avg_interactivity to the sums over turns.
func (c *checker) interactivity(p *point) {
	value, ok := derivedInteractivity(p)
	if stored := p.sum.Get("e2e_avg_interactivity"); !ok && !stored.IsNull() {
		c.fail("agentic-metric-consistency", "underivable", p.Summary.Path, "Write both sums, or leave the metric out where a turn failed.",
			"e2e_avg_interactivity is %s, but it cannot be derived: output_tokens_per_turn_total and e2e_turn_time_seconds_total are missing, and totals of tokens and latency stand in only where nothing failed", stored)
		return
	}
	if ok {
		c.stored("agentic-metric-consistency", "e2e_avg_interactivity", "output tokens over seconds of all turns", p, value)
	}
}

func derivedInteractivity(p *point) (float64, bool) {
	tokens, seconds := p.sum.Get("output_tokens_per_turn_total"), p.sum.Get("e2e_turn_time_seconds_total")
	if tokens.IsNull() && seconds.IsNull() {
		failed, _ := p.sum.Get("n_samples_failed").Number()
		ns, _ := p.sum.At("latency", "total").Number()
		return outputTokens(p) / (ns / 1e9), failed == 0 && ns > 0
	}
	n, ok := tokens.Number()
	s, ok2 := seconds.Number()
	return n / s, ok && ok2 && !(s <= 0)
}

// stored holds a metric that the file gives to the derived one. NaN is let through here, as by the official checker; the strict list
// stops it.
func (c *checker) stored(id, name, how string, p *point, derived float64) {
	f, at := p.sum.Get(name), p.Summary.Path
	if f.IsNull() {
		c.pass(id, at, "%s is not stored; derived it is %.4f", name, derived)
		return
	}
	value, ok := f.Number()
	if !ok {
		c.fail(id, "no-number", at, "Write a number; the official checker crashes on this.", "%s is %s", name, f)
		return
	}
	const least = 1e-9 // of the derived value, so that 0 can be compared with
	if math.Abs(value-derived)/math.Max(math.Abs(derived), least) > tolerance {
		c.fail(id, "differ", at, fmt.Sprintf("Write %.6g, or leave it out.", derived), "%s is %.6g, but %s is %.6g", name, value, how, derived)
		return
	}
	c.pass(id, at, "%s is %.6g", name, value)
}

// throughput is a point's derived tokens per second, for comparisons between points. It takes only numbers that are written as such,
// and does not mind what else is wrong with the summary.
func throughput(p *point) (float64, bool) {
	tokens, ok := p.Summary.Doc.At("output_sequence_lengths", "total").Plain()
	ns, ok2 := p.Summary.Doc.Get("duration_ns").Plain()
	return tokens / (ns / 1e9), ok && ok2 && !(ns <= 0)
}

// utilization holds each point's tps_utilization to its share of the highest throughput among the points that declare one, as the
// official checker does.
func (c *checker) utilization(v *curve) {
	type share struct {
		p             *point
		declared, tps float64
	}
	var all []share
	highest := 0.0
	for _, p := range v.points {
		declared, ok := p.desc.Get("tps_utilization").Plain()
		tps, ok2 := throughput(p)
		if !ok || !ok2 {
			continue
		}
		all = append(all, share{p, declared, tps})
		if tps > highest {
			highest = tps
		}
	}
	const slack = 0.1
	for _, s := range all {
		if highest == 0 {
			return
		}
		at, want := s.p.System.Path, s.tps/highest
		if math.Abs(s.declared-want) <= slack {
			c.pass("tps-utilization", at, "tps_utilization %g is near %.4f", s.declared, want)
			continue
		}
		c.fail("tps-utilization", "differ", at, fmt.Sprintf("Write %.4f, or leave it out.", want),
			"%s: tps_utilization is %g, but the point's throughput over the highest of the curve is %.4f", s.p.Dir, s.declared, want)
	}
}
