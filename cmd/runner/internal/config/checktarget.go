package config

import (
	"net/url"
	"time"

	"paceline/core/engine"
)

// metrics checks where the target's metrics page is, and how often it is read.
func (c *checker) metrics(t Target) {
	if t.MetricsEvery < time.Second {
		c.fail("target.metrics_interval", "%v is below 1s: reading more often would be a load of its own", t.MetricsEvery)
	}
	if !fitForMetrics(t.Metrics) { // the text may hold a password
		c.fail("target.metrics", "want the URL of a metrics page, e.g. http://127.0.0.1:8000/metrics, or none")
	}
}

// fitForMetrics accepts the URL of a page, that there is none, and that nobody says.
func fitForMetrics(page string) bool {
	if page == "" || page == NoMetrics {
		return true
	}
	u, err := url.Parse(page)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// speculation checks that a declaration says one thing.
func (c *checker) speculation(s Speculation) {
	more := s.Drafter != "" || s.WeightChecksum != "" || s.TargetChecksum != "" || len(s.Configuration) > 0 || s.Tokens != 0
	switch {
	case s.Method == "" && more:
		c.fail("target.speculation.method", "is missing: name it as the engine does, e.g. --speculation eagle3")
	case s.Method == engine.NoSpeculation && more:
		c.fail("target.speculation.method", "is none, and a drafter or its settings are declared; leave one of them out")
	case s.WeightChecksum != "" && s.TargetChecksum != "":
		c.fail("target.speculation.target_checksum", "is of a method without a draft model, and weight_checksum of one with it; give one of them")
	}
	if s.Tokens < 0 {
		c.fail("target.speculation.num_speculative_tokens", "%d is negative", s.Tokens)
	}
}
