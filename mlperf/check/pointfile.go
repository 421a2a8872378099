package check

import (
	"path"
	"slices"
	"strings"

	"paceline/mlperf/check/tree"
	"paceline/mlperf/lax"
	"paceline/mlperf/power"
	"paceline/mlperf/rules"
)

const agenticPattern = "agentic_inference"

func req(name string, s lax.Shape) lax.Named { return lax.Named{Name: name, Shape: s} }

func opt(name string, s lax.Shape) lax.Named {
	return lax.Named{Name: name, Shape: s, Need: lax.Optional}
}

func null(name string, s lax.Shape) lax.Named {
	return lax.Named{Name: name, Shape: s, Need: lax.Nullable}
}

// pointShape is what point.yaml must look like, so that it can be used at all.
func pointShape() lax.Shape {
	text, whole, number, truth := lax.Words(), lax.WholeNumber(), lax.RealNumber(), lax.TruthValue()
	count := whole.From(0)
	seeds := lax.Object(null("scheduler_rng_seed", whole), null("sample_index_rng_seed", whole), null("model_seed", whole),
		null("scheduler_random_seed", whole), null("dataloader_random_seed", whole))
	settings := lax.Object(opt("load_pattern", text), opt("min_duration_ms", whole), null("min_sample_count", whole), opt("stream_all_chunks", truth),
		req("runtime", seeds), null("warmup", lax.Object(null("salt", truth))))
	warmup := lax.Object(req("duration_s", number.From(0).UpTo(rules.MaxWarmup)), req("requests_issued", count), req("requests_completed", count),
		req("data_source", text.NotEmpty()), req("concurrency", count), opt("initialization_steps", lax.ListOf(text)), null("logs_retained", truth), null("link_logs", text)).
		That("a map whose requests_completed are at most its requests_issued", warmupAccounts).
		That("a map whose concurrency is positive where there was a warm-up", warmupConcurrency)
	window := lax.Object(null("super_pass_start", whole), null("super_pass_end", whole), null("super_pass_size", whole), null("n_samples", whole), null("duration_s", number))
	steady := lax.Object(null("status", text), null("verdict", text), opt("window", window), opt("state", lax.Each(text)))
	used := lax.ListOf(lax.Object(req("system_node_ensemble_id", whole), req("nodes", whole))).AtMost(power.MaxNodeSets)
	shortfall := lax.Object(req("dp_actual", whole), req("dp_formula", whole), req("reason", text.NotEmpty()))
	fields := []lax.Named{req("concurrency", whole), null("region", text), opt("dataset", text), null("max_supported_concurrency", whole),
		null("link_to_model_transformation", text), null("model_notes", text), null("offline", text), req("runtime_settings", settings),
		null("warmup", warmup), null("steady_state", steady), null("speculative_decoding", lax.Object()), null("nodes_used", used), null("dp_shortfall", shortfall)}
	for _, name := range disclosure {
		if name != "max_supported_concurrency" {
			fields = append(fields, null(name, text))
		}
	}
	return lax.Object(fields...)
}

// disclosure are the fields that every point.yaml must fill in.
var disclosure = []string{"division", "max_supported_concurrency", "model_name", "model_precision", "link_to_model", "dataset_name", "dataset_type",
	"dataset_link", "seed_set", "target_cohort", "shared_src", "shared_docs"}

func warmupAccounts(v *lax.Value) bool {
	issued, ok := v.Get("requests_issued").Number()
	completed, ok2 := v.Get("requests_completed").Number()
	return !ok || !ok2 || completed <= issued
}

func warmupConcurrency(v *lax.Value) bool {
	n, ok := v.Get("concurrency").Number()
	return !ok || n > 0 || !warmedUp(v)
}

// warmedUp says whether anything was done.
func warmedUp(v *lax.Value) bool {
	for _, name := range []string{"duration_s", "requests_issued"} {
		if n, _ := v.Get(name).Number(); n > 0 {
			return true
		}
	}
	return false
}

// files looks at the files of a point, and fills in what the later rules read.
func (c *checker) files(p *point) {
	c.pointFile(p)
	c.configFile(p)
	c.summaryFile(p)
	if !p.System.Here {
		c.missing("system-description-present", p.System, "Copy the curve's system_desc.json here.")
	}
	c.accuracyFile(p)
	if p.cfg != nil {
		c.disclosed(p)
	}
}

func (c *checker) missing(id string, f tree.File, fix string) {
	c.fail(id, "missing", f.Path, fix, "%s is missing in %s/", path.Base(f.Path), path.Dir(f.Path))
}

func (c *checker) pointFile(p *point) {
	f := p.Point.Point
	if n, ok := f.Doc.Get("concurrency").Small(); ok {
		p.concurrency = n
	}
	switch {
	case !f.Here:
		c.missing("measurement-points-present", f, "Write the point's disclosure; JSON inside is the safe way.")
		return
	case f.Err != nil:
		c.unreadable("point-config-valid", f)
		return
	}
	faults := pointShape().Faults(f.Doc)
	c.faults("point-config-valid", f, faults)
	if len(faults) == 0 {
		p.cfg = f.Doc
	}
}

func (c *checker) configFile(p *point) {
	f := p.Config
	switch {
	case !f.Here || f.Dir:
		c.missing("config-file-present", f, "Add the configuration that the benchmark ran with.")
	case f.Err != nil:
		c.unreadable("config-file-present", f)
	case f.Doc.Kind != lax.Map:
		c.fail("config-file-present", "no-map", f.Path, "Add the configuration that the benchmark ran with.", "config.yaml holds %s, want a map", f.Doc)
	}
}

func (c *checker) summaryFile(p *point) {
	f := p.Summary
	switch {
	case !f.Here:
		c.missing("result-summary-present", f, "Add the summary of the run.")
		return
	case f.Err != nil:
		c.unreadable("result-file-valid", f)
		return
	}
	faults := summaryShape().Faults(f.Doc)
	if len(faults) == 0 {
		faults = percentileFaults(f.Doc)
	}
	c.faults("result-file-valid", f, faults)
	if len(faults) == 0 {
		p.sum = f.Doc
	}
}

// disclosed applies the rules that read point.yaml alone.
func (c *checker) disclosed(p *point) {
	at := p.Point.Point.Path
	var absent []string
	for _, name := range disclosure {
		if f := p.cfg.Get(name); f.IsNull() || f.Kind == lax.Text && f.Text == "" {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		c.fail("point-disclosure-complete", "missing", at, "Fill them in.", "point.yaml leaves out %s", strings.Join(absent, ", "))
	} else {
		c.pass("point-disclosure-complete", at, "all twelve disclosure fields are there")
	}
	if p.N != p.concurrency {
		c.warn("point-dirname-concurrency", "differ", at, "Rename the folder or correct concurrency.", "%s/ holds the point of concurrency %d", p.Dir, p.concurrency)
	}
	c.words(p, at)
	c.loadPattern(p, at)
	c.cohort(p, at)
	c.warmup(p, at)
	c.steady(p, at)
}

func (c *checker) words(p *point, at string) {
	for _, w := range []struct {
		rule, field string
		known       []string
	}{
		{"region-declared", "region", []string{string(rules.LowLatency), string(rules.Low), string(rules.Medium), string(rules.High), string(rules.Margin), string(rules.Choice)}},
		{"offline-declared", "offline", []string{"dedicated", "elected", "none"}},
	} {
		f := p.cfg.Get(w.field)
		switch {
		case f.IsNull():
		case slices.Contains(w.known, f.Text):
			c.pass(w.rule, at, "%s is %s", w.field, f.Text)
		default:
			c.fail(w.rule, "unknown", at, "Write one of "+strings.Join(w.known, ", ")+".", "%s is %q", w.field, f.Text)
		}
	}
}

// pattern is the load pattern; where none is given it is the plain one.
func pattern(p *point) string {
	if f := p.cfg.At("runtime_settings", "load_pattern"); f != nil {
		return f.Text
	}
	return "concurrency"
}

func (c *checker) loadPattern(p *point, at string) {
	c.pass("streaming-config", at, "stream_all_chunks is %s; it says how the client hands chunks on, nothing about the server", p.cfg.At("runtime_settings", "stream_all_chunks"))
	if s := pattern(p); s != agenticPattern && s != "concurrency" {
		c.fail("load-pattern", "unknown", at, "Write "+agenticPattern+".", "runtime_settings.load_pattern is %q, which holds no fixed concurrency", s)
		return
	}
	if p.concurrency <= 0 {
		c.fail("load-pattern", "concurrency", at, "Write the concurrency of the run.", "concurrency is %d; it must be positive", p.concurrency)
		return
	}
	c.pass("load-pattern", at, "load pattern %s at concurrency %d", pattern(p), p.concurrency)
}

func (c *checker) warmup(p *point, at string) {
	w := p.cfg.Get("warmup")
	if salt, _ := p.cfg.At("runtime_settings", "warmup", "salt").Truth(); salt {
		c.warn("warmup-salt", "on", at, "Leave the salt to the measured run.", "runtime_settings.warmup.salt is on")
	}
	if w.IsNull() {
		c.fail("warmup-present", "missing", at, "Declare it; where there was none, with zeros and a word in data_source.", "point.yaml leaves out warmup")
		return
	}
	c.pass("warmup-present", at, "the warm-up is declared")
	switch kept, told := w.Get("logs_retained").Truth(); {
	case !warmedUp(w):
		c.pass("warmup-logs-retained", at, "there was no warm-up")
	case kept:
		c.pass("warmup-logs-retained", at, "logs of the warm-up are kept")
	case told:
		c.warn("warmup-logs-retained", "dropped", at, "Keep them; reviewers may ask.", "warmup.logs_retained is false")
	default:
		c.warn("warmup-logs-retained", "silent", at, "Say logs_retained: true and keep them.", "warmup does not say whether its logs are kept")
	}
}
