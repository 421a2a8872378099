package engine_test

import (
	"encoding/json"
	"testing"

	"paceline/core/engine"
)

func TestOfModels(t *testing.T) {
	for body, want := range map[string]engine.Kind{
		`{"data":[{"id":"m","owned_by":"vllm"}]}`:         engine.VLLM,
		`{"data":[{"id":"m","owned_by":"sglang"}]}`:       engine.SGLang,
		`{"data":[{"id":"m","owned_by":"tensorrt_llm"}]}`: engine.TRTLLM,
		`{"data":[{"id":"m","owned_by":"llamacpp"}]}`:     engine.LlamaCpp,
		`{"data":[{"id":"m","owned_by":"me"}]}`:           engine.Unknown, // llama.cpp's Python server, which takes no switch
		`{"data":[]}`:                                     engine.Unknown,
		`<html>`:                                          engine.Unknown,
	} {
		if got := engine.OfModels([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestForceLength(t *testing.T) {
	for _, k := range engine.Kinds() {
		raw, ok := k.ForceLength(7)
		if !ok || !json.Valid(raw) {
			t.Errorf("%s: %s", k, raw)
		}
	}
	if raw, ok := engine.Unknown.ForceLength(7); ok {
		t.Errorf("an engine that nobody knows is forced by %s", raw)
	}
}
