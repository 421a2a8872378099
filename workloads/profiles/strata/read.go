package strata

import (
	"fmt"
	"math/bits"

	"paceline/workloads/profiles/fixed"
	"paceline/workloads/rawjson"
)

// Read reads a model as derive writes it: a JSON object of lists of integers.
func Read(text []byte) (*Model, error) {
	if err := rawjson.Valid(text); err != nil {
		return nil, err
	}
	m := &Model{}
	lists := map[string]*[]int64{
		"levels": &m.Levels, "class": &m.Class, "joint": &m.Joint, "longs": &m.Longs, "reads": &m.Reads, "turns": &m.Turns,
		"edits": &m.Edits, "input": &m.Input, "final": &m.Final, "trace": &m.Trace, "weights": &m.Weights, "slopes": &m.Slopes,
		"cells": &m.Cells, "tables": &m.Tables, "spread": &m.Spread, "from": &m.From, "to": &m.To,
	}
	var bad error
	rawjson.Value(text).Fields(func(key []byte, v rawjson.Value) {
		list, ok := lists[string(key)]
		if !ok {
			return
		}
		v.Each(func(i int, element rawjson.Value) bool {
			n, ok := rawjson.Integer(element)
			if !ok {
				bad = fmt.Errorf("%s[%d] is %s, and integers are wanted", key, i, element)
			}
			*list = append(*list, n)
			return ok
		})
	})
	if bad != nil {
		return nil, bad
	}
	return m, m.Ready()
}

// Ready checks the dimensions of a model and makes what drawing needs. It is called once, before the first draw.
func (m *Model) Ready() error {
	levels := len(m.Levels)
	tables := len(m.Tables) / max(1, Variables*levels)
	for _, l := range []struct {
		name string
		list []int64
		want int
	}{
		{"class", m.Class, Classes}, {"joint", m.Joint, Classes * Character}, {"input", m.Input, Classes * levels},
		{"final", m.Final, Classes * levels}, {"trace", m.Trace, Classes * ClassTerms}, {"slopes", m.Slopes, sets * Variables * Regressors},
		{"weights", m.Weights, Classes * Places * (Kinds + 1) * Kinds}, {"cells", m.Cells, Rows * Classes * Bands},
		{"tables", m.Tables, tables * Variables * levels}, {"spread", m.Spread, tables * Variables * spreads},
	} {
		if len(l.list) != l.want || l.want == 0 {
			return fmt.Errorf("%s has %d numbers, and %d are wanted", l.name, len(l.list), l.want)
		}
	}
	m.knots = len(m.From) / (Bands * Variables)
	if len(m.From) != m.knots*Bands*Variables || len(m.To) != len(m.From) {
		return fmt.Errorf("from has %d numbers and to %d, and equal multiples of %d are wanted", len(m.From), len(m.To), Bands*Variables)
	}
	for i := range m.From {
		if i%m.knots > 0 && (m.From[i] < m.From[i-1] || m.To[i] < m.To[i-1]) {
			return fmt.Errorf("from[%d] or to[%d] is below the one before", i, i)
		}
	}
	for i, c := range m.Cells {
		if c < 0 || c >= int64(tables) {
			return fmt.Errorf("cells[%d] is %d, and there are %d tables", i, c, tables)
		}
	}
	for i := range m.Spread {
		if i%spreads > 0 && m.Spread[i] <= m.Spread[i-1] {
			return fmt.Errorf("spread[%d] is not above the one before", i)
		}
	}
	m.input, m.final, m.tables = logarithms(m.Input), logarithms(m.Final), logarithms(m.Tables)
	return m.steps()
}

// logarithms makes drawing fast: values are read in straight lines between them.
func logarithms(values []int64) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = fixed.Log2(uint64(max(v, 1)))
	}
	return out
}

// steps makes the cumulative tables.
func (m *Model) steps() error {
	m.at = m.at[:0]
	for _, l := range m.Levels {
		m.at = append(m.at, uint32(min(uint64(l)<<32/100_000, 1<<32-1)))
	}
	m.class = cumulate(numbered(m.Class))
	for c := range Classes {
		m.joint[c] = cumulate(numbered(m.Joint[c*Character : (c+1)*Character]))
	}
	for _, l := range []struct {
		name string
		flat []int64
		to   *[Classes][]step
	}{{"turns", m.Turns, &m.turns}, {"edits", m.Edits, &m.edits}, {"longs", m.Longs, &m.longs}, {"reads", m.Reads, &m.reads}} {
		rest := l.flat
		for c := range Classes {
			if len(rest) == 0 || rest[0] < 1 || int64(len(rest)) < 1+2*rest[0] {
				return fmt.Errorf("%s of class %d are cut short", l.name, c)
			}
			n := 1 + 2*rest[0]
			l.to[c] = cumulate(rest[1:n])
			rest = rest[n:]
		}
	}
	return nil
}

// step is a value and the probability of it or a smaller one.
type step struct {
	value int64
	upTo  uint32
}

// numbered gives each count its number as its value.
func numbered(counts []int64) []int64 {
	pairs := make([]int64, 0, 2*len(counts))
	for i, n := range counts {
		pairs = append(pairs, int64(i), n)
	}
	return pairs
}

// cumulate makes steps of pairs of a value and how often it is.
func cumulate(pairs []int64) []step {
	total, sum := uint64(0), uint64(0)
	for i := 1; i < len(pairs); i += 2 {
		total += uint64(pairs[i])
	}
	var out []step
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == 0 {
			continue
		}
		sum += uint64(pairs[i+1])
		high, low := bits.Mul64(sum, 1<<32)
		share, _ := bits.Div64(high, low, total)
		out = append(out, step{pairs[i], uint32(min(share, 1<<32-1))})
	}
	return out
}

// pick gives the value at a probability.
func pick(steps []step, u uint32) int64 {
	for _, s := range steps {
		if u < s.upTo {
			return s.value
		}
	}
	return steps[len(steps)-1].value
}
