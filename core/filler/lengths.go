package filler

import (
	"errors"

	"paceline/core/engine"
)

// Mode says what filler is made of.
type Mode string

// Modes.
const (
	Text  Mode = "text"  // words, as messages of chat
	Exact Mode = "exact" // token ids, as the prompt of /v1/completions
)

// States of Lengths.
const (
	Calibrated   = "calibrated"   // measured by the target's own usage
	Uncalibrated = "uncalibrated" // the target told no usage: a word is taken for a token, and a template for none
)

// Lengths says how planned lengths become prompts and answers. It is recorded in run.json, so that prompts can be made again.
type Lengths struct {
	Mode   Mode   `json:"mode"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"` // of Uncalibrated
	// Word is how many millionths of a token a word has: text mode.
	Word int64 `json:"word_micro_tokens,omitempty"`
	// Overhead is what the target's chat template adds: text mode.
	Overhead Overhead `json:"overhead_tokens,omitzero"`
	// Answer is how many millionths of a token each generated token is when it comes back in the history, where answers do:
	// what an engine writes is not always tokenized as it was written. 0: one token. Text mode.
	Answer int64 `json:"answer_micro_tokens,omitempty"`
	// Tokenizer says whether the target is asked between turns how many tokens its newest answer has; nil: it is not known to
	// tell, or it was not to be asked. Text mode with live history.
	Tokenizer *Tokenized `json:"tokenizer,omitempty"`
	// Added is how many tokens the target puts before a prompt of token ids: its start token, or none. Exact mode.
	Added int64 `json:"added_tokens,omitempty"`
	// Engine is the target's engine, empty where it tells none that is known, and Forced says that its switches make answers
	// as long as their turns want them exactly.
	Engine engine.Kind `json:"engine,omitempty"`
	Forced bool        `json:"outputs_forced"`
	// Checks are prompts that were sent to measure, with what they were expected to have once all was known.
	Checks []Check `json:"checks,omitempty"`
}

// Overhead is what a chat template adds to prompts, in tokens.
type Overhead struct {
	Prompt int64 `json:"prompt"` // once, with the first user message
	System int64 `json:"system"` // for a system message before it
	Turn   int64 `json:"turn"`   // for each answer and the message behind it
}

// Tokenized is what came of having the target count the tokens of the answer that was sent back to calibrate.
type Tokenized struct {
	Path     string `json:"path"`                // what was asked
	Used     bool   `json:"used"`                // it tells what prompts tell
	Reason   string `json:"reason,omitempty"`    // why it is not used
	Counted  int64  `json:"counted"`             // tokens of the answer
	InPrompt int64  `json:"counted_in_a_prompt"` // by usage
}

// Check is one prompt that was sent to calibrate.
type Check struct {
	Units    int    `json:"units"`            // words or token ids of each message
	Messages int    `json:"messages"`         // in the prompt
	System   bool   `json:"system,omitempty"` // the first of them is the system's
	Tokens   uint64 `json:"tokens"`           // as the target counted them
	Expected int64  `json:"expected"`         // by what was found
}

var (
	errMode = errors.New("lengths: the mode is neither text nor exact")
	errWord = errors.New("lengths: a word has no tokens")
)

// Check reports what makes l unfit to make prompts by.
func (l *Lengths) Check() error {
	switch {
	case l.Mode != Text && l.Mode != Exact:
		return errMode
	case l.Mode == Text && l.Word <= 0:
		return errWord
	}
	return nil
}

// Follows reports whether prompts are set right by what the target tells while a conversation is played: where answers of
// unknown text join messages of known lengths.
func (l *Lengths) Follows(live bool) bool { return live && l.Mode == Text && l.State == Calibrated }

// answer is how many millionths of a token a generated token is in the history.
func (l *Lengths) answer() int64 {
	if l.Mode == Text && l.Answer > 0 {
		return l.Answer
	}
	return micro
}

// Default is a mode that nothing was measured for.
func Default(m Mode) Lengths {
	return Lengths{Mode: m, State: Uncalibrated, Word: micro}
}

const micro = 1_000_000
