package sim

import "fmt"

// Preset is the speed of one deployment. Its numbers are arithmetic on what the makers of hardware and model publish, not
// measured and not fitted to anything: an experiment that uses one says which.
type Preset struct {
	Name    string
	Summary string
	// Config has the fields that Numbers tells of, and no others.
	Config  Config
	reasons []string // one for each number, in their order
}

// Number is one number of a preset.
type Number struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

// Presets are all there are, in the order in which people are told of them.
func Presets() []Preset { return []Preset{h100(), b200x8()} }

// FindPreset returns the preset of that name, or an error that names those that there are.
func FindPreset(name string) (Preset, error) {
	names := ""
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		names += ", " + p.Name
	}
	return Preset{}, fmt.Errorf("there is no preset %q; there are %s", name, names[2:])
}

// Over fills the fields of c that are zero with those of the preset.
func (p Preset) Over(c Config) Config {
	fill(&c.Cost.Base, p.Config.Cost.Base)
	fill(&c.Cost.PrefillToken, p.Config.Cost.PrefillToken)
	fill(&c.Cost.PrefillPair, p.Config.Cost.PrefillPair)
	fill(&c.Cost.DecodeSequence, p.Config.Cost.DecodeSequence)
	fill(&c.Cost.ContextToken, p.Config.Cost.ContextToken)
	fill(&c.StepTokens, p.Config.StepTokens)
	fill(&c.MaxBatch, p.Config.MaxBatch)
	fill(&c.MaxContext, p.Config.MaxContext)
	fill(&c.BlockTokens, p.Config.BlockTokens)
	fill(&c.KVTokens, p.Config.KVTokens)
	return c
}

// Numbers tells each number of the preset and where it comes from.
func (p Preset) Numbers() []Number {
	c := p.Config
	list := []Number{
		{Field: "base", Value: c.Cost.Base.String()},
		{Field: "prefill token", Value: c.Cost.PrefillToken.String()},
		{Field: "prefill pair", Value: c.Cost.PrefillPair.String()},
		{Field: "decode sequence", Value: c.Cost.DecodeSequence.String()},
		{Field: "context token", Value: c.Cost.ContextToken.String()},
		{Field: "step tokens", Value: fmt.Sprint(c.StepTokens)},
		{Field: "max batch", Value: fmt.Sprint(c.MaxBatch)},
		{Field: "max context", Value: fmt.Sprint(c.MaxContext)},
		{Field: "block tokens", Value: fmt.Sprint(c.BlockTokens)},
		{Field: "kv tokens", Value: fmt.Sprint(c.KVTokens)},
	}
	for i := range list {
		list[i].Why = p.reasons[i]
	}
	return list
}
