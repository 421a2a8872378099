package sim_test

import (
	"strings"
	"testing"
	"time"

	"paceline/core/sim"
)

func TestPresets(t *testing.T) {
	for _, p := range sim.Presets() {
		for _, n := range p.Numbers() {
			if n.Value == "" || n.Value == "0" || n.Value == "0s" || n.Why == "" {
				t.Errorf("%s: %+v", p.Name, n)
			}
		}
		c := p.Over(sim.Config{})
		if err := c.Check(); err != nil || c.KVTokens%c.BlockTokens != 0 {
			t.Errorf("%s: %v, %d tokens in blocks of %d", p.Name, err, c.KVTokens, c.BlockTokens)
		}
		if found, err := sim.FindPreset(p.Name); err != nil || found.Summary != p.Summary {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if _, err := sim.FindPreset("abacus"); err == nil || !strings.Contains(err.Error(), "h100-30b-a3b, b200x8-671b-a37b") {
		t.Errorf("error %v", err)
	}
}

func TestPresetGoesBelowWhatIsSaid(t *testing.T) {
	p, err := sim.FindPreset("h100-30b-a3b")
	if err != nil {
		t.Fatal(err)
	}
	c := p.Over(sim.Config{KVTokens: 1600, Cost: sim.Cost{Base: time.Second}, Seed: 7})
	if c.KVTokens != 1600 || c.Cost.Base != time.Second || c.Seed != 7 || c.Cost.ContextToken != p.Config.Cost.ContextToken {
		t.Errorf("%+v", c)
	}
}

// The default model is that of the first preset.
func TestDefaultsAreAPreset(t *testing.T) {
	want := sim.Cost{Base: base, PrefillToken: prefill, PrefillPair: pair, DecodeSequence: decode, ContextToken: attended}
	if p, err := sim.FindPreset("h100-30b-a3b"); err != nil || p.Config.Cost != want {
		t.Errorf("%+v, %v", p.Config.Cost, err)
	}
}
