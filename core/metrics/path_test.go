package metrics

import (
	"testing"

	"paceline/core/stats"
)

func TestLookup(t *testing.T) {
	three := 3
	m := &Metrics{}
	m.Turns.TTFT.P99 = stats.Of(12.5)
	m.Turns.TTFT.Count = 7
	m.Turns.TPOT.Reason = NoUsage
	m.Throughput.System = Figure{Value: stats.Of(100)}
	m.Throughput.Input = Figure{Reason: NoTime}
	m.Failures.Failed = 2
	m.Honesty.Lost = 4
	m.Rules.Accelerators = &three
	for path, want := range map[string]struct {
		value  string
		reason string
	}{
		"turns.ttft_ms.p99":                         {"12.5", ""},
		"turns.ttft_ms.count":                       {"7", ""},
		"turns.ttft_ms.p50":                         {"null", NoFigure},
		"turns.tpot_ms.p50":                         {"null", NoUsage},
		"throughput.output_tokens_per_second":       {"100", ""},
		"throughput.output_tokens_per_second.value": {"100", ""},
		"throughput.input_tokens_per_second":        {"null", NoTime},
		"throughput.input_tokens_per_second.value":  {"null", NoTime},
		"failures.failed_turns":                     {"2", ""},
		"honesty.records_lost":                      {"4", ""},
		"rules.accelerators":                        {"3", ""},
		"turns.latency_ms.mean_ci95.low":            {"null", NoFigure}, // nil, and the format has it
	} {
		value, reason, known := m.Lookup(path)
		if !known || value.String() != want.value || reason != want.reason {
			t.Errorf("%s: %v, %q, %v", path, value, reason, known)
		}
	}
	for _, path := range []string{
		"", ".", "turns", "turns.ttft_ms", "turns.ttft", "turns.ttft_ms.p99.x", "turns.ttft_ms.too_few", "windows.0.turns", "schema", "honesty.state",
		"Turns.TTFT.P99", "chosen", "turns..p99", "failures.outcomes",
	} {
		if value, _, known := m.Lookup(path); known {
			t.Errorf("%q is a figure: %v", path, value)
		}
	}
}
