package chart

// linear maps 0 to top on a straight axis.
type linear struct {
	from, to px // where 0 and top lie
	top      float64
	step     float64 // between ticks
}

// newLinear is an axis for figures up to most, with ticks at 1, 2 or 5 times a power of ten.
func newLinear(from, to px, most float64, ticks int) linear {
	if most < minNumber {
		most = 1
	}
	step := niceStep(most / float64(ticks))
	n := 1
	for float64(n)*step < most {
		n++
	}
	return linear{from: from, to: to, top: float64(n) * step, step: step}
}

// niceStep is the smallest 1, 2 or 5 times a power of ten that is not below least.
func niceStep(least float64) float64 {
	power := 1.0
	for power > least {
		power /= 10
	}
	for power*10 <= least {
		power *= 10
	}
	for _, f := range []float64{1, 2, 5} {
		if f*power >= least {
			return f * power
		}
	}
	return 10 * power
}

// at is where v lies. The product is rounded by itself, so that no machine fuses it with the sum.
func (l linear) at(v float64) px {
	return l.from + px(float64(float64(l.to-l.from)*(v/l.top)))
}

// ticks are the figures that the axis names.
func (l linear) ticks() []float64 {
	var all []float64
	for i := 0; ; i++ {
		v := float64(i) * l.step
		if v > l.top*1.000001 {
			return all
		}
		all = append(all, v)
	}
}

// octaves maps concurrencies so that each doubling is as wide as the one before; within a doubling it is straight. It looks
// like a logarithm and needs only sums and quotients, which every machine rounds alike.
type octaves struct {
	from, to    px
	least, most float64 // in octaves
}

// below is where the scale begins: a little under 1.
const below = 0.75

func newOctaves(from, to px, most int) octaves {
	return octaves{from: from, to: to, least: octave(below), most: octave(float64(most) + 0.5)}
}

// octave is the place of c in doublings of 1.
func octave(c float64) float64 {
	n, power := 0.0, 1.0
	for power > c {
		n, power = n-1, power/2
	}
	for power*2 <= c {
		n, power = n+1, power*2
	}
	return n + (c/power - 1)
}

func (o octaves) at(c float64) px {
	share := (octave(c) - o.least) / (o.most - o.least)
	return o.from + px(float64(float64(o.to-o.from)*share))
}

// tile is the span of a range of concurrencies: it ends halfway to the next number.
func (o octaves) tile(first, last int) (from, to px) {
	return o.at(max(float64(first)-0.5, below)), o.at(float64(last) + 0.5)
}
