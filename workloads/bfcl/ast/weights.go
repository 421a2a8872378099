package ast

import "paceline/workloads/bfcl/category"

// one is the share 1 in units of 10^-12. Each share is rounded to that once, half up, so a mean of them is exact to far below
// a micro-unit.
const one = 1_000_000_000_000

// pico is the share of right answers. Of up to 18 million answers the product fits.
func (t tally) pico() uint64 { return (t.right*one + t.scored/2) / t.scored }

// micro rounds a share half up.
func micro(pico uint64) int64 { return int64((pico + 500_000) / 1_000_000) }

func mean(shares []uint64) uint64 {
	sum := uint64(0)
	for _, s := range shares {
		sum += s
	}
	n := uint64(len(shares))
	return (sum + n/2) / n
}

type share struct {
	name string
	pico uint64
}

// leaderboardPoints is what each of the three groups counts in the leaderboard's overall score, of 100; the rest is for
// several turns and for agents.
const leaderboardPoints = 10

// shares gives the weighted shares. The groups are those of the leaderboard's columns: non_live is the mean of simple,
// multiple, parallel and parallel_multiple, and simple the mean of its three languages; live weighs its categories by their
// answers; hallucination is the mean of both irrelevances. normalized_single_turn is the mean of the groups that were asked,
// as MLPerf's edge benchmark counts; leaderboard what the three, all asked whole, add to the leaderboard's overall score.
func (a *account) shares() []share {
	var all, simple, nonLive, hallucination []uint64
	var live tally
	asked := 0 // categories of the three groups
	for i := range category.All {
		c, t := &category.All[i], a.of[i]
		if t.scored == 0 {
			continue
		}
		all = append(all, t.pico())
		if c.Group != category.Alone {
			asked++
		}
		switch {
		case c.Group == category.Live:
			live.add(t)
		case c.Group == category.Hallucination:
			hallucination = append(hallucination, t.pico())
		case c.Group == category.NonLive && c.Calls == category.One:
			simple = append(simple, t.pico())
		case c.Group == category.NonLive:
			nonLive = append(nonLive, t.pico())
		}
	}
	out := []share{{"unweighted", mean(all)}}
	var groups []uint64
	add := func(name category.Group, pico uint64) {
		out, groups = append(out, share{string(name), pico}), append(groups, pico)
	}
	if len(simple) > 0 {
		nonLive = append(nonLive, mean(simple))
	}
	if len(nonLive) > 0 {
		add(category.NonLive, mean(nonLive))
	}
	if live.scored > 0 {
		add(category.Live, live.pico())
	}
	if len(hallucination) > 0 {
		add(category.Hallucination, mean(hallucination))
	}
	if len(groups) > 0 {
		out = append(out, share{"normalized_single_turn", mean(groups)})
	}
	if asked == len(category.All)-1 {
		out = append(out, share{"leaderboard", (groups[0] + groups[1] + groups[2]) * leaderboardPoints / 100})
	}
	return out
}
