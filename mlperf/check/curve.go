package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"paceline/mlperf/check/tree"
	"paceline/mlperf/lax"
	"paceline/mlperf/power"
	"paceline/mlperf/rules"
)

// curve is the points of one model on one system.
type curve struct {
	system *tree.System
	model  *tree.Model
	points []*point
	power  *power.Totals // nil: not known

	agentic    bool
	target     *rules.Model   // nil: the model has no agentic thresholds
	regions    *rules.Regions // nil: not known
	overridden bool           // C_min is declared, not the lowest concurrency
}

// point is one point with what its files say.
type point struct {
	*tree.Point
	cfg  *lax.Value // point.yaml; nil: cannot be used
	sum  *lax.Value // result_summary.json; nil: missing or cannot be used
	desc *lax.Value // system_desc.json; nil: missing or unreadable

	concurrency int // declared, or that of the folder's name
	measured    bool
	scores      []score
}

func (p *point) text(keys ...string) string { return p.cfg.At(keys...).Words() }

// usable are the points whose point.yaml can be used.
func (v *curve) usable() []*point {
	return slices.DeleteFunc(slices.Clone(v.points), func(p *point) bool { return p.cfg == nil })
}

func (c *checker) newCurve(s *tree.System, m *tree.Model) *curve {
	v := &curve{system: s, model: m}
	for i := range m.Points {
		p := &point{Point: &m.Points[i], concurrency: m.Points[i].N}
		if p.System.Doc != nil && p.System.Doc.Kind == lax.Map {
			p.desc = p.System.Doc
		}
		v.points = append(v.points, p)
	}
	return v
}

// curve applies the rules of a curve and of its points.
func (c *checker) curve(v *curve) {
	for _, p := range v.points {
		c.files(p)
	}
	if len(v.usable()) == 0 {
		c.fail("measurement-points-present", "none", v.model.Path, "Mend the point.yaml files.", "no point.yaml in %s/ can be used", v.model.Path)
	}
	c.identity(v)
	c.describe(v)
	c.regionBasis(v)
	for _, p := range v.points {
		if p.cfg == nil {
			c.warn("point-rules-skipped", "unusable", p.Point.Point.Path, "Mend point.yaml and check again; more may be found then.",
				"%s: point.yaml is missing or cannot be used, so the rules of region, metrics and power were not applied to this point", p.Dir)
			continue
		}
		c.place(v, p)
		c.measurement(v, p)
		c.engagement(v, p)
		c.drafter(p)
	}
	c.sharedPaths(v)
	c.seedSets(v)
	c.count(v)
	c.offline(v)
	c.coverage(v)
	c.accuracy(v)
	c.utilization(v)
	if c.strict {
		c.second(v)
	}
}

// identity finds out which benchmark and which model the points say they are.
func (c *checker) identity(v *curve) {
	points := v.usable()
	patterns := distinct(points, func(p *point) string { return pattern(p) })
	v.agentic = len(patterns) == 1 && patterns[0] == agenticPattern
	at := v.model.Path
	switch {
	case len(patterns) > 1:
		c.fail("benchmark-type-consistency", "differ", at, "Give every point "+agenticPattern+".",
			"the points disagree on runtime_settings.load_pattern: %s", quoted(patterns))
	case len(patterns) == 1:
		c.pass("benchmark-type-consistency", at, "all points have load pattern %s", patterns[0])
	}
	names := distinct(points, func(p *point) string { return p.text("model_name") })
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	c.modelNames(v, names)
	measured := slices.DeleteFunc(slices.Clone(points), func(p *point) bool { return p.sum == nil })
	sets := distinct(measured, func(p *point) string { return p.text("dataset") })
	switch {
	case len(sets) > 1:
		c.fail("config-consistency-dataset", "differ", at, "Give every point the same dataset.", "the points disagree on dataset: %s", quoted(sets))
	case len(sets) == 1:
		c.pass("config-consistency-dataset", at, "all points have dataset %q", sets[0])
	}
	for _, name := range append([]string{v.model.Name}, names...) {
		if m, err := rules.FindModel(name); err == nil {
			v.target = &m
			return
		}
	}
}

func (c *checker) modelNames(v *curve, names []string) {
	at := v.model.Path
	for _, n := range names {
		if slices.Contains(rules.Names(), n) {
			c.pass("model-name-valid", at, "model_name %s is allowed", n)
			continue
		}
		c.fail("model-name-valid", "unknown", at, "Write one of "+strings.Join(rules.Names(), ", ")+", letter for letter.",
			"model_name %q is not an allowed model", n)
	}
	if len(names) > 1 {
		c.fail("config-consistency-model", "differ", at, "Keep one model to a folder.", "the points disagree on model_name: %s", quoted(names))
	} else if len(names) == 1 {
		c.pass("config-consistency-model", at, "all points have model_name %s", names[0])
	}
	switch {
	case len(names) == 0:
		c.warn("model-name-consistency", "none", at, "Write model_name into point.yaml.", "no point declares model_name, so the folder %q cannot be held to it", v.model.Name)
	case !slices.Contains(names, v.model.Name):
		c.fail("model-name-consistency", "folder", at, "Rename the folder or correct model_name.",
			"the folder is %q, but model_name is %s", v.model.Name, quoted(names))
	default:
		c.pass("model-name-consistency", at, "the folder is named as the model")
	}
}

// distinct are the different values of the points, in their order.
func distinct(points []*point, of func(*point) string) []string {
	var all []string
	for _, p := range points {
		if s := of(p); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func quoted(all []string) string {
	var q []string
	for _, s := range all {
		q = append(q, fmt.Sprintf("%q", s))
	}
	return strings.Join(q, ", ")
}

func (c *checker) count(v *curve) {
	at, n := v.model.Path, len(v.points)
	switch {
	case n < rules.MinPoints:
		c.fail("point-count", "few", at, fmt.Sprintf("Measure at least %d more.", rules.MinPoints-n), "there are %d points; a curve has at least %d", n, rules.MinPoints)
	default:
		c.pass("point-count", at, "there are %d points", n)
	}
	if n > rules.MaxPoints {
		c.fail("point-cap", "many", at, fmt.Sprintf("Leave out at least %d.", n-rules.MaxPoints), "there are %d points; a curve has at most %d", n, rules.MaxPoints)
	}
}

// folder says whether a declared folder is in the package.
func (c *checker) folder(name string) bool {
	name = strings.TrimSpace(name)
	clean := path.Clean(name)
	if name == "" || path.IsAbs(name) || clean == "." || slices.Contains(strings.Split(name, "/"), "..") {
		return false
	}
	return tree.IsDir(c.fsys, clean)
}

// sharedPaths follows shared_src and shared_docs, once for each distinct value.
func (c *checker) sharedPaths(v *curve) {
	for _, name := range []string{"shared_src", "shared_docs"} {
		points := slices.DeleteFunc(v.usable(), func(p *point) bool { return p.cfg.Get(name).IsNull() })
		for _, value := range distinct(points, func(p *point) string { return p.text(name) }) {
			i := slices.IndexFunc(points, func(p *point) bool { return p.text(name) == value })
			if at := points[i].Point.Point.Path; c.folder(value) {
				c.pass("shared-path-resolution", at, "%s %q is a folder of the package", name, value)
			} else {
				c.fail("shared-path-resolution", name, at, "Name a folder below the root of the package, as src/<implementation> or docs.",
					"%s is %q, which is no folder of the package (from its root, without ..)", name, value)
			}
		}
	}
}
