package main

import (
	"math"
	"slices"

	"paceline/workloads/profiles/strata"
)

// fit makes the model of the rows.
func fit(r *rows) (*strata.Model, error) {
	r.classify()
	m := &strata.Model{Levels: levels, Class: make([]int64, strata.Classes)}
	for _, c := range r.class {
		m.Class[c]++
	}
	traits := r.traits()
	longs := make([]bool, len(r.traces))
	for i := range traits {
		longs[i] = traits[i].count[strata.Long] > 0
	}
	r.traceTables(m, traits)
	r.tables(m, longs)
	r.weights(m)
	r.traceSlopes(m, traits)
	r.slopes(m, traits)
	if err := m.Ready(); err != nil {
		return nil, err
	}
	r.calibrate(m)
	return m, m.Ready()
}

// trait is what holds for a whole trace: how many turns of each kind, and latent variables within its class.
type trait struct {
	count                      [strata.Kinds]int
	turns, edits, input, final float64
}

func (r *rows) traits() []trait {
	out := make([]trait, len(r.traces))
	for i := range out {
		if turns := r.of(i); len(turns) > 0 {
			out[i].count = turns[0].left
		}
	}
	for class := range strata.Classes {
		var in []int
		for i, c := range r.class {
			if c == class {
				in = append(in, i)
			}
		}
		score := func(value func(i int) int, to func(t *trait) *float64) {
			values := make([]float64, len(in))
			for k, i := range in {
				values[k] = float64(value(i))
			}
			for k, z := range scores(values) {
				*to(&out[in[k]]) = z
			}
		}
		score(func(i int) int { return r.traces[i].Turns }, func(t *trait) *float64 { return &t.turns })
		score(func(i int) int { return out[i].count[strata.Edit] }, func(t *trait) *float64 { return &t.edits })
		score(func(i int) int { return int(r.traces[i].Input) }, func(t *trait) *float64 { return &t.input })
		score(func(i int) int { return int(r.traces[i].Final) }, func(t *trait) *float64 { return &t.final })
	}
	return out
}

// traceTables fills the tables of what holds for whole traces.
func (r *rows) traceTables(m *strata.Model, traits []trait) {
	m.Joint = make([]int64, strata.Classes*strata.Character)
	for class := range strata.Classes {
		var turns, edits, longs, reads, input, final []int64
		for i, c := range r.class {
			if c != class {
				continue
			}
			n := traits[i].count
			m.Joint[class*strata.Character+n[strata.Explore]*16+min(n[strata.Long], 3)*4+min(n[strata.Reading], 3)]++
			turns, edits = append(turns, int64(r.traces[i].Turns)), append(edits, int64(n[strata.Edit]))
			input, final = append(input, r.traces[i].Input), append(final, r.traces[i].Final)
			longs, reads = atLeast(longs, n[strata.Long]), atLeast(reads, n[strata.Reading])
		}
		m.Turns, m.Edits = append(m.Turns, steps(turns)...), append(m.Edits, steps(edits)...)
		m.Longs, m.Reads = append(m.Longs, steps(longs)...), append(m.Reads, steps(reads)...)
		m.Input, m.Final = append(m.Input, quantiles(input)...), append(m.Final, quantiles(final)...)
	}
}

// atLeast keeps numbers from 3: below, they are counted jointly.
func atLeast(list []int64, n int) []int64 {
	if n < 3 {
		return list
	}
	return append(list, int64(n))
}

// steps counts how often each value is: the number of values, then pairs.
func steps(values []int64) []int64 {
	if len(values) == 0 {
		values = []int64{3}
	}
	slices.Sort(values)
	out := []int64{0}
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			out = append(out, v, 0)
			out[0]++
		}
		out[len(out)-1]++
	}
	return out
}

// weights fits the urn: weights with which the expected number of turns of each kind is the one in the file, for each class,
// place and kind before.
func (r *rows) weights(m *strata.Model) {
	cells := make([][]*turn, strata.Classes*strata.Places*(strata.Kinds+1))
	for i := range r.turns {
		t := &r.turns[i]
		cell := at(r.class[t.trace], t.position)*(strata.Kinds+1) + t.prev
		cells[cell] = append(cells[cell], t)
	}
	for _, turns := range cells {
		for _, w := range urn(turns) {
			m.Weights = append(m.Weights, int64(math.Round(min(max(w*1024, 1), 1<<24))))
		}
	}
}

func urn(turns []*turn) [strata.Kinds]float64 {
	var weight, seen [strata.Kinds]float64
	for k := range weight {
		weight[k] = 1
	}
	for _, t := range turns {
		seen[t.kind]++
	}
	for range 200 {
		var expected [strata.Kinds]float64
		for _, t := range turns {
			total := 0.0
			for k, n := range t.left {
				total += float64(n) * weight[k]
			}
			for k, n := range t.left {
				expected[k] += float64(n) * weight[k] / total
			}
		}
		for k := range weight {
			weight[k] *= (seen[k] + 0.5) / (expected[k] + 0.5)
		}
		for k := len(weight) - 1; k >= 0; k-- {
			weight[k] /= weight[strata.Plain]
		}
	}
	return weight
}
