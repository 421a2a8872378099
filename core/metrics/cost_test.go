package metrics

import (
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/sample"
)

func TestPricesRefuse(t *testing.T) {
	good := PriceList{Schema: PriceSchema, Currency: "EUR", Date: "2026-11-01", AcceleratorHour: "2.5"}
	for want, change := range map[string]func(*PriceList){
		"schema:":                   func(l *PriceList) { l.Schema = "price/v2" },
		"currency:":                 func(l *PriceList) { l.Currency = "Euro" },
		"date:":                     func(l *PriceList) { l.Date = "yesterday" },
		"accelerator_hour: \"-1\"":  func(l *PriceList) { l.AcceleratorHour = "-1" },
		"accelerator_hour: \"NaN\"": func(l *PriceList) { l.AcceleratorHour = "NaN" },
		"accelerator_hour: \"1e9\"": func(l *PriceList) { l.AcceleratorHour = "1e9" },
		"and not both":              func(l *PriceList) { l.Input, l.Output = "1", "1" },
		"target.accelerators is 4":  func(l *PriceList) { l.Accelerators = 8 },
		"kwh and watts":             func(l *PriceList) { l.KWh = "0.2" },
		"pue:":                      func(l *PriceList) { l.PUE = "1.2" },
		"cached_input:":             func(l *PriceList) { l.CachedInput = "1" },
		"output: \"\"":              func(l *PriceList) { l.AcceleratorHour, l.Input = "", "1" },
		"belong to accelerator_hour": func(l *PriceList) {
			l.AcceleratorHour, l.Input, l.Output, l.Accelerators = "", "1", "1", 4
		},
	} {
		list := good
		change(&list)
		if _, err := list.Prices(4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := good.Prices(0); err == nil || !strings.Contains(err.Error(), "target.accelerators") {
		t.Errorf("without a number of accelerators: %v", err)
	}
}

func TestHourWithEnergy(t *testing.T) {
	l := PriceList{Schema: PriceSchema, Currency: "EUR", Date: "2026-11-01", AcceleratorHour: "2.5", Accelerators: 8, KWh: "0.22", Watts: "6400", PUE: "1.3"}
	p, err := l.Prices(0)
	if err != nil || p.Hour != 21_830_400_000 { // 20 + 6.4 * 1.3 * 0.22
		t.Errorf("%+v, %v", p, err)
	}
}

// TestCostNotTold leaves costs by the token empty where a count is missing, and says why.
func TestCostNotTold(t *testing.T) {
	prices := &Prices{Currency: "EUR", Date: "2026-11-01", Tokens: &TokenPrices{Input: 1, Output: 1}}
	of := func(change func(r *run)) *Cost {
		r := single(2, 300, event{ms: 100, ch: chat.Content}, event{ms: 200, ch: chat.Content})
		r.Prices = prices
		change(r)
		return Compute(&r.Input).Cost
	}
	if c := of(func(r *run) { r.Samples[0].Answer.Usage = chat.Usage{} }); c.Window.Reason != NoUsage || c.Window.Value.Valid() {
		t.Errorf("no usage: %+v", c)
	}
	cached := Nano(1)
	prices.Tokens.Cached = &cached
	if c := of(func(*run) {}); c.Trajectory.Reason != NoCachedTokens {
		t.Errorf("no cached tokens: %+v", c)
	}
	prices.Tokens, prices.Hour = nil, 3_600_000_000_000
	if c := of(func(r *run) { r.Conversations[0].State = sample.Failed }); c.Trajectory.Reason != noCompleted || !c.Window.Value.Valid() {
		t.Errorf("no trajectory: %+v", c)
	}
}
