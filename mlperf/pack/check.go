package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/mlperf/export"
	"paceline/mlperf/rules"
)

// again is the fix of most things.
const again = "play the point again"

// label names a point in messages.
func label(r *export.Run) string { return fmt.Sprintf("r%d (%s)", r.Concurrency(), r.Dir) }

// checkRun says everything for which a run may not be packed. A rehearsal may be of stand-in data, on a simulated clock, and
// unofficial in what the run itself says of it; nothing else is let through.
func checkRun(r *export.Run, f FoundRun, o *Options, out *reasons) {
	at := label(r)
	checkWhole(r, at, out)
	if f.Carried != "" {
		out.add(at, "empty the cache before the point and play it again", "its cache was carried over from the point before: %s", f.Carried)
	}
	for _, why := range r.Config.Lock.Unofficial {
		out.add(at, "pin the plugin with `runner plugin lock` and play the point again", "%s", why)
	}
	if m, err := modelOf(r, o); err != nil {
		out.add(at, "play a preset: runner run mlperf/agentic/MODEL; a rehearsal may name it with --model", "%v", err)
	} else if m.Status != rules.Submittable {
		out.add(at, "no package of this model is taken", "model %s is %s: %s", m.Name, m.Status, m.Reason)
	}
	checkCounts(r, at, out)
	checkScores(r, at, out)
	checkTarget(r, at, out)
	if o.Rehearsal {
		return
	}
	for _, why := range unofficial(r) {
		out.add(at, "play the point again without that, or pack a rehearsal with --rehearsal", "%s", why)
	}
	if r.Tracked.Trajectories == 0 || r.Tracked.Trajectories%rules.Trajectories != 0 {
		out.add(at, "play whole passes over the official data set", "it played %d trajectories; want a positive multiple of %d", r.Tracked.Trajectories, rules.Trajectories)
	}
	checkSettings(r, at, out)
	checkIdentity(r, at, out)
}

// modelOf is the model of a run; a rehearsal may name it for runs that are of no preset.
func modelOf(r *export.Run, o *Options) (rules.Model, error) {
	m, err := r.Model()
	if err != nil && o.Rehearsal && o.Model != "" {
		return rules.FindModel(o.Model)
	}
	return m, err
}

// unofficial is what the run says of itself, and that its data are not the official ones.
func unofficial(r *export.Run) []string {
	return slices.DeleteFunc(r.Rehearsed(), func(why string) bool { return slices.Contains(r.Config.Lock.Unofficial, why) })
}

// checkWhole asks for one run in one go whose records are all there, by a client that did not disturb it.
func checkWhole(r *export.Run, at string, out *reasons) {
	run := r.Journal
	if len(run.Heads) > 1 {
		out.add(at, again+" in one go", "it was resumed: its journal has %d segments", len(run.Heads))
	}
	switch {
	case run.Foot == nil || run.Incomplete:
		out.add(at, again, "it was not played to its end: its journal is not closed")
	case run.Foot.Lost > 0:
		out.add(at, again, "its journal lost %d records", run.Foot.Lost)
	case r.Report.Status != report.Complete:
		out.add(at, again, "it was not played to its end: %s, %s", r.Report.Status, r.Report.Reason)
	}
	if run.Recovered > 0 && run.Foot != nil {
		out.add(at, again, "%d turns have no record in its journal", run.Recovered)
	}
	for i := range run.Damage {
		out.add(at, "take an undamaged copy", "its journal is damaged: %v", &run.Damage[i])
	}
	if h := &r.Report.Metrics.Honesty; h.State == metrics.Invalid {
		out.add(at, again+" with a client that keeps up", "its client is invalid: %s", joined(h.Reasons))
	}
}

func joined(list []string) string {
	if len(list) == 0 {
		return "no reason told"
	}
	return list[0]
}

// checkCounts asks that a counter counted every answer: usage is never taken in its place.
func checkCounts(r *export.Run, at string, out *reasons) {
	const fix = "add a counter (docs/cli.md, Token counts): runner judge DIR --count COMPONENT --plugin NAME=SOURCE --input COMPONENT:NAME=FILE"
	t := r.Tracked
	switch c := r.Counter(); {
	case c == nil:
		out.add(at, fix, "no counter counted its tokens, and a package takes no others")
	case t.Usage+t.Uncounted > 0:
		out.add(at, fix, "%s did not count %d of %d answers (%d of them have only the target's usage)", c.Name, t.Usage+t.Uncounted, t.FullRunOK, t.Usage)
	case c.Error != "" || len(c.PluginErrors) > 0:
		out.add(at, fix, "%s failed: %s", c.Name, c.Error)
	}
}

// checkScores asks for inline accuracy, whole.
func checkScores(r *export.Run, at string, out *reasons) {
	const fix = "judge it again: runner judge DIR"
	switch j := r.Inline(); {
	case j == nil || j.Score == nil || j.Score.Score == nil:
		out.add(at, fix+" --score std/mlperf/inline", "it has no inline accuracy, which every point needs")
	case !j.Score.Complete || j.Error != "":
		out.add(at, fix, "its inline accuracy is not complete %s", j.Error)
	}
	if j := r.SWEBench(); j != nil && (j.Score == nil || j.Score.Score == nil || !j.Score.Complete || j.Error != "") {
		out.add(at, fix+" --target URL goes on with it", "its SWE-bench score by %s is not complete %s", j.Name, j.Error)
	}
}

// checkSettings holds the run's own settings to the rules.
func checkSettings(r *export.Run, at string, out *reasons) {
	s := &r.Settings
	want := func(ok bool, format string, args ...any) {
		if !ok {
			out.add(at, "play the preset as it is", format, args...)
		}
	}
	want(r.Config.Salt.Scheme == "mlperf", "salt is %q; the rules want mlperf", r.Config.Salt.Scheme)
	want(s.Load.Delays && s.Load.MaxDelay == 0, "tool delays were left out or cut; the rules want them as recorded")
	want(s.Load.Order == "file", "load.order is %q; the rules want file", s.Load.Order)
	want(s.History == "recorded", "history is %q; the rules want recorded", s.History)
	want(!s.Load.FirstIdle, "load.stop_on_first_idle is on; the rules want every turn played")
	want(s.Target.Stream, "target.stream is off; the rules want streams")
	want(s.Window.Kind == metrics.FirstIdle, "window.kind is %q; the rules want %s", s.Window.Kind, metrics.FirstIdle)
	m, err := r.Model()
	if err != nil || m.MaxNewTokens == nil {
		return
	}
	want(s.MaxTokens == *m.MaxNewTokens, "max_tokens is %d; the rules want %d", s.MaxTokens, *m.MaxNewTokens)
	want(equalJSON(s.Params, m.Params), "params are %s; the rules want %s", oneLine(s.Params), oneLine(m.Params))
}

// oneLine is a JSON text without its white space.
func oneLine(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil || b.Len() == 0 {
		return "none"
	}
	return b.String()
}

// equalJSON compares values, not texts.
func equalJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// checkAlike asks that all runs are of one curve.
func checkAlike(runs []*export.Run, out *reasons) {
	for i, r := range runs {
		for _, other := range runs[:i] {
			if r.Concurrency() == other.Concurrency() {
				out.add(label(r), "pack one of them", "%s has the same concurrency", label(other))
			}
		}
		if i == 0 {
			continue
		}
		first := runs[0]
		for _, c := range []struct{ what, a, b string }{
			{"model", presetOf(r), presetOf(first)}, {"data set", datasetOf(r), datasetOf(first)},
			{"served model", r.Settings.Target.Model, first.Settings.Target.Model}, {"seed", r.Config.Seed, first.Config.Seed},
			{"counter", counterOf(r), counterOf(first)},
		} {
			if c.a != c.b {
				out.add(label(r), "pack runs of one curve", "its %s is %s, that of %s is %s", c.what, c.a, label(first), c.b)
			}
		}
	}
}

func presetOf(r *export.Run) string {
	if r.Config.Preset == nil {
		return "not known"
	}
	return r.Config.Preset.Name
}

func datasetOf(r *export.Run) string {
	if in := r.Dataset(); in != nil {
		return in.SHA256.String()
	}
	return "none"
}

func counterOf(r *export.Run) string {
	c := r.Counter()
	if c == nil {
		return "none"
	}
	return c.Name + " " + c.Digest.String()
}
