package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/report"
	"paceline/core/verdict"
	"paceline/mlperf/describe"
	"paceline/mlperf/export"
	"paceline/mlperf/plan"
	"paceline/mlperf/rules"
)

// checkTarget holds a run's target to what the rules ask of it: there is one, it drafts as it is declared to, and what was
// evaluated is what was measured.
func checkTarget(r *export.Run, at string, out *reasons) {
	if n := len(r.Config.Targets); n > 0 {
		out.add(at, "play the point against one --target", "it was played against %d targets; the rules measure one system behind one endpoint", n)
	}
	if s := r.Report.Speculation; s != nil && s.Held == report.SpeculationFailed {
		out.add(at, "declare what the target does (--speculation, --drafter, --drafter-checksum) and play the point again", "%s", s.Reason)
	}
	checkEvaluated(r, at, out)
}

// checkIdentity asks that the target was shown to stay the same, and to keep thinking where the rules' parameters ask for that.
func checkIdentity(r *export.Run, at string, out *reasons) {
	const fix = "play the preset as it is"
	if r.Settings.Thinking != "keep" {
		out.add(at, fix, "thinking is %q; the rules want keep", r.Settings.Thinking)
	}
	i := slices.IndexFunc(r.Judgements, func(j verdict.Judgement) bool { return j.Name == plan.IdentityCheck && j.Verdict != nil })
	if i < 0 {
		out.add(at, fix, "%s did not judge it: nothing shows that its target stayed the same", plan.IdentityCheck)
		return
	}
	j := &r.Judgements[i]
	if !j.Verdict.Passed || j.Error != "" {
		out.add(at, again, "%s did not pass: %s %s", plan.IdentityCheck, j.Verdict.Reason, j.Error)
	}
	m, err := r.Model()
	var config struct {
		Thinking bool `json:"preserve_thinking"`
	}
	if err == nil && m.PreservesThinking() && (json.Unmarshal(j.Config, &config) != nil || !config.Thinking) {
		out.add(at, fix, "%s did not look at thinking; the rules want preserve_thinking", plan.IdentityCheck)
	}
}

// checkEvaluated asks that the evaluation whose score is taken asked the target that was measured: at the same address, and
// with the same version, model and switches, as far as the target told them both times.
func checkEvaluated(r *export.Run, at string, out *reasons) {
	j := r.SWEBench()
	if j == nil {
		return
	}
	all, err := journal.Evaluations(r.Dir)
	if err != nil {
		out.add(at, "take an undamaged copy", "%v", err)
		return
	}
	measured := export.Identity(r.Facts(), r.Settings.Target.Model)
	for _, e := range chain(all, j.Name) {
		if e.Head.Endpoint != "" && e.Head.Endpoint != r.Config.Endpoint {
			out.add(at, "evaluate the target that was measured: runner judge DIR --target URL --evaluate-anew", "%s asked %s, and the run measured %s", j.Name, e.Head.Endpoint, r.Config.Endpoint)
		}
		for _, d := range export.Differences(measured, export.Identity(e.Facts, r.Settings.Target.Model)) {
			out.add(at, "evaluate the target as it was measured: runner judge DIR --target URL --evaluate-anew", "when %s asked the target, %s", j.Name, d)
		}
	}
}

// chain are the last evaluation of a component and those that it goes on from.
func chain(all []journal.Evaluated, component string) []journal.Evaluated {
	var list []journal.Evaluated
	next := 0
	for _, e := range slices.Backward(all) {
		if e.Head.Component == component && (len(list) == 0 || e.Head.Number == next) {
			list = append(list, e)
			if next = e.Head.Resumes; next == 0 {
				break
			}
		}
	}
	return list
}

// checkOneTarget asks that all points measured one configuration: engine, sampling and speculative decoding.
func checkOneTarget(runs []*export.Run, out *reasons) {
	for i, r := range runs {
		if i == 0 {
			continue
		}
		first := runs[0]
		for _, c := range []struct{ what, a, b string }{
			{"speculative decoding", r.Settings.Target.Speculation.String(), first.Settings.Target.Speculation.String()},
			{"sampling", sampling(r), sampling(first)}, {"engine's version", version(r), version(first)},
		} {
			if c.a != c.b && c.a != notTold && c.b != notTold {
				out.add(label(r), "play all points with one configuration", "its %s is %s, that of %s is %s", c.what, c.a, label(first), c.b)
			}
		}
	}
}

// sampling is what the requests of a run were made with.
func sampling(r *export.Run) string {
	s := &r.Settings
	text := fmt.Sprintf("%s and at most %d tokens", sorted(s.Params), s.MaxTokens)
	if over := sorted(s.Override); over != "{}" {
		text += ", overridden by " + over
	}
	return text
}

// sorted is a JSON object in one form.
func sorted(raw json.RawMessage) string {
	v := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if len(raw) > 0 && d.Decode(&v) != nil {
		return oneLine(raw)
	}
	text, err := json.Marshal(v)
	if err != nil || v == nil {
		return "{}"
	}
	return string(text)
}

// version is what the target told of its engine.
func version(r *export.Run) string {
	for _, x := range export.Identity(r.Facts(), r.Settings.Target.Model) {
		if x.Name == export.EngineVersion {
			return strings.Trim(x.Value, `"`)
		}
	}
	return notTold
}

// notTold is the version of an engine that tells none.
const notTold = "not told"

// checkDrafter holds the declarations of the runs and of the system's description to each other and to the approved list.
func checkDrafter(runs []*export.Run, d *describe.Description, o *Options, cohort rules.Cohort, out *reasons) {
	drafters, err := rules.Drafters(nil)
	if err != nil {
		out.add("", "", "%v", err)
		return
	}
	target := &cohort
	if cohort == (rules.Cohort{}) {
		target = nil // that it is not known was told
	}
	for _, r := range runs {
		s := r.Settings.Target.Speculation
		switch {
		case s.Declared() && d.Drafter != nil && !same(r.Drafter(d), d.Drafter):
			out.add(label(r), "take speculative_decoding out of the description: the runs declare it", "it declares speculative decoding as %s, and the description of the system otherwise", &s)
		case !s.Declared() && d.Drafter != nil:
			s = declaredBy(d.Drafter)
		}
		m, err := modelOf(r, o)
		if err != nil {
			continue // told already
		}
		if err := rules.Approve(drafters, m.Name, &s, target); err != nil {
			out.add(label(r), "serve an approved drafter, or none, and play the point again", "%v", err)
		}
	}
}

// declaredBy is what a description of the system declares.
func declaredBy(d *describe.Drafter) engine.Speculation {
	s := engine.Speculation{Method: d.Algorithm, Drafter: d.ModelID, WeightChecksum: d.WeightChecksum, TargetChecksum: d.TargetChecksum}
	if s.Method == "" {
		s.Method = "speculation"
	}
	if text, err := json.Marshal(d.Configuration); err == nil && len(d.Configuration) > 0 {
		s.Configuration = text
	}
	return s
}

// same compares what two heads are; how their method is called may differ.
func same(a, b *describe.Drafter) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, errX := json.Marshal(a.Configuration)
	y, errY := json.Marshal(b.Configuration)
	return a.ModelID == b.ModelID && a.WeightChecksum == b.WeightChecksum && a.TargetChecksum == b.TargetChecksum && errX == nil && errY == nil && bytes.Equal(x, y)
}
