package spec

import (
	"math/bits"

	"paceline/workloads/profiles/fixed"
	"paceline/workloads/rawjson"
)

// kinds of distributions, by their keys.
var kinds = []string{"quantiles", "lognormal", "normal", "zipf", "mixture"}

// dist reads a distribution: a number, or an object with one of the kinds. Values are from 0 to most.
func (n node) dist(most int64, depth int) Dist {
	if n.v.Kind() == rawjson.Number {
		return constant(n.number(0, most))
	}
	if !n.object("quantiles", "lognormal", "normal", "zipf", "mixture", "scale", "min", "max", "add", "from", "weight") {
		return constant(0)
	}
	var key string
	for _, k := range kinds {
		if n.get(k).missing() {
			continue
		}
		if key != "" {
			n.fault("profile-distribution", "one kind of distribution", "%s has both %s and %s", n.name(), key, k)
		}
		key = k
	}
	var d Dist
	part := n.get(key)
	switch key {
	case "quantiles":
		d = n.quantiles(part, most)
	case "lognormal":
		d = part.lognormal(most)
	case "normal":
		if part.object("mean", "sd") {
			d = normal{part.get("mean").number(0, most), part.get("sd").number(0, most)}
		}
	case "zipf":
		if part.object("exponent", "from", "count") {
			from := int64(0)
			if f := part.get("from"); !f.missing() {
				from = f.whole(0, most/micro)
			}
			d = newZipf(int(part.get("count").whole(1, maxZipf)), binary(part.get("exponent").number(0, 10*micro)), from)
		}
	case "mixture":
		return n.mixture(part, most, depth)
	default:
		n.fault("profile-distribution", "a number, or an object with quantiles, lognormal, normal, zipf or mixture", "%s says no distribution", n.name())
	}
	if d == nil {
		return constant(0)
	}
	return n.bounds(d, most)
}

// bounds cuts a distribution at min and max, and at what a value may be at all, and moves it by add.
func (n node) bounds(d Dist, most int64) Dist {
	low, high, add := int64(0), most, int64(0)
	if b := n.get("add"); !b.missing() {
		add = b.number(0, most)
		high = most - add
	}
	if b := n.get("min"); !b.missing() {
		low = b.number(0, most)
	}
	if b := n.get("max"); !b.missing() {
		high = min(high, b.number(0, most))
	}
	out, ok := bound(d, low, high, add)
	if !ok {
		n.fault("profile-bounds", "bounds between which the distribution has values", "%s has no values from %s to %s", n.name(), decimal(low), decimal(high))
	}
	return out
}

func (n node) lognormal(most int64) Dist {
	if !n.object("median", "sigma", "mean", "sd") {
		return nil
	}
	if n.get("mean").missing() {
		return lognormal{fixed.Log2(uint64(n.get("median").number(1, most))), binary(n.get("sigma").number(0, 10*micro))}
	}
	if !n.get("median").missing() || !n.get("sigma").missing() {
		n.fault("profile-distribution", "median and sigma, or mean and sd", "%s has some of both", n.name())
		return nil
	}
	mean := n.get("mean").number(1, most)
	return ofMean(mean, n.get("sd").number(0, 100*mean))
}

func (n node) quantiles(part node, most int64) Dist {
	if !part.object("at", "values") {
		return nil
	}
	at, values := part.get("at").list(), part.get("values").list()
	if len(at) != len(values) || len(at) < 2 || len(at) > maxList {
		part.fault("profile-quantiles", "as many values as percentages, at least 2", "%s has %d percentages and %d values", part.name(), len(at), len(values))
		return nil
	}
	d := &quantiles{}
	percents := make([]int64, len(at))
	for i := range at {
		percents[i] = at[i].number(0, 100*micro)
		if i > 0 && percents[i] <= percents[i-1] {
			at[i].fault("profile-order", "percentages that rise", "%s is not above the one before", at[i].name())
			return nil
		}
		high, low := bits.Mul64(uint64(percents[i]), 1<<32)
		share, _ := bits.Div64(high, low, 100*micro)
		d.at, d.values = append(d.at, uint32(min(share, 1<<32-1))), append(d.values, values[i].number(0, most))
		if i > 0 && d.values[i] < d.values[i-1] {
			values[i].fault("profile-order", "values that do not fall", "%s is below the one before", values[i].name())
			return nil
		}
	}
	if percents[0] != 0 || percents[len(at)-1] != 100*micro {
		part.get("at").fault("profile-quantiles", "percentages from 0 to 100", "%s does not go from 0 to 100", part.get("at").name())
	}
	switch scale := n.get("scale").text(16); scale {
	case "", "linear":
	case "log":
		for _, v := range d.values {
			d.logs = append(d.logs, fixed.Log2(uint64(max(v, 1))))
		}
	default:
		n.get("scale").fault("profile-scale", "linear or log", "%s is %q", n.get("scale").name(), scale)
	}
	return d
}

func (n node) mixture(part node, most int64, depth int) Dist {
	for _, key := range []string{"min", "max", "add"} {
		if b := n.get(key); !b.missing() {
			b.fault("profile-mixture", "bounds on the parts of a mixture", "%s is on the mixture itself", b.name())
		}
	}
	list := part.list()
	if depth >= maxDepth || len(list) == 0 || len(list) > maxList {
		part.fault("profile-mixture", "1 to 1000 parts, not nested deeper than 4", "%s has %d parts", part.name(), len(list))
		return constant(0)
	}
	d := &mixture{}
	var sums []uint64
	total := uint64(0)
	for _, l := range list {
		total += uint64(l.get("weight").number(1, 1_000_000*micro))
		sums = append(sums, total)
		d.parts = append(d.parts, l.dist(most, depth+1))
	}
	for _, s := range sums {
		high, low := bits.Mul64(s, 1<<32)
		share, _ := bits.Div64(high, low, total+1)
		d.upTo = append(d.upTo, uint32(share))
	}
	return d
}
