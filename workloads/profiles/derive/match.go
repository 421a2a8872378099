package main

import (
	"encoding/binary"
	"slices"

	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/strata"
)

// match moves the values of every table by what the file and a round of drawing have at the same rank, over all turns of the
// table's bands: what is left of the difference between both at a position is gone then.
func (r *rows) match(m *strata.Model, seen *byBand) {
	var file byBand
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
					is, want = append(is, seen[band][v]...), append(want, file[band][v]...)
				}
			}
			slices.Sort(is)
			slices.Sort(want)
			at := (table*strata.Variables + v) * len(levels)
			move(m.Tables[at:at+len(levels)], is, want)
		}
	}
}

// byBand are values by band and variable.
type byBand [strata.Bands][strata.Variables][]int64

// values draws traces and keeps their values only.
func values(m *strata.Model, round uint64, n int) *byBand {
	out := &byBand{}
	var t shape.Trace
	for i := range uint64(n) {
		m.Draw(stream(round, i), &t)
		for p, turn := range t.Turns {
			to := &out[strata.Band(p)]
			for v, value := range [...]int64{turn.Assistant, turn.Tool, turn.Wait / 1000} {
				to[v] = append(to[v], value)
			}
		}
	}
	return out
}

// stream gives the random numbers of one trace of a round.
func stream(round, i uint64) *shape.Random {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], i)
	binary.LittleEndian.PutUint64(seed[8:], round)
	return shape.NewRandom(seed)
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
