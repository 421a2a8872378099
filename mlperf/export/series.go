package export

import (
	"strconv"

	"paceline/core/stats"
)

// Block is one series of result_summary.json, in nanoseconds or tokens. The zero Block, of a series without values, is {}.
type Block struct {
	Total       float64     `json:"total"`
	Min         float64     `json:"min"`
	Max         float64     `json:"max"`
	Median      float64     `json:"median"`
	Avg         float64     `json:"avg"`
	StdDev      float64     `json:"std_dev"`
	Percentiles Percentiles `json:"percentiles"`
	Early       *Estimates  `json:"early_stopping_percentiles,omitempty"`
	Histogram   Histogram   `json:"histogram"`
}

// Histogram has bins with their borders.
type Histogram struct {
	Buckets [][2]float64 `json:"buckets"`
	Counts  []int        `json:"counts"`
}

// grid are the percentiles of the reference client in thousandths, in its order.
var grid = []int64{999, 990, 970, 950, 900, 800, 750, 500, 250, 100, 50, 10}

// block describes values in base units, so many of them in one unit of the file. Whole sums are
// divided once, so the same values give the same bytes everywhere.
func block(values []int64, scale int64, early bool) Block {
	s := stats.NewSeries(append([]int64{}, values...), scale)
	n := s.Len()
	if n == 0 {
		return Block{}
	}
	unit := func(v int64) float64 { return stats.Ratio(v, scale).Or(0) }
	sorted := s.Values()
	b := Block{
		Total: s.Sum().Or(0), Min: unit(sorted[0]), Max: unit(sorted[n-1]), Median: unit(s.Lower(50)),
		Avg: s.Mean().Or(0), StdDev: s.StdDev().Or(0),
	}
	if early {
		b.Early = &Estimates{}
	}
	for _, p := range grid {
		b.Percentiles = append(b.Percentiles, Percentile{p, stats.Of(unit(s.Lower(float64(p) / 10)))})
		if early && p >= 500 {
			*b.Early = append(*b.Early, Percentile{p, s.Confident(stats.Quantile(p))})
		}
	}
	h := s.Histogram()
	b.Histogram.Counts = h.Counts
	for i := range h.Counts {
		b.Histogram.Buckets = append(b.Histogram.Buckets, [2]float64{h.Edges[i].Or(0), h.Edges[i+1].Or(0)})
	}
	return b
}

// Percentile is one of a list that is written as an object.
type Percentile struct {
	Permille int64
	Value    stats.Num // missing: null
}

// Percentiles are in the order of the reference's files.
type Percentiles []Percentile

// Estimates are those of early stopping.
type Estimates = Percentiles

// MarshalJSON writes {"99.9": value, ...}.
func (list Percentiles) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, strconv.FormatFloat(float64(p.Permille)/10, 'f', 1, 64))
		b = append(b, ':')
		v, ok := p.Value.Get()
		if !ok {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	return append(b, '}'), nil
}
