package stats_test

import (
	"testing"

	"paceline/core/stats"
)

func TestParseShare(t *testing.T) {
	for text, want := range map[string]int64{
		"5%": 50_000, "0.05": 50_000, "100%": 1_000_000, "0%": 0, "1": 1_000_000, "12.5%": 125_000, "0.25 %": 2_500, "0.0000019": 1,
	} {
		if got, err := stats.ParseShare(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "x", "%", "-1%", "101%", "2", "1e-3", "1/3", "0x1", "1.2.3", "1_0%"} {
		if got, err := stats.ParseShare(bad); err == nil {
			t.Errorf("%q was taken as %d", bad, got)
		}
	}
}
