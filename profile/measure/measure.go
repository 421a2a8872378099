// Package measure sums up traces: quantiles of each quantity by position and over whole traces, autocorrelation, and the
// cache hit rate that an engine with an infinite cache would reach.
package measure

import (
	"math"
	"slices"
	"strconv"

	"paceline/workloads/profiles/shape"
)

// Percents are the quantiles that are told.
var Percents = []float64{5, 25, 50, 75, 90, 95, 99}

// Quantities of a turn, with a value at each position.
const (
	Assistant = "assistant"
	Tool      = "tool"
	Wait      = "wait_ms"
)

// Bands of positions, by the first one of each.
var bandStarts = []int{0, 1, 2, 4, 7, 12, 25}

// Bands name the bands of positions.
var Bands = bandNames()

func bandNames() []string {
	var names []string
	for i, from := range bandStarts {
		switch {
		case i == len(bandStarts)-1:
			names = append(names, strconv.Itoa(from)+"+")
		case bandStarts[i+1] == from+1:
			names = append(names, strconv.Itoa(from))
		default:
			names = append(names, strconv.Itoa(from)+"-"+strconv.Itoa(bandStarts[i+1]-1))
		}
	}
	return names
}

// Kind says what a quantity is of, and so how close two of them are expected to be.
type Kind string

// Kinds of quantities.
const (
	Turn  Kind = "turn"  // of a turn, at some positions
	Trace Kind = "trace" // of a trace, drawn as such
	Sum   Kind = "sum"   // a sum over the turns of a trace
)

// Quantity is the distribution of one quantity.
type Quantity struct {
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`
	Position  string    `json:"position,omitempty"` // turns, counted from 0
	Count     int       `json:"count"`
	Mean      float64   `json:"mean"`
	Quantiles []float64 `json:"quantiles"` // at Percents
	// Low and High are the quantiles one standard error of the rank below and above: what so many values know of a quantile.
	Low  []float64 `json:"low"`
	High []float64 `json:"high"`
}

// Correlation is the autocorrelation of the logarithms of a quantity.
type Correlation struct {
	Name string  `json:"name"`
	Lag1 float64 `json:"lag1"`
	Lag2 float64 `json:"lag2"`
	Lag8 float64 `json:"lag8"`
}

// Summary is what traces look like together.
type Summary struct {
	Traces      int           `json:"traces"`
	Turns       int           `json:"turns"`
	Percents    []float64     `json:"percents"`
	Quantities  []Quantity    `json:"quantities"`
	Correlation []Correlation `json:"autocorrelation"`
	HitTokens   float64       `json:"ideal_hit_rate_tokens"` // cached by prompt tokens, in percent
	HitTraces   float64       `json:"ideal_hit_rate_traces"` // mean of the traces' rates, in percent
}

// Collector gathers traces. Its zero value is ready.
type Collector struct {
	turns  map[string][][]int64
	traces map[string][]int64
	chains [3]chain
	n      int
	hits   float64
	cached float64
	prompt float64
}

// whole are the quantities of a trace, in the order in which they are told.
var whole = []struct {
	name string
	kind Kind
}{{"turns", Trace}, {"input", Trace}, {"final", Trace}, {"context", Sum}, {"prompt_tokens", Sum}, {"output_tokens", Sum}, {"tool_tokens", Sum}, {"wait_ms", Sum}}

// Add takes one trace in.
func (c *Collector) Add(t *shape.Trace) {
	if c.traces == nil {
		c.traces, c.turns = map[string][]int64{}, map[string][][]int64{}
		for _, name := range []string{Assistant, Tool, Wait} {
			c.turns[name] = make([][]int64, len(bandStarts))
		}
	}
	c.n++
	context, prompt, cached, output, tool, wait := t.Input, t.Input, int64(0), t.Final, int64(0), int64(0)
	band := 0
	for i, turn := range t.Turns {
		for band+1 < len(bandStarts) && i >= bandStarts[band+1] {
			band++
		}
		for v, value := range [...]int64{turn.Assistant, turn.Tool, turn.Wait / 1000} {
			name := [...]string{Assistant, Tool, Wait}[v]
			c.turns[name][band] = append(c.turns[name][band], value)
			c.chains[v].add(value, i == 0)
		}
		cached += context + turn.Assistant
		context += turn.Assistant + turn.Tool
		prompt += context
		output, tool, wait = output+turn.Assistant, tool+turn.Tool, wait+turn.Wait
	}
	for i, value := range [...]int64{int64(len(t.Turns)), t.Input, t.Final, context, prompt, output, tool, wait / 1000} {
		c.traces[whole[i].name] = append(c.traces[whole[i].name], value)
	}
	c.cached, c.prompt = c.cached+float64(cached), c.prompt+float64(prompt)
	if prompt > 0 {
		c.hits += float64(cached) / float64(prompt)
	}
}

// Summary sums up. The collector may go on afterwards.
func (c *Collector) Summary() *Summary {
	s := &Summary{Traces: c.n, Percents: Percents}
	for _, name := range []string{Assistant, Tool, Wait} {
		for band, values := range c.turns[name] {
			if name == Assistant {
				s.Turns += len(values)
			}
			s.Quantities = append(s.Quantities, quantity(name, Turn, Bands[band], values))
		}
	}
	for _, w := range whole {
		s.Quantities = append(s.Quantities, quantity(w.name, w.kind, "", c.traces[w.name]))
	}
	for v, name := range []string{Assistant, Tool, Wait} {
		k := &c.chains[v]
		s.Correlation = append(s.Correlation, Correlation{name, k.lag(1), k.lag(2), k.lag(8)})
	}
	if c.prompt > 0 {
		s.HitTokens, s.HitTraces = round(100*c.cached/c.prompt), round(100*c.hits/float64(c.n))
	}
	return s
}

func quantity(name string, kind Kind, position string, values []int64) Quantity {
	q := Quantity{Name: name, Kind: kind, Position: position, Count: len(values)}
	if len(values) == 0 {
		return q
	}
	slices.Sort(values)
	sum := int64(0)
	for _, v := range values {
		sum += v
	}
	q.Mean = round(float64(sum) / float64(len(values)))
	for _, p := range Percents {
		scatter := math.Sqrt(p * (100 - p) / float64(len(values)))
		q.Low, q.Quantiles, q.High = append(q.Low, At(values, p-scatter)), append(q.Quantiles, At(values, p)), append(q.High, At(values, p+scatter))
	}
	return q
}

// At gives the quantile of sorted values: the least one that at least that share of them does not exceed.
func At(sorted []int64, percent float64) float64 {
	i := int(math.Ceil(float64(len(sorted))*percent/100-1e-9)) - 1
	return float64(sorted[min(max(i, 0), len(sorted)-1)])
}

// round keeps six decimal places, so that equal traces give equal bytes.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }
