package engine

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Question asks an engine's tokenizer how many tokens a text has.
type Question struct {
	Path string // below the server's root; empty: the engine is not known to have one
	Body []byte
}

// Tokenize writes the question of an engine about a text, which is the inside of a JSON string. Start tokens are not asked
// for: the text stands inside a prompt.
func (k Kind) Tokenize(model string, text []byte) Question {
	switch k {
	case VLLM, SGLang, Simulated:
		name, _ := json.Marshal(model) // a string has a JSON form
		return Question{"/tokenize", fmt.Appendf(nil, `{"model":%s,"prompt":"%s","add_special_tokens":false}`, name, text)}
	case LlamaCpp:
		return Question{"/tokenize", fmt.Appendf(nil, `{"content":"%s","add_special":false}`, text)}
	}
	return Question{}
}

var errNoCount = errors.New("the answer tells neither a count nor a list of tokens")

// Tokens reads how many tokens an engine answers to a Question.
func Tokens(answer []byte) (uint64, error) {
	var told struct {
		Count  *uint64           `json:"count"`
		Tokens []json.RawMessage `json:"tokens"`
	}
	if err := json.Unmarshal(answer, &told); err != nil {
		return 0, fmt.Errorf("read a count of tokens: %w", err)
	}
	switch {
	case told.Count != nil:
		return *told.Count, nil
	case told.Tokens != nil:
		return uint64(len(told.Tokens)), nil
	}
	return 0, errNoCount
}
