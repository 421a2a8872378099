package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/stats"
)

// settings is the part of the resolved run file (schemas/run/v1) that shapes
// metrics or is told by the report.
type settings struct {
	Target struct {
		Model        string             `json:"model"`
		Stream       bool               `json:"stream"`
		Usage        bool               `json:"usage"`
		StrictWire   bool               `json:"strict_wire"`
		Insecure     bool               `json:"insecure"`
		Accelerators int                `json:"accelerators"`
		CacheBlock   int64              `json:"cache_block"`
		Speculation  engine.Speculation `json:"speculation"`
	} `json:"target"`
	Load struct {
		Users        int           `json:"users"`
		Trajectories uint64        `json:"trajectories"`
		Repeats      uint32        `json:"repeats"`
		Order        string        `json:"order"`
		Delays       bool          `json:"delays"`
		MaxDelay     time.Duration `json:"max_delay_ns"`
		Duration     time.Duration `json:"duration_ns"`
		Grace        time.Duration `json:"grace_ns"`
		Start        string        `json:"start"`
		Replay       string        `json:"replay"`
		MaxContext   string        `json:"max_context"`
		OverContext  string        `json:"over_context"`
		Warmup       struct {
			Trajectories int           `json:"trajectories"`
			Duration     time.Duration `json:"duration_ns"`
		} `json:"warmup"`
		Arrivals struct {
			Kind       string        `json:"kind"`
			Rate       float64       `json:"rate"`
			Burstiness float64       `json:"burstiness"`
			Size       int           `json:"size"`
			Every      time.Duration `json:"every_ns"`
		} `json:"arrivals"`
		Stages []struct {
			Users int           `json:"users"`
			Rate  float64       `json:"rate"`
			For   time.Duration `json:"for_ns"`
			Ramp  bool          `json:"ramp"`
		} `json:"stages"`
	} `json:"load"`
	Workloads map[string]mixed `json:"workloads"`
	Params    json.RawMessage  `json:"params"`
	Override  json.RawMessage  `json:"override"`
	MaxTokens uint32           `json:"max_tokens"`
	History   string           `json:"history"`
	Thinking  string           `json:"thinking"`
	Results   string           `json:"tool_results"`
	Window    struct {
		Kind string `json:"kind"`
		Trim string `json:"trim"`
	} `json:"window"`
	TokenSource string `json:"token_source"`
	Honesty     struct {
		MaxScheduleError time.Duration `json:"max_schedule_error_ns"`
		ShareOfTTFT      string        `json:"share_of_ttft"`
		Require          bool          `json:"require"`
	} `json:"honesty"`
	Objectives objectives        `json:"objectives"`
	Prices     metrics.PriceList `json:"prices"`
	MaxFailed  string            `json:"max_failed"`
	Unofficial bool              `json:"unofficial"`
}

func read(c *journal.RunConfig) (*settings, error) {
	var s settings
	if len(c.Config) == 0 {
		return &s, nil
	}
	if err := json.Unmarshal(c.Config, &s); err != nil {
		return nil, fmt.Errorf("read configuration of the run: %w", err)
	}
	return &s, nil
}

// metrics are the rules that the run file sets for its figures.
func (s *settings) metrics(c *journal.RunConfig) (metrics.Config, error) {
	trim, err := millionths(s.Window.Trim)
	if err != nil {
		return metrics.Config{}, fmt.Errorf("read window.trim: %w", err)
	}
	share, err := millionths(s.Honesty.ShareOfTTFT)
	if err != nil {
		return metrics.Config{}, fmt.Errorf("read honesty.share_of_ttft: %w", err)
	}
	var root uint64
	if c.Seed != "" {
		if root, err = strconv.ParseUint(c.Seed, 10, 64); err != nil {
			return metrics.Config{}, fmt.Errorf("read seed: %w", err)
		}
	}
	var prices *metrics.Prices
	if s.Prices.Given() {
		if prices, err = s.Prices.Prices(s.Target.Accelerators); err != nil {
			return metrics.Config{}, fmt.Errorf("read prices: %w", err)
		}
	}
	return metrics.Config{
		CacheBlock: s.Target.CacheBlock, Objectives: s.Objectives.list(), Prices: prices,
		Window: s.Window.Kind, TrimPPM: trim,
		CounterFirst: s.TokenSource == metrics.SourceCounter,
		Users:        s.Load.Users, OpenLoop: s.open(),
		Targets:     targetsOf(c),
		LiveHistory: s.History == "live", StripThinking: s.Thinking == "strip", Workloads: s.mix(c),
		Seed: root, Accelerators: s.Target.Accelerators,
		Honesty: metrics.Bounds{Least: s.Honesty.MaxScheduleError, PPM: share, Refuse: s.Honesty.Require},
	}, nil
}

func (s *settings) open() bool { return s.Load.Arrivals.Kind != "" && s.Load.Arrivals.Kind != "closed" }

// millionths reads a share; empty is 0.
func millionths(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := stats.ParseShare(text)
	if err != nil {
		return 0, fmt.Errorf("%q %w", text, err)
	}
	return n, nil
}
