package metrics

import (
	"math/big"

	"paceline/core/stats"
)

// Target is one of several targets of a run.
type Target struct {
	Name         string
	Weight       int64 // of its conversations among those of all
	Accelerators int   // behind this one; 0: not told
}

// noOwnAccelerators is why a target of several has no cost of its own by the hour.
const noOwnAccelerators = "accelerators of the target not given"

// ByAccelerators says that a cost by the hour was shared out by the accelerators of each target.
const ByAccelerators = "accelerators"

// targets splits the figures by target; nil where there is one.
func (d *data) targets(w Window, m *Metrics) []Part {
	if len(d.Targets) < 2 {
		return nil
	}
	whole := d.sums(w)
	var weights int64
	for _, t := range d.Targets {
		weights += t.Weight
	}
	list := make([]Part, 0, len(d.Targets))
	for _, t := range d.Targets {
		part := d.part(func(c *conversation) bool { return c.Target == t.Name })
		part.Accelerators = t.Accelerators
		p := part.figures(t.Name, w, whole)
		asked := figure(stats.Ratio(t.Weight, weights), NoSamples)
		p.Shares.Asked = &asked
		p.Cost = d.partCost(part, &p, m, w, ByAccelerators, int64(t.Accelerators), int64(d.Accelerators), noOwnAccelerators)
		list = append(list, p)
	}
	return list
}

// partCost is the cost of a part: of tokens its own, of hours n of all that the whole costs; none says why n is 0.
func (d *data) partCost(part *data, p *Part, m *Metrics, w Window, by string, n, all int64, none string) *Cost {
	if d.Prices == nil {
		return nil
	}
	c := &Cost{Currency: d.Prices.Currency, Date: d.Prices.Date, Basis: m.Cost.Basis, SharedBy: by}
	var spent, whole *big.Rat // nano
	output, reason := p.Throughput.TokensInside, none
	if d.Prices.Tokens != nil {
		c.SharedBy = ByTokens
		spent, output, reason = part.tokenCost(w)
		whole, _, _ = d.tokenCost(w)
	} else if n > 0 && all > 0 {
		whole = d.hourCost(w)
		spent = new(big.Rat).Mul(whole, big.NewRat(n, all))
	}
	if spent == nil {
		c.Window, c.MillionOutput, c.Trajectory, c.Share = Figure{Reason: reason}, Figure{Reason: reason}, Figure{Reason: reason}, &Figure{Reason: reason}
		return c
	}
	c.fill(spent, output, &p.Throughput, p.Trajectories.Completed)
	share := Figure{Reason: NoSamples}
	if whole != nil && whole.Sign() > 0 {
		v, _ := new(big.Rat).Quo(spent, whole).Float64()
		share = Figure{Value: stats.Of(v)}
	}
	c.Share = &share
	return c
}
