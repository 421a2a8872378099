package cli

import (
	"strings"
	"testing"

	"paceline/core/engine"
	"paceline/core/filler"
)

// TestOtherLengths: what makes requests is held against targets, what an answer was is not.
func TestOtherLengths(t *testing.T) {
	base := filler.Lengths{Mode: filler.Text, State: filler.Calibrated, Word: 1_000_000, Overhead: filler.Overhead{Prompt: 3}, Engine: engine.VLLM, Forced: true}
	for want, change := range map[string]func(*filler.Lengths){
		"":                            func(l *filler.Lengths) { l.Answer = 7 },
		"tokens of a word":            func(l *filler.Lengths) { l.Word++ },
		"tokens of the chat template": func(l *filler.Lengths) { l.Overhead.Turn++ },
		"the engine's switches":       func(l *filler.Lengths) { l.Engine = engine.LlamaCpp },
		"state":                       func(l *filler.Lengths) { l.State = filler.Uncalibrated },
		"outputs forced":              func(l *filler.Lengths) { l.Forced = false },
		"tokens before a prompt":      func(l *filler.Lengths) { l.Added = 1 },
	} {
		other := base
		change(&other)
		if got := otherLengths(&base, &other); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	simulated := base
	simulated.Engine = engine.SGLang // the same switches
	if got := otherLengths(&base, &simulated); got != "" {
		t.Errorf("engines with the same switches: %q", got)
	}
}

// TestEnginesOfTargets: what they have in common stands for all; a warning says whose it is.
func TestEnginesOfTargets(t *testing.T) {
	at := func(name string, kind engine.Kind, version string, lacks ...string) *place {
		s := &surveyed{detection: engine.Detection{Kind: kind, Version: version}}
		for _, w := range lacks {
			s.warnings = append(s.warnings, engine.Warning{Code: "x", Message: w})
		}
		return &place{name: name, engine: s}
	}
	same := engines([]*place{at("a", engine.VLLM, "1"), at("b", engine.VLLM, "1", "lacks usage")})
	if same.Kind != "vllm" || len(same.Warnings) != 1 || same.Warnings[0].Message != "target b: lacks usage" {
		t.Errorf("%+v", same)
	}
	differ := engines([]*place{at("a", engine.VLLM, "1"), at("b", engine.VLLM, "2")})
	if differ.Kind != "" || len(differ.Warnings) != 1 || !strings.Contains(differ.Warnings[0].Message, "target a is vLLM 1, and target b is vLLM 2") {
		t.Errorf("%+v", differ)
	}
	if none := engines([]*place{at("a", engine.Unknown, ""), at("b", engine.Unknown, "")}); none != nil {
		t.Errorf("%+v", none)
	}
}
