package metrics

import (
	"math/big"

	"paceline/core/stats"
)

// Reasons of Cost.
const (
	noCompleted = "no trajectory was completed"
	noOutput    = "no output tokens"
)

// Nano is an amount of money in billionths of its currency's unit.
type Nano int64

// Prices is what the target costs: by the hour, or by the token. Exactly one of the two is given.
type Prices struct {
	Currency string
	Date     string // of the prices
	// Hour is what all accelerators behind the target cost in an hour, energy included.
	Hour Nano
	// Tokens is the price of a million tokens.
	Tokens *TokenPrices
}

// TokenPrices are prices of a million tokens.
type TokenPrices struct {
	Input, Output Nano
	// Cached is the price of input tokens that the target took from its cache; nil: that of Input.
	Cached *Nano
}

// Bases of costs.
const (
	ByHour   = "accelerator_hours"
	ByTokens = "tokens"
)

// Cost is what the window cost. By the hour it is the whole of the window, whatever was sent; by the token it is what the
// target told of the ok turns that ended inside.
type Cost struct {
	Currency      string `json:"currency"`
	Date          string `json:"date"`
	Basis         string `json:"basis"`
	Window        Figure `json:"window"`
	MillionOutput Figure `json:"per_million_output_tokens"`
	Trajectory    Figure `json:"per_completed_trajectory"`
	// Share is that of a part of the run in the whole, and SharedBy by what it was shared out.
	Share    *Figure `json:"share,omitempty"`
	SharedBy string  `json:"shared_by,omitempty"`
}

func (d *data) cost(w Window, m *Metrics) *Cost {
	if d.Prices == nil {
		return nil
	}
	c := &Cost{Currency: d.Prices.Currency, Date: d.Prices.Date, Basis: ByHour}
	var spent *big.Rat // nano
	output, reason := m.Throughput.TokensInside, ""
	if d.Prices.Tokens == nil {
		spent = d.hourCost(w)
	} else {
		c.Basis = ByTokens
		spent, output, reason = d.tokenCost(w)
	}
	if spent == nil {
		c.Window, c.MillionOutput, c.Trajectory = Figure{Reason: reason}, Figure{Reason: reason}, Figure{Reason: reason}
		return c
	}
	c.fill(spent, output, &m.Throughput, m.Trajectories.Completed)
	return c
}

// hourCost is what the accelerators of all targets cost during the window.
func (d *data) hourCost(w Window) *big.Rat {
	return new(big.Rat).Mul(ratio(int64(d.Prices.Hour)), big.NewRat(w.Span(), 3_600_000_000_000))
}

// fill divides what was spent.
func (c *Cost) fill(spent *big.Rat, output int64, t *Throughput, completed int) {
	c.Window = figure(money(spent, 1), noOutput)
	c.MillionOutput = figure(money(new(big.Rat).Mul(spent, ratio(1_000_000)), output), t.noOutput())
	c.Trajectory = figure(money(spent, int64(completed)), noCompleted)
}

// tokenCost adds up the tokens of the ok turns that ended inside; nil and why where any of them was not told.
func (d *data) tokenCost(w Window) (spent *big.Rat, output int64, reason string) {
	p := d.Prices.Tokens
	var input, cached int64
	for _, t := range d.turns {
		switch {
		case !t.ok() || !w.Contains(t.Timing.Done):
			continue
		case !t.in.ok || !t.out.ok:
			return nil, 0, NoUsage
		case p.Cached != nil && !t.cached.ok:
			return nil, 0, NoCachedTokens
		}
		output += t.out.n
		input += t.in.n
		if p.Cached != nil {
			cached += t.cached.n
		}
	}
	sum := new(big.Rat).Mul(ratio(input-cached), ratio(int64(p.Input)))
	sum.Add(sum, new(big.Rat).Mul(ratio(output), ratio(int64(p.Output))))
	if p.Cached != nil {
		sum.Add(sum, new(big.Rat).Mul(ratio(cached), ratio(int64(*p.Cached))))
	}
	return sum.Quo(sum, ratio(1_000_000)), output, ""
}

// noOutput says why there is nothing to divide a cost by.
func (t *Throughput) noOutput() string {
	if t.System.Reason != "" {
		return t.System.Reason
	}
	return noOutput
}

func ratio(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// money is so many billionths over n, in whole units of the currency; none where n is 0. A fraction of integers has one nearest float64 on
// every machine.
func money(nano *big.Rat, n int64) stats.Num {
	if n == 0 {
		return stats.None()
	}
	v, _ := new(big.Rat).Quo(nano, new(big.Rat).Mul(ratio(n), ratio(1_000_000_000))).Float64()
	return stats.Of(v)
}
