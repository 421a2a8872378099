package verify

import (
	"context"
	"math"
	"slices"

	"paceline/core/seed"
	"paceline/profile/measure"
	"paceline/workloads/profiles/builtin"
	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/spec"
)

// component is the workload whose conversations are drawn: the same seed gives those that a run plays.
const component = "std/profiles/trace"

// Drawn is what came of drawing.
type Drawn struct {
	Summary *measure.Summary
	Tables  []Row // of a profile that is written as distributions: each of them against what it drew
}

// Draw draws the first n conversations of a run with that seed. With mean, it draws the profile's mean trace instead. shown
// is called now and then with how many there are.
func Draw(ctx context.Context, p *builtin.Profile, n int, root uint64, mean bool, shown func(int)) (*Drawn, error) {
	source := p.Source
	if mean {
		source = shape.Mean(source)
	}
	var c measure.Collector
	var t shape.Trace
	seen := newTables(p.Spec)
	for i := range n {
		if i%1000 == 0 {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			shown(i)
		}
		key := seed.Derive(root, seed.Plan, []byte(component), seed.Uint(uint64(i)), seed.Uint(0))
		r := shape.NewRandom(key)
		if p.Spec != nil && !mean {
			p.Spec.DrawWatched(r, &t, seen.add)
		} else {
			source.Draw(r, &t)
		}
		c.Add(&t)
	}
	return &Drawn{c.Summary(), seen.rows(n)}, nil
}

// tables are the values that each table of a profile drew.
type tables struct {
	profile *spec.Profile
	values  [][]int64
}

func newTables(p *spec.Profile) *tables {
	if p == nil {
		return &tables{}
	}
	return &tables{p, make([][]int64, len(p.Tables))}
}

func (t *tables) add(table int, value int64) { t.values[table] = append(t.values[table], value) }

// rows compares each table with what it drew, in tokens or milliseconds.
func (t *tables) rows(draws int) []Row {
	slack := math.Sqrt(max(1, float64(FullDraws)/float64(max(draws, 1))))
	var out []Row
	for i, values := range t.values {
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		table := &t.profile.Tables[i]
		unit := 1e6
		if table.Seconds {
			unit = 1e3
		}
		want := &measure.Quantity{Name: table.Name, Kind: measure.Turn, Count: len(values)}
		have := *want
		for _, p := range measure.Percents {
			want.Quantiles = append(want.Quantiles, round(float64(table.Dist.At(uint32(p/100*(1<<32))))/unit))
			have.Quantiles = append(have.Quantiles, round(measure.At(values, p)/unit))
		}
		out = append(out, quantiles(want, &have, measure.Percents, slack)...)
	}
	return out
}
