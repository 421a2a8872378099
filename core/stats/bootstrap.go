package stats

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Cluster is what one independent unit, a trajectory, adds to a mean: the sum of
// its values in base units and their number.
type Cluster struct{ Sum, Count int64 }

// Interval is a confidence interval in output units; both ends are missing
// where there are fewer than two clusters with values.
type Interval struct {
	Low  Num `json:"low"`
	High Num `json:"high"`
}

// Resamples is the number of resamples that the reports use.
const Resamples = 1000

// Bootstrap is the 95 % percentile interval of the mean over all values, from
// resampling whole clusters with replacement: turns of one trajectory resemble
// each other, so resampling turns would give intervals that are too narrow.
// scale is the number of base units in one output unit. Equal arguments give
// equal bits; clusters without values change nothing.
func Bootstrap(clusters []Cluster, scale int64, seed uint64, resamples int) Interval {
	used := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.Count == 0 })
	if len(used) < 2 || resamples < 2 {
		return Interval{}
	}
	r := rand.NewPCG(seed, uint64(len(used)))
	means := make([]float64, resamples)
	for i := range means {
		var sum, count float64
		for range used {
			// The high half of the product is an even pick; rand's own bounded
			// draw is not promised to stay the same between Go versions.
			k, _ := bits.Mul64(r.Uint64(), uint64(len(used)))
			sum += float64(used[k].Sum)
			count += float64(used[k].Count)
		}
		means[i] = sum / count / float64(max(scale, 1))
	}
	slices.Sort(means)
	return Interval{Low: Of(between(means, 25, 1000)), High: Of(between(means, 975, 1000))}
}

// between is the linear quantile num/den of a sorted list.
func between(sorted []float64, num, den int) float64 {
	at, rem := (len(sorted)-1)*num/den, (len(sorted)-1)*num%den
	if rem == 0 {
		return sorted[at]
	}
	d := float64(sorted[at+1] - sorted[at])
	return sorted[at] + float64(d*(float64(rem)/float64(den)))
}
