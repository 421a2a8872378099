package main

import (
	"fmt"
	"math"
	"slices"

	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/strata"
)

// How the model is corrected by what it draws.
const (
	rounds = 6
	draws  = 24_000 // and eight times as many in the last three
	damped = 0.6    // share of the difference that a round makes up for
)

// lags are the distances whose autocorrelations are held against those of the file: those that the coefficients on the turn
// before, on the one before that, and on the mean can move.
var lags = [...][]int{{1}, {2}, {4, 5, 6, 7, 8}}

var regressor = [...]int{strata.AtLag1, strata.AtLag2, strata.AtMean}

// lean is by how much less the waits of a trace are tied to each other than their autocorrelation says. Regressions of normal
// variables tie long waits to each other as much as short ones, and in the file it is mostly the short ones that are: with
// the full coefficients, sums over a trace spread too wide.
var lean = [len(lags)]float64{0.015, 0.025, 0.08}

// correlations are autocorrelations of the logarithms, by variable and entry of lags.
type correlations [strata.Variables][len(lags)]float64

// calibrate corrects spreads and coefficients in a few rounds of drawing.
func (r *rows) calibrate(m *strata.Model) {
	want := correlate(r.series())
	for l, less := range lean {
		want[2][l] -= less
	}
	base := append([]int64(nil), m.Slopes...)
	var shift correlations
	for round := range rounds {
		n := draws
		if round >= rounds-3 {
			n *= 8
		}
		seen := sample(m, uint64(round), n)
		got := correlate(seen.series)
		var off float64
		for v := range want {
			for l := range want[v] {
				off = max(off, math.Abs(want[v][l]-got[v][l]))
				if round < rounds-1 {
					shift[v][l] += damped * (want[v][l] - got[v][l])
				}
			}
		}
		fmt.Printf("round %d: autocorrelations are at most %.3f off\n", round+1, off)
		seen.spread(m)
		r.shares(m, seen)
		copy(m.Slopes, base)
		for set := range strata.Groups * strata.Places { // those of plain turns
			for v := range strata.Variables {
				for l, at := range regressor {
					m.Slopes[(set*strata.Variables+v)*strata.Regressors+at+v] += fixedPoint(shift[v][l])
				}
			}
		}
	}
	r.match(m)
}

// drawn is what a round of drawing showed.
type drawn struct {
	series [strata.Variables][][]float64 // logarithms of each trace
	latent [][strata.Variables][]float64 // by table
	kinds  [strata.Classes * strata.Places][strata.Kinds]float64
}

// at numbers classes and places.
func at(class, position int) int {
	return class*strata.Places + strata.Place(position)
}

func sample(m *strata.Model, round uint64, n int) *drawn {
	out := &drawn{latent: make([][strata.Variables][]float64, len(m.Spread)/spreads/strata.Variables)}
	var t shape.Trace
	for i := range uint64(n) {
		m.DrawWatched(stream(round, i), &t, func(seen strata.Seen) {
			out.kinds[at(seen.Class, seen.Position)][seen.Kind]++
			for v, z := range seen.Latent {
				out.latent[seen.Table][v] = append(out.latent[seen.Table][v], float64(z)/(1<<16))
			}
		})
		var logs [strata.Variables][]float64
		for _, turn := range t.Turns {
			for v, value := range []int64{turn.Assistant, turn.Tool, turn.Wait / 1000} {
				logs[v] = append(logs[v], math.Log(float64(max(value, 1))))
			}
		}
		for v := range logs {
			out.series[v] = append(out.series[v], logs[v])
		}
	}
	return out
}

// spread takes over the percentiles of the latent variables of tables that were drawn from often enough.
func (d *drawn) spread(m *strata.Model) {
	for table := range d.latent {
		for v, list := range d.latent[table] {
			if len(list) < 200 {
				continue
			}
			slices.Sort(list)
			at := (table*strata.Variables + v) * spreads
			for i, z := range strata.SpreadAt {
				share := math.Erfc(-z/math.Sqrt2) / 2
				m.Spread[at+i] = fixedPoint(list[int(share*float64(len(list)))])
			}
		}
	}
}

// series gives the logarithms of the file.
func (r *rows) series() [strata.Variables][][]float64 {
	var out [strata.Variables][][]float64
	for i := range r.traces {
		for v := range out {
			var logs []float64
			for _, t := range r.of(i) {
				logs = append(logs, math.Log(float64(max(t.value[v], 1))))
			}
			out[v] = append(out[v], logs)
		}
	}
	return out
}

func correlate(series [strata.Variables][][]float64) correlations {
	var out correlations
	for v := range out {
		for l, distances := range lags {
			for _, d := range distances {
				out[v][l] += correlation(series[v], d) / float64(len(distances))
			}
		}
	}
	return out
}

// correlation gives the correlation of values that are d turns apart, over all traces.
func correlation(series [][]float64, d int) float64 {
	var n, x, y, xx, yy, xy float64
	for _, s := range series {
		for i := d; i < len(s); i++ {
			a, b := s[i-d], s[i]
			n, x, y, xx, yy, xy = n+1, x+a, y+b, xx+a*a, yy+b*b, xy+a*b
		}
	}
	return (n*xy - x*y) / math.Sqrt((n*xx-x*x)*(n*yy-y*y))
}

// shares corrects the weights of the urn by how often each kind came at a place and how often it is there in the file.
func (r *rows) shares(m *strata.Model, seen *drawn) {
	var file [strata.Classes * strata.Places][strata.Kinds]float64
	for i := range r.turns {
		t := &r.turns[i]
		file[at(r.class[t.trace], t.position)][t.kind]++
	}
	for place := range file {
		var factor [strata.Kinds]float64
		inFile, inDrawn := sum(file[place][:]), sum(seen.kinds[place][:])
		if inFile == 0 || inDrawn == 0 {
			continue
		}
		for k := range factor {
			want, have := file[place][k]/inFile, seen.kinds[place][k]/inDrawn
			factor[k] = math.Pow((want+1e-4)/(have+1e-4), damped)
		}
		for prev := range strata.Kinds + 1 {
			for k := range strata.Kinds {
				w := &m.Weights[(place*(strata.Kinds+1)+prev)*strata.Kinds+k]
				*w = int64(math.Round(min(max(float64(*w)*factor[k]/factor[strata.Plain], 1), 1<<24)))
			}
		}
	}
}

func sum(list []float64) float64 {
	total := 0.0
	for _, v := range list {
		total += v
	}
	return total
}
