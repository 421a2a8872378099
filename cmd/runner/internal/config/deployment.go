package config

import (
	"fmt"
	"os"
	"strings"
	"time"

	"paceline/core/metrics"
)

// Objectives are the bounds that goodput asks for; zero ones are none.
type Objectives struct {
	TTFT              time.Duration `koanf:"ttft" json:"ttft_ns,omitempty"`
	TTFTAnswer        time.Duration `koanf:"ttft_answer" json:"ttft_answer_ns,omitempty"`
	Latency           time.Duration `koanf:"latency" json:"latency_ns,omitempty"`
	TPOT              time.Duration `koanf:"tpot" json:"tpot_ns,omitempty"`
	ResponseTime      time.Duration `koanf:"response_time" json:"response_time_ns,omitempty"`
	TrajectoryLatency time.Duration `koanf:"trajectory_latency" json:"trajectory_latency_ns,omitempty"`
	TTFAT             time.Duration `koanf:"ttfat" json:"ttfat_ns,omitempty"`
}

// Prices are what the target costs: schemas/price/v1.
type Prices struct {
	Schema          string `koanf:"schema" json:"schema,omitempty"`
	Currency        string `koanf:"currency" json:"currency,omitempty"`
	Date            string `koanf:"date" json:"date,omitempty"`
	AcceleratorHour string `koanf:"accelerator_hour" json:"accelerator_hour,omitempty"`
	Accelerators    int    `koanf:"accelerators" json:"accelerators,omitempty"`
	KWh             string `koanf:"kwh" json:"kwh,omitempty"`
	Watts           string `koanf:"watts" json:"watts,omitempty"`
	PUE             string `koanf:"pue" json:"pue,omitempty"`
	Input           string `koanf:"input" json:"input,omitempty"`
	CachedInput     string `koanf:"cached_input" json:"cached_input,omitempty"`
	Output          string `koanf:"output" json:"output,omitempty"`
}

// PriceFile reads a price file as a layer that sets prices.
func PriceFile(path string) (Layer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Layer{}, fmt.Errorf("read prices: %w", err)
	}
	file, err := Parse(path, text)
	if err != nil {
		return Layer{}, err
	}
	l := Layer{Name: path, Values: map[string]any{"prices": file.Values}, lines: map[string]int{}}
	for at, line := range file.lines {
		l.lines[join("prices", at)] = line
	}
	if date, ok := file.Values["date"].(time.Time); ok { // YAML takes 2026-11-01 for an instant
		file.Values["date"] = date.Format(time.DateOnly)
	}
	return l, nil
}

func (c *checker) deployment(r Run) {
	if r.Target.CacheBlock < 0 {
		c.fail("target.cache_block", "%d is negative", r.Target.CacheBlock)
	}
	list := metrics.PriceList(r.Prices)
	if !list.Given() {
		return
	}
	if _, err := list.Prices(r.Target.Accelerators); err != nil {
		for line := range strings.Lines(err.Error()) {
			c.fail("prices", "%s", strings.TrimSpace(line))
		}
	}
}
