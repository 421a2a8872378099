package main

import (
	"slices"

	"paceline/workloads/profiles/strata"
)

// match moves the values of every table by what the file and a round of drawing have at the same rank, over all turns of the
// table's bands: what is left of the difference between both at a position is gone then.
func (r *rows) match(m *strata.Model, seen *drawn) {
	var file [strata.Bands][strata.Variables][]int64
	for i := range r.turns {
		t := &r.turns[i]
		for v, value := range t.value {
			band := strata.Band(t.position)
			file[band][v] = append(file[band][v], value)
		}
	}
	for table, bands := range bandsOf(m) {
		for v := range strata.Variables {
			var is, want []int64
			for band := range strata.Bands {
				if bands[band] {
					is, want = append(is, seen.values[band][v]...), append(want, file[band][v]...)
				}
			}
			slices.Sort(is)
			slices.Sort(want)
			at := (table*strata.Variables + v) * len(levels)
			move(m.Tables[at:at+len(levels)], is, want)
		}
	}
}

func bandsOf(m *strata.Model) [][strata.Bands]bool {
	out := make([][strata.Bands]bool, len(m.Spread)/spreads/strata.Variables)
	for i, table := range m.Cells {
		out[table][i%strata.Bands] = true
	}
	return out
}

// move maps each value of a table; both lists are sorted.
func move(table []int64, is, want []int64) {
	for i, v := range table {
		from, _ := slices.BinarySearch(is, v)
		to, _ := slices.BinarySearch(is, v+1)
		place := float64(from+to) / 2 / float64(len(is)) * float64(len(want))
		k := min(int(place), len(want)-1)
		if i > 0 && i < len(table)-1 {
			table[i] = max(want[k], table[i-1])
		}
	}
	for i := len(table) - 2; i >= 0; i-- {
		table[i] = min(table[i], table[i+1])
	}
}
