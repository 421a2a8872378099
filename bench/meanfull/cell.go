package main

import (
	"context"
	"math/rand/v2"
	"time"

	"paceline/core/sim"
)

// Mode says which conversations are played.
type Mode string

// Modes: the whole distribution of a profile, or its mean conversation again and again.
const (
	ModeFull Mode = "full"
	ModeMean Mode = "mean"
)

// Start says how the users of a run start.
type Start string

// Starts. Spread is anywhere within the time that the mean conversation takes with so many users, each instant as likely; loose is
// spread, and each wait of mean replay is anywhere between none and twice its length, so that users who fell into step leave it again.
const (
	StartSpread   Start = "spread"
	StartTogether Start = "together"
	StartLoose    Start = "loose"
)

// Cell is a place in the experiment.
type Cell struct {
	Profile string  `json:"profile"`
	Users   int     `json:"users"`
	Factor  float64 `json:"kv_factor"` // of the KV cache: times users times mean final context
}

// Run is one run of a cell.
type Run struct {
	Cell
	Seed uint64
	Mode Mode
}

// Bench is what all runs share.
type Bench struct {
	Preset          sim.Preset
	Profiles        map[string]*Profile
	Warmup, Measure time.Duration
	Start           Start
}

// kvTokens is the size of the KV cache of a cell, whole blocks.
func (b *Bench) kvTokens(c Cell) int {
	n, block := int(c.Factor*float64(c.Users*b.Profiles[c.Profile].FinalContext)), b.Preset.Config.BlockTokens
	return n / block * block
}

func (b *Bench) play(ctx context.Context, r Run) (sim.Replayed, error) {
	p := b.Profiles[r.Profile]
	return sim.Replay{
		Config: b.Preset.Over(sim.Config{KVTokens: b.kvTokens(r.Cell)}),
		Users:  b.starts(r),
		Next:   p.source(r.Mode, r.Seed, b.Start == StartLoose),
		Warmup: b.Warmup, Measure: b.Measure,
	}.Run(ctx)
}

// starts says when users start, in both modes alike.
func (b *Bench) starts(r Run) []time.Duration {
	list := make([]time.Duration, r.Users)
	if b.Start == StartTogether {
		return list
	}
	random := rand.New(rand.NewPCG(r.Seed, uint64(r.Users)))
	for i := range list {
		list[i] = time.Duration(random.Int64N(int64(b.meanTime(r.Cell))))
	}
	return list
}

// meanTime is about how long the mean conversation takes: its waits, and its answers at the pace of a batch of all users whose
// contexts are half of the final one.
func (b *Bench) meanTime(c Cell) time.Duration {
	p, cost := b.Profiles[c.Profile], b.Preset.Config.Cost
	pace := cost.Base + time.Duration(c.Users)*(cost.DecodeSequence+time.Duration(p.FinalContext/2)*cost.ContextToken)
	sum := time.Duration(0)
	for _, t := range turns(&p.Mean) {
		sum += t.Wait + time.Duration(t.Answer)*pace
	}
	return sum
}
