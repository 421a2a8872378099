package main

import (
	"encoding/binary"
	"math"
	"slices"

	"paceline/workloads/profiles/fixed"
	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/strata"
)

// ranks are the shares at which what the model draws is made equal to what the file has at a position, in 10^-5: every two
// percent, and closer in the tails and around the median, where values may lie far apart.
var ranks = makeRanks()

func makeRanks() []int64 {
	out := []int64{0, 100, 500, 1000, 2000, 3000, 4000, 5000, 6000, 8000}
	for r := int64(10_000); r <= 90_000; r += 2000 {
		out = append(out, r)
	}
	out = append(out, 49_000, 49_500, 50_500, 51_000, 25_000, 75_000, 91_000, 92_000, 93_000, 94_000, 95_000, 96_000, 97_000, 98_000, 98_500, 98_800, 99_000, 99_200, 99_500, 99_800, 99_900, 100_000)
	slices.Sort(out)
	return out
}

// matchDraws is how many traces match draws: where values are far apart, a median of fewer is off by itself.
const matchDraws = 5_000_000

// match fills From and To: at each rank what the tables give, over all turns of a band, and what the file has.
func (r *rows) match(m *strata.Model) {
	var file [strata.Bands][strata.Variables][]int64
	for i := range r.turns {
		t := &r.turns[i]
		to := &file[strata.Band(t.position)]
		for v, value := range t.value {
			to[v] = append(to[v], value)
		}
	}
	m.From, m.To = nil, nil
	drawn := histograms(m, rounds, matchDraws)
	for band := range file {
		for v, values := range file[band] {
			slices.Sort(values)
			for _, rank := range ranks {
				m.From = append(m.From, drawn[band][v].at(rank))
				m.To = append(m.To, knot(fixed.Log2(uint64(values[max(place(rank, len(values)), 0)]))))
			}
		}
	}
}

// place is where the value of a rank stands among n sorted ones: the least that so many of them do not exceed.
func place(rank int64, n int) int { return int(math.Ceil(float64(rank)*float64(n)/100_000)) - 1 }

// knot shortens a logarithm to the places of From and To.
func knot(log int64) int64 { return log >> (fixed.LogBits - strata.KnotBits) }

// histogram counts logarithms.
type histogram struct {
	counts [24 << strata.KnotBits]int32
	n      int
}

func (h *histogram) add(log int64) {
	h.counts[knot(log)]++
	h.n++
}

func (h *histogram) at(rank int64) int64 {
	left := max(place(rank, h.n), 0)
	for log, n := range h.counts {
		if left -= int(n); left < 0 {
			return int64(log)
		}
	}
	return int64(len(h.counts)) - 1
}

// histograms draws traces and counts what their tables gave, by band and variable.
func histograms(m *strata.Model, round uint64, n int) *[strata.Bands][strata.Variables]histogram {
	out := &[strata.Bands][strata.Variables]histogram{}
	var t shape.Trace
	for i := range uint64(n) {
		m.DrawWatched(stream(round, i), &t, func(seen strata.Seen) {
			to := &out[strata.Band(seen.Position)]
			for v, log := range seen.Logs {
				to[v].add(log)
			}
		})
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
