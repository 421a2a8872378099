package check

import (
	"fmt"
	"slices"

	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// coverageRule is the rule of a band.
var coverageRule = map[rules.Region]string{rules.LowLatency: "ultra-low-concurrency-coverage", rules.Low: "low-concurrency-coverage",
	rules.Medium: "med-concurrency-coverage", rules.High: "high-concurrency-coverage"}

// regionBasis finds C_max and C_min, and divides the curve.
func (c *checker) regionBasis(v *curve) {
	cmax, ok := v.description().Get("max_supported_concurrency").Small()
	if !ok {
		c.warn("region-basis", "cmax", v.model.Path, "Write max_supported_concurrency into every system_desc.json.",
			"max_supported_concurrency cannot be read from system_desc.json, so no rule of regions, durations and bands was applied")
		return
	}
	at := v.firstDescribed().System.Path
	c.pass("max-concurrency-declared", at, "max_supported_concurrency is %d", cmax)
	cmin, declared, ok := c.cMin(v)
	if !ok {
		return
	}
	r, err := rules.NewRegions(cmin, cmax)
	if err != nil {
		c.fail("region-computation", "bounds", at, "Declare a maximum above 32 and measure a point at or below 32.", "the curve cannot be divided: %v", err)
		return
	}
	c.pass("region-basis", v.model.Path, "C_min is %d, C_max %d", cmin, cmax)
	v.regions, v.overridden = &r, declared
}

// firstDescribed is the first point whose description can be read, nil where there is none.
func (v *curve) firstDescribed() *point {
	if i := slices.IndexFunc(v.points, func(p *point) bool { return p.desc != nil }); i >= 0 {
		return v.points[i]
	}
	return nil
}

// description is that of the first described point.
func (v *curve) description() *lax.Value {
	if p := v.firstDescribed(); p != nil {
		return p.desc
	}
	return nil
}

// cMin is the lowest concurrency, or the declared one. ok is false where the declaration is wrong.
func (c *checker) cMin(v *curve) (cmin int, declared, ok bool) {
	values, with, ok := c.overrides(v)
	if with == 0 {
		lowest := slices.MinFunc(v.points, func(a, b *point) int { return a.concurrency - b.concurrency })
		return min(lowest.concurrency, rules.MaxUltraLow), false, true
	}
	const id = "c-min-override"
	at := v.model.Path
	if without := len(v.points) - with; without > 0 {
		ok = false
		c.fail(id, "some", at, "Write it into all or none.", "c_min_override is in %d system_desc.json and not in the other %d", with, without)
	}
	if len(values) > 1 {
		ok = false
		c.fail(id, "differ", at, "Write the same into all.", "c_min_override differs between the points: %v", values)
	}
	if !ok {
		return 0, true, false
	}
	if !slices.ContainsFunc(v.points, func(p *point) bool { return p.concurrency == values[0] }) {
		c.fail(id, "unmeasured", at, "Measure it, or declare a measured one.", "c_min_override is %d, but no point has that concurrency", values[0])
		return 0, true, false
	}
	c.pass(id, at, "C_min is declared as %d", values[0])
	return values[0], true, true
}

// overrides are the different values of c_min_override, and how many points have the field. ok is false where one cannot be.
func (c *checker) overrides(v *curve) (values []int, with int, ok bool) {
	ok = true
	for _, p := range v.points {
		f := p.desc.Get("c_min_override")
		if f == nil { // also where there is no description
			continue
		}
		with++
		n, fits := f.Small()
		if f.Kind != lax.Int || !fits || n < 1 || n > rules.MaxUltraLow {
			ok = false
			c.fail("c-min-override", "range", p.System.Path, "Write an integer, or leave it out.", "c_min_override is %s; want an integer from 1 to %d", f, rules.MaxUltraLow)
			continue
		}
		if !slices.Contains(values, n) {
			values = append(values, n)
		}
	}
	return values, with, ok
}

// place holds a point's declared region to the computed one.
func (c *checker) place(v *curve, p *point) {
	if v.regions == nil {
		return
	}
	at := p.Point.Point.Path
	region, ok := v.regions.Of(p.concurrency)
	if !ok {
		c.fail("concurrency-in-range", "above", at, fmt.Sprintf("Measure at most at %d.", v.regions.Margin.Last),
			"concurrency %d is outside the curve, which ends at %d with its margin", p.concurrency, v.regions.Margin.Last)
		return
	}
	c.pass("concurrency-in-range", at, "concurrency %d lies in %s", p.concurrency, region)
	declared := p.cfg.Get("region")
	switch {
	case declared.IsNull() || declared.Text == string(rules.Choice):
	case declared.Text == string(region):
		c.pass("region-placement", at, "region %s is that of concurrency %d", region, p.concurrency)
	default:
		c.warn("region-placement", "differ", at, "Write "+string(region)+", or "+string(rules.Choice)+" for a point beyond the mandatory ones.",
			"region is %q, but concurrency %d lies in %s", declared.Text, p.concurrency, region)
	}
}

// bands are those of the curve; where it cannot be divided, Ultra Low alone is known.
func (v *curve) bands() []rules.Band {
	if v.regions == nil {
		return (rules.Regions{}).Bands(false)[:1]
	}
	return v.regions.Bands(v.overridden)
}

// coverage looks for a point in each band.
func (c *checker) coverage(v *curve) {
	for _, b := range v.bands() {
		id, at := coverageRule[b.Region], v.model.Path
		if i := slices.IndexFunc(v.points, func(p *point) bool { return b.In.Has(p.concurrency) }); i >= 0 {
			c.pass(id, at, "%s is covered by %s", b.Name, v.points[i].Dir)
			continue
		}
		if b.In.Empty() {
			c.fail(id, "empty", at, "Declare a higher maximum: C_max is too near to C_min.", "%s holds no concurrency", b.Name)
			continue
		}
		c.fail(id, "uncovered", at, "Measure a point there.", "no point lies in %s (concurrency %d to %d)", b.Name, b.In.First, b.In.Last)
	}
}

const dedicated = "dedicated"

// offline holds the curve to having no Offline point, or one where it is no agentic curve.
func (c *checker) offline(v *curve) {
	var names []string
	for _, p := range v.usable() {
		if s := p.text("offline"); s == dedicated || s == "elected" {
			names = append(names, p.Dir)
		}
		c.offlineOrder(v, p)
	}
	at := v.model.Path
	switch {
	case v.agentic && len(names) > 0:
		c.fail("offline-point-present", "agentic", at, "Leave offline out.", "an agentic curve has no Offline point, but %s declares one", quoted(names))
	case !v.agentic && len(names) != 1:
		c.fail("offline-point-present", "count", at, "For an agentic curve give every point load pattern "+agenticPattern+".",
			"the curve is not agentic, so exactly one point must be the Offline one, and %d are", len(names))
	default:
		c.pass("offline-point-present", at, "Offline points are as they must be")
	}
}

// offlineOrder compares a dedicated Offline point with the one of the highest concurrency.
func (c *checker) offlineOrder(v *curve, p *point) {
	if p.text("offline") != dedicated {
		return
	}
	last := slices.MaxFunc(v.points, func(a, b *point) int { return a.concurrency - b.concurrency })
	mine, ok := throughput(p)
	theirs, ok2 := throughput(last)
	const slack = 0.98
	if ok && ok2 && last != p && mine < slack*theirs {
		c.warn("offline-ordering", "slower", p.Summary.Path, "Measure it again.", "the Offline point %s has %.1f tokens/s, less than %s with %.1f", p.Dir, mine, last.Dir, theirs)
	}
}
