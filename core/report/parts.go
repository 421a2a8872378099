package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/stats"
	"paceline/core/verdict"
)

// shownFindings is how many findings of one validator a report repeats.
const shownFindings = 20

// empty reports whether a JSON object says nothing.
func empty(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}":
		return true
	}
	return false
}

func object(raw json.RawMessage) json.RawMessage {
	if empty(raw) {
		return json.RawMessage("{}")
	}
	return raw
}

func duration(d time.Duration) stats.Num {
	if d == 0 {
		return stats.None()
	}
	return stats.Ratio(int64(d), int64(time.Millisecond))
}

func what(in Input, s *settings) What {
	c := in.Config
	w := What{
		Runner: c.Build, Environment: c.Environment, Endpoint: c.Endpoint, Model: s.Target.Model,
		Stream: s.Target.Stream, UsageAsked: s.asksUsage(), Proxy: c.Proxy,
		TLS: strings.HasPrefix(strings.ToLower(c.Endpoint), "https:"), TLSVerify: c.TLSVerify,
		Accelerators: s.Target.Accelerators,
		Plugins:      c.Plugins, Inputs: c.Inputs, Lock: c.Lock, Salt: c.Salt, Seed: c.Seed, Seeds: c.Seeds,
		History: s.History, Thinking: s.Thinking, ToolResults: s.Results, MaxTokens: s.MaxTokens,
		Params: object(s.Params), Override: object(s.Override),
		Load: loadOf(s),
	}
	w.Engine = engineOf(c.Engine)
	w.targets(c)
	w.workloads(in, s)
	if w.Plugins == nil {
		w.Plugins = []journal.Plugin{}
	}
	if w.Inputs == nil {
		w.Inputs = []journal.Input{}
	}
	if len(in.Run.Heads) > 0 {
		w.RunConfig = &in.Run.Heads[0].RunConfig
	}
	return w
}

// plannedAgain is what the judgement of a workload says; nil where there is none.
func plannedAgain(list []verdict.Judgement, workload string, several bool) *Again {
	for i := range list {
		j := &list[i]
		if !judgementOf(j, workload, several) {
			continue
		}
		a := &Again{Error: j.Error}
		if j.Verdict == nil {
			return a
		}
		for _, v := range j.Verdict.Values {
			switch n := uint64(max(v.Micro, 0)) / 1_000_000; v.Name {
			case verdict.PlannedAgain:
				a.Planned = n
			case verdict.PlannedFirst:
				a.Of = n
			case verdict.SteppedAgain:
				a.Stepped = n
			case verdict.SteppedFirst:
				a.StepsOf = n
			}
		}
		return a
	}
	return nil
}

// distinct is the number of different trajectories, by content.
func distinct(plans []journal.Plan) int {
	seen := make(map[digest.SHA256]bool, len(plans))
	for _, p := range plans {
		if p.Skipped == nil {
			seen[p.Content] = true
		}
	}
	return len(seen)
}

func journalState(run *journal.Run) Journal {
	j := Journal{
		Segments: len(run.Heads), Incomplete: run.Incomplete || run.Foot == nil, Torn: run.Torn,
		Unknown: run.Unknown, Recovered: run.Recovered, Damage: run.Damage,
	}
	if j.Damage == nil {
		j.Damage = []journal.Damage{}
	}
	if run.Foot != nil {
		j.Lost = run.Foot.Lost
		j.PrepareMS = stats.Ratio(run.Foot.PlanNanos, int64(time.Millisecond))
	}
	return j
}

// judged adds one judgement where it belongs.
func (r *Result) judged(j *verdict.Judgement) {
	who := Judge{Name: j.Name, Version: j.Version, Digest: j.Digest, Config: j.Config, Errors: j.PluginErrors, Error: j.Error}
	switch j.Kind {
	case "scorer":
		r.Scores = append(r.Scores, score(who, j))
	case "validator":
		r.Verdicts = append(r.Verdicts, conclusion(who, j))
	case verdict.KindWorkload: // told with the workload
	default:
		r.Counters = append(r.Counters, Counter{Judge: who, Remarks: remarks(j.Counts)})
	}
}

func score(who Judge, j *verdict.Judgement) Score {
	s := Score{Judge: who, Parts: []Value{}}
	if j.Score == nil {
		return s
	}
	c := j.Score
	whole := len(j.PluginErrors) == 0 && j.Error == ""
	s.Complete, s.Passed = c.Complete && whole, c.Passed && whole
	s.HigherIsBetter, s.Scored, s.Missing, s.Excluded = c.HigherIsBetter, c.Scored, c.Missing, c.Excluded
	if c.Score != nil {
		s.Value, s.Unit = micro(c.Score.Micro), c.Score.Unit
	}
	if c.ThresholdMicro != nil {
		s.Threshold = micro(*c.ThresholdMicro)
	}
	s.Parts = values(c.Parts)
	return s
}

func conclusion(who Judge, j *verdict.Judgement) Verdict {
	v := Verdict{Judge: who, Values: []Value{}, First: []verdict.Finding{}}
	all := append(append([]verdict.Finding{}, j.Preflight...), j.Findings...)
	if j.Verdict != nil {
		v.Passed, v.Reason, v.Values = j.Verdict.Passed, j.Verdict.Reason, values(j.Verdict.Values)
		all = append(all, j.Verdict.Findings...)
	}
	switch {
	case j.Error != "":
		v.Passed, v.Reason = false, "the validator failed: "+j.Error
	case len(j.PluginErrors) > 0:
		v.Passed, v.Reason = false, "the validator failed on some units, so its verdict is incomplete"
	case j.Verdict == nil:
		v.Reason = "there is no conclusion"
	}
	v.Findings.Dropped = j.Dropped
	for _, f := range all {
		switch f.Severity {
		case verdict.Error:
			v.Findings.Error++
		case verdict.Warning:
			v.Findings.Warning++
		default:
			v.Findings.Info++
		}
		if len(v.First) < shownFindings {
			v.First = append(v.First, f)
		}
	}
	return v
}

func micro(n int64) stats.Num { return stats.Ratio(n, 1_000_000) }

func values(list []verdict.Value) []Value {
	out := make([]Value, 0, len(list))
	for _, v := range list {
		out = append(out, Value{Name: v.Name, Value: micro(v.Micro), Unit: v.Unit})
	}
	return out
}
