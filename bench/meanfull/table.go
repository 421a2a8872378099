package main

import (
	"math"
	"strings"

	"paceline/core/sim"
)

// Table is the experiment as people read it: a row for each cell.
type Table struct {
	Settings string      `json:"settings"`
	Profiles []MeanTrace `json:"profiles"`
	Rows     []Row       `json:"rows"`
}

// MeanTrace is what mean replay plays of a profile.
type MeanTrace struct {
	Profile      string  `json:"profile"`
	FinalContext int     `json:"mean_final_context"`
	Turns        int     `json:"turns"`
	Input        int64   `json:"input"`
	Assistant    int64   `json:"assistant"`
	Tool         int64   `json:"tool"`
	WaitSeconds  float64 `json:"wait_s"`
	Final        int64   `json:"final"`
}

// Row is one cell.
type Row struct {
	Cell
	KVTokens int      `json:"kv_tokens"`
	Seeds    int      `json:"seeds"`
	Full     Side     `json:"full"`
	Mean     Side     `json:"mean"`
	Ratio    Interval `json:"mean_over_full"`
}

// Side is one mode of a cell: means over the seeds, and what is most.
type Side struct {
	Rate        Interval `json:"tokens_per_s"`
	UseMean     float64  `json:"kv_use_mean"`
	UseMax      float64  `json:"kv_use_max"`
	Hit         float64  `json:"hit_rate"`
	Preemptions float64  `json:"preemptions_per_1000"`
	Requests    int      `json:"requests"`
	Refused     int      `json:"runs_refused"`
	Context     float64  `json:"context_per_decoding_sequence"`
	Idle        float64  `json:"idle_share"`
	Parts       Parts    `json:"ms_per_token"`
}

// Parts is where the time of a run went, in milliseconds for each token of an answer.
type Parts struct {
	Base    float64 `json:"base"`
	Prefill float64 `json:"prefill"`
	Decode  float64 `json:"decode"`
	Context float64 `json:"context"`
	Idle    float64 `json:"idle"`
}

// tabulate sums up records, which come as full and mean of one seed after the other, cell by cell.
func tabulate(b *Bench, records []Record) *Table {
	t := &Table{Settings: strings.TrimSuffix(strings.TrimPrefix(b.settings(), "# "), "\n")}
	seen := map[string]bool{}
	for len(records) > 0 {
		n := 0
		for n < len(records) && records[n].Cell == records[0].Cell {
			n++
		}
		if p := b.Profiles[records[0].Profile]; !seen[p.Name] {
			seen[p.Name] = true
			t.Profiles = append(t.Profiles, meanTrace(p))
		}
		t.Rows = append(t.Rows, b.cell(records[:n]))
		records = records[n:]
	}
	return t
}

func meanTrace(p *Profile) MeanTrace {
	m := MeanTrace{Profile: p.Name, FinalContext: p.FinalContext, Turns: len(p.Mean.Turns), Input: p.Mean.Input, Final: p.Mean.Final}
	if m.Turns > 0 {
		m.Assistant, m.Tool, m.WaitSeconds = p.Mean.Turns[0].Assistant, p.Mean.Turns[0].Tool, float64(p.Mean.Turns[0].Wait)/1e6
	}
	return m
}

func (b *Bench) cell(records []Record) Row {
	var full, mean []*Record
	var logs []float64
	for i := 0; i+1 < len(records); i += 2 {
		f, m := &records[i], &records[i+1]
		full, mean = append(full, f), append(mean, m)
		logs = append(logs, math.Log(m.rate()/f.rate()))
	}
	ratio := interval(logs)
	return Row{
		Cell: records[0].Cell, KVTokens: b.kvTokens(records[0].Cell), Seeds: len(full),
		Full: side(full, b.Preset.Config.Cost), Mean: side(mean, b.Preset.Config.Cost),
		Ratio: Interval{math.Exp(ratio.Mean), math.Exp(ratio.Low), math.Exp(ratio.High)},
	}
}

func side(records []*Record, cost sim.Cost) Side {
	var s Side
	var rates []float64
	var sum sim.Replayed
	for _, r := range records {
		rates = append(rates, r.rate())
		s.UseMean += r.UseMean / float64(len(records))
		s.UseMax = max(s.UseMax, r.UseMax)
		sum.Requests += r.Requests
		sum.Refused += r.Refused
		sum.Preemptions += r.Preemptions
		sum.CachedTokens += r.CachedTokens
		sum.PromptTokens += r.PromptTokens
		sum.AnswerTokens += r.AnswerTokens
		sum.Computed += r.Computed
		sum.Pairs += r.Pairs
		sum.Context += r.Context
		sum.Decoded += r.Decoded
		sum.Steps += r.Steps
		sum.Idle += r.Idle
		sum.Time += r.Time
	}
	s.Rate, s.Requests, s.Refused = interval(rates), sum.Requests, sum.Refused
	s.Hit = quotient(float64(sum.CachedTokens), float64(sum.PromptTokens))
	s.Preemptions = quotient(1000*float64(sum.Preemptions), float64(sum.Requests))
	s.Context = quotient(float64(sum.Context), float64(sum.Decoded))
	s.Idle = quotient(sum.Idle.Seconds(), sum.Time.Seconds())
	each := func(n int64, cost float64) float64 { return quotient(float64(n)*cost/1e6, float64(sum.AnswerTokens)) }
	s.Parts = Parts{
		Base:    each(int64(sum.Steps), float64(cost.Base)),
		Prefill: each(sum.Computed, float64(cost.PrefillToken)) + each(sum.Pairs, float64(cost.PrefillPair)),
		Decode:  each(sum.Decoded, float64(cost.DecodeSequence)),
		Context: each(sum.Context, float64(cost.ContextToken)),
		Idle:    each(int64(sum.Idle), 1),
	}
	return s
}

func quotient(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
