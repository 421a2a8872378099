package main

import (
	"paceline/workloads/profiles/strata"
)

// minSet is the least number of turns that a set of coefficients is fitted to; smaller ones get what all turns of their kind
// give.
const minSet = 150

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// character are the regressors that hold for a whole trace.
func (t *trait) character() []float64 {
	return []float64{float64(t.count[strata.Explore]), number(t.count[strata.Long] > 0), number(t.count[strata.Long] > 1),
		number(t.count[strata.Reading] > 0), number(t.count[strata.Reading] > 1), 1}
}

// traceSlopes fits the coefficients of each class.
func (r *rows) traceSlopes(m *strata.Model, traits []trait) {
	for class := range strata.Classes {
		var character, turns, final [][]float64
		var n, edits, input, last []float64
		for i, c := range r.class {
			if c != class {
				continue
			}
			t := &traits[i]
			x := t.character()
			character = append(character, x)
			x = append(x[:len(x):len(x)], t.turns)
			turns = append(turns, x)
			final = append(final, append(x[:len(x):len(x)], r.ending(i)...))
			n, edits, input, last = append(n, t.turns), append(edits, t.edits), append(input, t.input), append(last, t.final)
		}
		for _, l := range []line{regress(character, n), regress(turns, edits), regress(turns, input), regress(final, last)} {
			for _, s := range l.slopes {
				m.Trace = append(m.Trace, fixedPoint(s))
			}
			m.Trace = append(m.Trace, fixedPoint(l.noise))
		}
	}
}

// ending gives the means of the latent variables of a trace, and those of its last turn.
func (r *rows) ending(i int) []float64 {
	turns := r.of(i)
	out := make([]float64, 2*strata.Variables)
	for _, t := range turns {
		for v, z := range t.remembered() {
			out[v] += z / float64(len(turns))
		}
	}
	last := turns[len(turns)-1].remembered()
	copy(out[strata.Variables:], last[:])
	return out
}

func (t *turn) remembered() [strata.Variables]float64 { return strata.Remembered(t.kind, t.latent) }

// regressors gives those of every turn, without the ones of the same turn.
func (r *rows) regressors(traits []trait) [][]float64 {
	out := make([][]float64, 0, len(r.turns))
	for i := range r.traces {
		turns := r.of(i)
		var sum [strata.Variables]float64
		for p := range turns {
			x := make([]float64, strata.AtSame, strata.Regressors)
			for k := strata.Edit; k < strata.Kinds; k++ {
				x[strata.AtDone+k-1], x[strata.AtPrev+k-1] = number(turns[p].done[k]), number(turns[p].prev == k)
			}
			x[strata.AtOne] = 1
			for v, z := range turns[p].remembered() {
				if p > 0 {
					x[strata.AtLag1+v] = turns[p-1].remembered()[v]
					x[strata.AtMean+v] = sum[v] / float64(p)
				}
				if p > 1 {
					x[strata.AtLag2+v] = turns[p-2].remembered()[v]
				}
				sum[v] += z
			}
			c := traits[i].character()
			copy(x[strata.AtTrace:], []float64{c[0], c[1], number(traits[i].count[strata.Long] > 3), c[3], traits[i].input, traits[i].turns})
			out = append(out, x)
		}
	}
	return out
}

// slopes fits the coefficients of turns.
func (r *rows) slopes(m *strata.Model, traits []trait) {
	x := r.regressors(traits)
	n := strata.Set(strata.Classes-1, 1000, strata.Kinds-1) + 1
	members, kinds := make([][]int, n), make([][]int, strata.Kinds)
	kindOf := make([]int, n)
	for kind := range strata.Kinds {
		for class := range strata.Classes {
			for position := range 30 {
				kindOf[strata.Set(class, position, kind)] = kind
			}
		}
	}
	for i := range r.turns {
		t := &r.turns[i]
		s := strata.Set(r.class[t.trace], t.position, t.kind)
		members[s] = append(members[s], i)
		kinds[t.kind] = append(kinds[t.kind], i)
	}
	for s := range members {
		of := members[s]
		if len(of) < minSet {
			of = kinds[kindOf[s]]
		}
		for v := range strata.Variables {
			m.Slopes = append(m.Slopes, r.slope(x, of, v)...)
		}
	}
}

// slope fits one variable to the turns of one set.
func (r *rows) slope(x [][]float64, of []int, v int) []int64 {
	rows, y := make([][]float64, len(of)), make([]float64, len(of))
	for k, i := range of {
		rows[k] = append(x[i][:strata.AtSame:strata.AtSame], r.turns[i].latent[:v]...)
		y[k] = r.turns[i].latent[v]
	}
	l := regress(rows, y)
	out := make([]int64, strata.Regressors)
	for i, s := range l.slopes {
		out[i] = fixedPoint(s)
	}
	out[strata.AtNoise] = fixedPoint(l.noise)
	return out
}
