package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"paceline/core/journal"
	"paceline/core/metrics"
)

// settings is the part of the resolved run file (schemas/run/v1) that shapes
// metrics or is told by the report.
type settings struct {
	Target struct {
		Model        string `json:"model"`
		Stream       bool   `json:"stream"`
		Usage        bool   `json:"usage"`
		Insecure     bool   `json:"insecure"`
		Accelerators int    `json:"accelerators"`
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
		Warmup       struct {
			Trajectories int           `json:"trajectories"`
			Duration     time.Duration `json:"duration_ns"`
		} `json:"warmup"`
		Arrivals struct {
			Kind string `json:"kind"`
		} `json:"arrivals"`
	} `json:"load"`
	Params    json.RawMessage `json:"params"`
	Override  json.RawMessage `json:"override"`
	MaxTokens uint32          `json:"max_tokens"`
	History   string          `json:"history"`
	Thinking  string          `json:"thinking"`
	Window    struct {
		Kind string `json:"kind"`
		Trim string `json:"trim"`
	} `json:"window"`
	Honesty struct {
		MaxScheduleError time.Duration `json:"max_schedule_error_ns"`
		ShareOfTTFT      string        `json:"share_of_ttft"`
		Require          bool          `json:"require"`
	} `json:"honesty"`
	MaxFailed string `json:"max_failed"`
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
	return metrics.Config{
		Window: s.Window.Kind, TrimPPM: trim,
		Users: s.Load.Users, OpenLoop: s.open(),
		LiveHistory: s.History == "live", StripThinking: s.Thinking == "strip",
		Seed: root, Accelerators: s.Target.Accelerators,
		Honesty: metrics.Bounds{Least: s.Honesty.MaxScheduleError, PPM: share, Refuse: s.Honesty.Require},
	}, nil
}

func (s *settings) open() bool { return s.Load.Arrivals.Kind != "" && s.Load.Arrivals.Kind != "closed" }

// millionths reads a share such as 20%, 12.5% or 0.2; empty is 0.
func millionths(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	places := 6
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	if percent {
		places = 4
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(number), ".")
	if len(fraction) > places {
		fraction = fraction[:places]
	}
	if whole == "" {
		return 0, fmt.Errorf("%q is no share", text)
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no share", text)
	}
	return n, nil
}
