package check

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"paceline/mlperf/check/tree"
	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// numbers looks for what is no number where one belongs.
func (c *checker) numbers(p *point) {
	metrics := lax.Object()
	for _, name := range []string{"system_tps", "tps_per_user", "e2e_avg_interactivity", "system_tps_per_kw", "qps", "tps"} {
		metrics = metrics.With(null(name, lax.Custom("a number", plainNumber)))
	}
	scores := lax.Object(opt("accuracy_scores", lax.ListOf(lax.Object(opt("score", lax.Custom("a number or a map", scoreLike))))))
	found := c.numbersOf(p.Point.Point, pointShape(), lax.Any())
	found = c.numbersOf(p.Summary, summaryShape(), metrics) || found
	found = c.numbersOf(p.System, systemShape(), lax.Any()) || found
	found = c.numbersOf(p.Accuracy, lax.Any(), scores) || found
	if !found {
		c.pass("strict-numbers", p.Path, "%s: numbers are numbers", p.Dir)
	}
}

func plainNumber(v *lax.Value) bool { _, ok := v.Plain(); return ok }

func scoreLike(v *lax.Value) bool {
	return v.Kind == lax.Int || v.Kind == lax.Float || v.Kind == lax.Map || v.Kind == lax.Null
}

// numbersOf looks at one file: for NaN and infinities anywhere, for fields of a shape that are taken though they are written as
// something else, and for metrics that the official rules read as they stand. Seeds may be text: some readers cannot hold them otherwise.
func (c *checker) numbersOf(f tree.File, shape, metrics lax.Shape) (found bool) {
	if f.Doc == nil {
		return false
	}
	tell := func(field, is, want string) {
		found = true
		c.fail("strict-numbers", "no-number", f.Path, "Write the number itself, or leave the field out.", "field %s is %s; want %s", field, is, want)
	}
	f.Doc.Walk(func(at string, v *lax.Value) {
		if v.Kind == lax.Float && (math.IsNaN(v.Float) || math.IsInf(v.Float, 0)) {
			tell(at, v.String(), "a finite number")
		}
	})
	for _, b := range slices.Concat(shape.Bent(f.Doc), metrics.Faults(f.Doc)) {
		if !strings.HasSuffix(b.Field, "_seed") {
			tell(b.Field, b.Found, b.Want)
		}
	}
	return found
}

// accuracySettings compares what the point says about its accuracy runs.
func (c *checker) accuracySettings(v *curve, p *point) {
	template := lax.Value{Kind: lax.Text, Text: v.target.SWETemplate}
	ok := true
	for _, f := range []struct {
		path string
		want any
	}{{"inline.eval_method", "agentic_inference_inline"}, {"swe_bench.eval_method", "swe_bench_scorer"}, {"swe_bench.num_repeats", 1},
		{"swe_bench.evaluated_instance_count", rules.SWEInstances}, {"swe_bench.extras.num_instances", rules.SWEInstances}} {
		ok = c.setting(p, f.path, f.want) && ok
	}
	got := p.cfg.At("accuracy", "swe_bench", "extras", "swebench_template")
	if template.Text == "" && !got.IsNull() || template.Text != "" && !lax.Equal(got, &template) {
		ok = false
		c.fail("strict-accuracy-settings", "template", p.Point.Point.Path, "Run SWE-bench with the model's template.",
			"accuracy.swe_bench.extras.swebench_template is %s; want %s", got, orAbsent(template.Text))
	}
	if ok {
		c.pass("strict-accuracy-settings", p.Point.Point.Path, "the accuracy runs are declared as they must be")
	}
}

func orAbsent(s string) string {
	if s == "" {
		return "no such field"
	}
	return s
}

func (c *checker) setting(p *point, name string, want any) bool {
	got := p.cfg.At(append([]string{"accuracy"}, strings.Split(name, ".")...)...)
	text, isText := want.(string)
	n, whole := got.Small()
	if isText && got.Words() == text || !isText && whole && n == want {
		return true
	}
	c.fail("strict-accuracy-settings", "value", p.Point.Point.Path, "Run and declare it so.", "accuracy.%s is %s; want %v", name, got, want)
	return false
}

func (c *checker) checkpoint(v *curve, p *point) {
	at, all := p.Point.Point.Path, p.cfg.Get("checkpoint")
	repository, revision := all.Get("repository").Words(), all.Get("revision").Words()
	if repository != v.target.Repository {
		c.fail("strict-checkpoint", "repository", at, "Use the model's own checkpoint, or a published quantization of it.", "checkpoint.repository is %q; want %s", repository, v.target.Repository)
		return
	}
	if !fullSHA(revision) {
		c.fail("strict-checkpoint", "revision", at, "Write the revision's 40 hexadecimal digits.", "checkpoint.revision is %q; want a full revision", revision)
		return
	}
	c.pass("strict-checkpoint", at, "checkpoint %s at %s", repository, revision)
}

// sampling compares model_params of config.yaml with the parameters of the rules, where both are known.
func (c *checker) sampling(v *curve, p *point) {
	have := p.Config.Doc.Get("model_params")
	if have.IsNull() || have.Kind != lax.Map || v.target.Status == rules.Unpublished {
		return
	}
	want, err := lax.JSON(v.target.Params)
	if err != nil || want.Kind != lax.Map {
		return
	}
	var wrong []string
	for _, f := range have.Fields {
		switch w := want.Get(f.Key); {
		case f.Key == "name" || f.Key == "streaming":
		case f.Key == "max_new_tokens":
			if n, ok := f.Value.Small(); v.target.MaxNewTokens != nil && (!ok || n != int(*v.target.MaxNewTokens)) {
				wrong = append(wrong, f.Key)
			}
		case w == nil || !lax.Equal(w, f.Value):
			wrong = append(wrong, f.Key)
		}
	}
	for _, f := range want.Fields {
		if have.Get(f.Key) == nil {
			wrong = append(wrong, f.Key)
		}
	}
	if len(wrong) == 0 {
		c.pass("strict-sampling", p.Config.Path, "the sampling parameters are the model's")
		return
	}
	slices.Sort(wrong)
	var compact bytes.Buffer
	_ = json.Compact(&compact, v.target.Params)
	c.fail("strict-sampling", "differ", p.Config.Path, "Run with exactly these parameters.", "model_params differ in %s; want %s, max_new_tokens %s and nothing else",
		strings.Join(wrong, ", "), compact.String(), optional(v.target.MaxNewTokens))
}

func optional(n *uint32) string {
	if n == nil {
		return "(not published)"
	}
	return strconv.FormatUint(uint64(*n), 10)
}
