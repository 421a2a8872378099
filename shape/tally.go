package shape

import (
	"maps"
	"math/bits"
	"slices"
)

// tally counts values from 0. Values below 64 are kept apart, larger ones in 32 steps per power of two, so that quantiles are
// at most 3 % too low; minimum, maximum and sum are exact.
type tally struct {
	steps       map[int]int64 // step -> how many values
	count, sum  int64
	least, most int64
}

// stepBits is the log of the steps in a power of two.
const stepBits = 5

func (t *tally) add(v int64) {
	v = max(v, 0)
	if t.steps == nil {
		t.steps = map[int]int64{}
	}
	if t.count == 0 || v < t.least {
		t.least = v
	}
	t.most = max(t.most, v)
	t.steps[stepOf(v)]++
	t.count++
	t.sum += v
}

func stepOf(v int64) int {
	shift := max(bits.Len64(uint64(v))-stepBits-1, 0)
	return shift<<stepBits + int(v>>shift)
}

// lowest is the least value of a step.
func lowest(step int) int64 {
	shift := max(step>>stepBits-1, 0)
	return int64(step-shift<<stepBits) << shift
}

// quantile gives the value below or at which so many percent of the values are, by nearest rank.
func (t *tally) quantile(percent int64) int64 {
	if t.count == 0 {
		return 0
	}
	rank := max((t.count*percent+99)/100, 1)
	for _, step := range t.sorted() {
		if rank -= t.steps[step]; rank <= 0 {
			return min(max(lowest(step), t.least), t.most)
		}
	}
	return t.most
}

func (t *tally) sorted() []int { return slices.Sorted(maps.Keys(t.steps)) }

// Bin is one bar of a histogram: how many values are from From up to and with To.
type Bin struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Count int64 `json:"count"`
}

// maxBins is how many bars a histogram has at most.
const maxBins = 14

// bins makes bars as fine as there is room for: parts of powers of two, else several powers of two. Their borders are those
// of steps, so no value is put into a wrong one.
func (t *tally) bins() []Bin {
	if t.count == 0 {
		return nil
	}
	for _, parts := range []int64{8, 4, 2} {
		list := t.fill(func(v int64) int64 {
			octave := int64(1) << max(bits.Len64(uint64(v))-1, 0)
			return v + max(octave/parts, 1)
		})
		if len(list) <= maxBins {
			return list
		}
	}
	for grow := int64(2); ; grow *= 2 {
		if list := t.fill(func(v int64) int64 { return max(v, 1) * grow }); len(list) <= maxBins {
			return list
		}
	}
}

// fill counts values into bars of which next gives the start of the one after; empty ones at both ends are left out.
func (t *tally) fill(next func(int64) int64) []Bin {
	var out []Bin
	bin := Bin{To: next(0) - 1}
	if next(0) > 1 { // 0 stands alone
		bin.To = 0
	}
	for _, step := range t.sorted() {
		v := lowest(step)
		for v > bin.To {
			if len(out) > 0 || bin.Count > 0 {
				out = append(out, bin)
			}
			from := bin.To + 1
			bin = Bin{From: from, To: next(from) - 1}
		}
		bin.Count += t.steps[step]
	}
	return append(out, bin)
}
