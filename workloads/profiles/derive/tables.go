package main

import (
	"math"
	"slices"

	"paceline/workloads/profiles/strata"
)

// levels are the probabilities of a table's values, in 10^-5.
var levels = []int64{0, 500, 1000, 2500, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 45_000, 50_000, 55_000, 60_000, 65_000,
	70_000, 75_000, 80_000, 85_000, 87_500, 90_000, 92_500, 95_000, 97_000, 98_000, 99_000, 99_500, 99_900, 100_000}

// minTable is the least number of turns that a table is made of.
const minTable = 75

// spreads is how many places of a latent variable a table keeps.
const spreads = len(strata.SpreadAt)

// quantiles reads values at the levels. The k-th of n values stands at (k - 1/2) / n; between two of them lies a straight line
// of their logarithms, as between two values of a table.
func quantiles(values []int64) []int64 {
	slices.Sort(values)
	out := make([]int64, len(levels))
	for i, l := range levels {
		place := min(max(float64(l)/100_000*float64(len(values))-0.5, 0), float64(len(values)-1))
		low, high := values[int(place)], values[int(math.Ceil(place))]
		out[i] = low
		if share := place - math.Floor(place); high > low {
			out[i] = int64(math.Round(math.Exp(math.Log(float64(max(low, 1)))*(1-share) + math.Log(float64(high))*share)))
		}
	}
	return out
}

// region is a set of turns that share tables: one row, some classes, some bands.
type region struct {
	row                int
	fromClass, toClass int // the second is beyond
	fromBand, toBand   int
}

func (g region) holds(row, class, band int) bool {
	return row == g.row && class >= g.fromClass && class < g.toClass && band >= g.fromBand && band < g.toBand
}

// halves are what a region falls into: bands first, then classes.
func (g region) halves() (region, region, bool) {
	a, b := g, g
	switch {
	case g.toBand-g.fromBand > 1:
		a.toBand = (g.fromBand + g.toBand) / 2
		b.fromBand = a.toBand
	case g.toClass-g.fromClass > 1:
		a.toClass = (g.fromClass + g.toClass) / 2
		b.fromClass = a.toClass
	default:
		return g, g, false
	}
	return a, b, true
}

// members gives the turns of a region.
func (r *rows) members(g region, longs []bool) []*turn {
	var out []*turn
	for i := range r.turns {
		t := &r.turns[i]
		if g.holds(strata.Row(t.kind, longs[t.trace]), r.class[t.trace], strata.Band(t.position)) {
			out = append(out, t)
		}
	}
	return out
}

// few is the share of a region's turns, as its inverse, below which a half is too small to matter: it keeps the tables of the whole.
const few = 20

// divide halves a region as long as each half has turns enough for tables of its own, or hardly any.
func (r *rows) divide(m *strata.Model, g region, longs []bool, inherited int) {
	members := r.members(g, longs)
	if len(members) >= minTable {
		inherited = len(m.Spread) / strata.Variables / spreads
		addTable(m, members)
	}
	a, b, ok := g.halves()
	if ok {
		na, nb := len(r.members(a, longs)), len(r.members(b, longs))
		if enough(na, len(members)) && enough(nb, len(members)) && max(na, nb) >= minTable {
			r.divide(m, a, longs, inherited)
			r.divide(m, b, longs, inherited)
			return
		}
	}
	for class := g.fromClass; class < g.toClass; class++ {
		for band := g.fromBand; band < g.toBand; band++ {
			m.Cells[(g.row*strata.Classes+class)*strata.Bands+band] = int64(inherited)
		}
	}
}

func enough(half, whole int) bool { return half >= minTable || half*few <= whole }

// tables fills cells and tables, and gives each turn its table and its latent variables in it.
func (r *rows) tables(m *strata.Model, longs []bool) {
	m.Cells = make([]int64, strata.Rows*strata.Classes*strata.Bands)
	for row := range strata.Rows {
		r.divide(m, region{row, 0, strata.Classes, 0, strata.Bands}, longs, 0)
	}
	prune(m)
	r.latent(m, longs)
}

// prune drops the tables of regions that were divided whole.
func prune(m *strata.Model) {
	number := map[int64]int64{}
	var tables, spread []int64
	size, wide := int64(strata.Variables*len(levels)), int64(strata.Variables*spreads)
	for i, c := range m.Cells {
		if _, ok := number[c]; !ok {
			number[c] = int64(len(number))
			tables = append(tables, m.Tables[c*size:(c+1)*size]...)
			spread = append(spread, m.Spread[c*wide:(c+1)*wide]...)
		}
		m.Cells[i] = number[c]
	}
	m.Tables, m.Spread = tables, spread
}

func addTable(m *strata.Model, members []*turn) {
	for v := range strata.Variables {
		values := make([]int64, len(members))
		for i, t := range members {
			values[i] = t.value[v]
		}
		m.Tables = append(m.Tables, quantiles(values)...)
		for _, share := range strata.SpreadAt {
			m.Spread = append(m.Spread, fixedPoint(share))
		}
	}
}

// latent scores the turns of each table.
func (r *rows) latent(m *strata.Model, longs []bool) {
	of := make([][]*turn, len(m.Spread)/spreads/strata.Variables)
	for i := range r.turns {
		t := &r.turns[i]
		t.table = int(m.Cells[(strata.Row(t.kind, longs[t.trace])*strata.Classes+r.class[t.trace])*strata.Bands+strata.Band(t.position)])
		of[t.table] = append(of[t.table], t)
	}
	for _, turns := range of {
		for v := range strata.Variables {
			values := make([]float64, len(turns))
			for i, t := range turns {
				values[i] = float64(t.value[v])
			}
			for i, z := range scores(values) {
				turns[i].latent[v] = z
			}
		}
	}
}
