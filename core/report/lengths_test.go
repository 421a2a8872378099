package report

import (
	"strings"
	"testing"

	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/sched"
)

// lengthy is a run of which turns were to have lengths.
func lengthy(change func(in *Input)) Input {
	in := small()
	in.Config.Lengths = &filler.Lengths{
		Mode: filler.Text, State: filler.Calibrated, Word: 1_250_000, Overhead: filler.Overhead{Prompt: 9, System: 4, Turn: 11},
		Engine: engine.VLLM, Forced: true, Checks: []filler.Check{{Units: 64, Messages: 1, Tokens: 89, Expected: 89}},
	}
	for i := range in.Run.Samples {
		s := &in.Run.Samples[i]
		if s.Answer != nil {
			s.Planned = sample.Planned{Prompt: int64(s.Answer.Usage.PromptTokens), Output: uint32(s.Answer.Usage.CompletionTokens)}
		}
	}
	if change != nil {
		change(&in)
	}
	return in
}

func TestLengths(t *testing.T) {
	off := func(n int64) func(*Input) {
		return func(in *Input) {
			in.Run.Samples[1].Planned.Prompt += n
			in.Run.Samples[1].Planned.Output--
			in.Run.Samples[2].Planned.Output++
		}
	}
	for name, tt := range map[string]struct {
		change   func(in *Input)
		warnings string
		text     string
	}{
		"as wanted": {nil, "failures", "8 of 8 within 0.5 %, 8 exact, 0 not told; off by 0 % in the mean, by 0 % at"},
		"off":       {off(1000), "failures contexts_off outputs_off", "6 of 8 exact, 1 shorter, 1 longer, 0 not told; forced by ignore_eos"},
		"uncalibrated": {func(in *Input) {
			*in.Config.Lengths = filler.Default(filler.Text)
			in.Config.Lengths.Reason = filler.ErrNoUsage.Error()
		}, "failures lengths_uncalibrated outputs_not_forced", "text, uncalibrated (the target tells no token counts)"},
		"counted": {func(in *Input) {
			in.Config.Lengths.Tokenizer = &filler.Tokenized{Path: "/tokenize", Used: true, Counted: 260, InPrompt: 260}
			in.Run.Samples[1].Basis = &sample.Basis{MicroTokens: 1, Counted: true, Asked: true}
			in.Run.Samples[2].Basis = &sample.Basis{MicroTokens: 1, Asked: true}
			in.Run.Samples[3].Basis = &sample.Basis{MicroTokens: 1}
		}, "failures", "1 were counted by the target's tokenizer, 2 taken as expected; it was asked 2 times, outside the load"},
		"replaced": {func(in *Input) {
			in.Config.Lengths.Mode = filler.Exact
			in.Run.Samples[0].Notes = []string{sched.NoteAnswerReplaced}
		}, "failures answers_replaced", "to which the target adds 0"},
	} {
		doc, text, r := both(t, lengthy(tt.change))
		checkSchema(t, doc)
		checkText(t, text)
		if got := codes(r); got != tt.warnings {
			t.Errorf("%s: warnings %s, want %s", name, got, tt.warnings)
		}
		if joined := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(joined, tt.text) {
			t.Errorf("%s: the text lacks %q:\n%s", name, tt.text, text)
		}
	}
	if _, _, r := both(t, small()); r.Lengths != nil {
		t.Errorf("a run of no lengths tells of them: %+v", r.Lengths)
	}
}
