package engine_test

import (
	"encoding/json"
	"testing"

	"paceline/core/engine"
)

func TestTokenize(t *testing.T) {
	for k, known := range map[engine.Kind]bool{engine.VLLM: true, engine.SGLang: true, engine.Simulated: true, engine.LlamaCpp: true} {
		q := k.Tokenize(`a "model"`, []byte(`two\n\"lines\"`))
		if (q.Path != "") != known || !json.Valid(q.Body) {
			t.Errorf("%s: %q %s", k, q.Path, q.Body)
		}
	}
	for _, k := range []engine.Kind{engine.TRTLLM, engine.Unknown} {
		if q := k.Tokenize("m", nil); q.Path != "" {
			t.Errorf("%s is asked at %s", k, q.Path)
		}
	}
}

func TestTokens(t *testing.T) {
	for answer, want := range map[string]uint64{
		`{"count":3,"max_model_len":16384,"tokens":[1,2,3],"token_strs":null}`: 3, // vLLM, SGLang
		`{"tokens":[5,6]}`: 2, // llama-server
		`{"tokens":[]}`:    0,
	} {
		if got, err := engine.Tokens([]byte(answer)); got != want || err != nil {
			t.Errorf("%s: %d %v, want %d", answer, got, err, want)
		}
	}
	for _, answer := range []string{`{}`, `<html>`, `{"count":-1}`, `{"count":"3"}`} {
		if _, err := engine.Tokens([]byte(answer)); err == nil {
			t.Errorf("%s is read", answer)
		}
	}
}
