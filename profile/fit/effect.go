package fit

import (
	"math"
	"slices"

	"paceline/workloads/profiles/shape"
)

// reach is the largest distance of turns whose likeness counts for the effect of a trace.
const reach = 8

// effects estimates how much of each quantity's variance is the trace's own: the mean product of the normal scores of turns
// of one trace that are 1 to 8 apart.
func (p *Profile) effects(all []shape.Trace) {
	for v := range names {
		sum, n := 0.0, 0
		for i := range all {
			scores := p.scores(all[i].Turns, v)
			for d := 1; d <= reach; d++ {
				for k := d; k < len(scores); k++ {
					sum += scores[k] * scores[k-d]
					n++
				}
			}
		}
		if n > 0 {
			p.effect[v] = math.Round(100*min(max(sum/float64(n), 0), 0.95)) / 100
		}
	}
}

// scores gives the normal quantile of each value's rank in its table; equal values share the middle of theirs.
func (p *Profile) scores(turns []shape.Turn, v int) []float64 {
	c := p.class(len(turns))
	out := make([]float64, len(turns))
	for k, t := range turns {
		list := at(c.tables[v], k).values
		from, _ := slices.BinarySearch(list, values(t)[v])
		to, _ := slices.BinarySearch(list, values(t)[v]+1)
		share := float64(from+to) / 2 / float64(len(list))
		out[k] = math.Sqrt2 * math.Erfinv(2*share-1)
	}
	return out
}

func at(tables []table, position int) *table {
	i := len(tables) - 1
	for i > 0 && tables[i].from > position {
		i--
	}
	return &tables[i]
}
