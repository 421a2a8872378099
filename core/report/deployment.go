package report

import (
	"strconv"
	"time"

	"paceline/core/metrics"
)

// objectives are the bounds of goodput as a run keeps them.
type objectives struct {
	TTFT              time.Duration `json:"ttft_ns"`
	TTFTAnswer        time.Duration `json:"ttft_answer_ns"`
	Latency           time.Duration `json:"latency_ns"`
	TPOT              time.Duration `json:"tpot_ns"`
	ResponseTime      time.Duration `json:"response_time_ns"`
	TrajectoryLatency time.Duration `json:"trajectory_latency_ns"`
	TTFAT             time.Duration `json:"ttfat_ns"`
}

// list are those that were given, in a fixed order.
func (o *objectives) list() []metrics.Objective {
	var list []metrics.Objective
	for _, g := range []metrics.Objective{
		{Metric: metrics.ObjTTFT, AtMost: o.TTFT}, {Metric: metrics.ObjTTFTAnswer, AtMost: o.TTFTAnswer},
		{Metric: metrics.ObjLatency, AtMost: o.Latency}, {Metric: metrics.ObjTPOT, AtMost: o.TPOT},
		{Metric: metrics.ObjResponse, AtMost: o.ResponseTime}, {Metric: metrics.ObjTrajectoryLatency, AtMost: o.TrajectoryLatency},
		{Metric: metrics.ObjTTFAT, AtMost: o.TTFAT},
	} {
		if g.AtMost > 0 {
			list = append(list, g)
		}
	}
	return list
}

// costText is what the run cost, in one line.
func costText(c *metrics.Cost) string {
	per := map[string]string{metrics.ByHour: "by accelerator hours", metrics.ByTokens: "by tokens"}[c.Basis]
	return amount(c.MillionOutput, c.Currency+" per million output tokens") + "; " + amount(c.Trajectory, c.Currency+" per completed trajectory") + "; " + per + ", prices of " + c.Date
}

// amount is money with four digits, however little it is.
func amount(f metrics.Figure, unit string) string {
	v, ok := f.Value.Get()
	if !ok {
		return "no " + unit + " (" + f.Reason + ")"
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " " + unit
}
