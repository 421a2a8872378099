package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"paceline/core/journal"
)

func TestEngine(t *testing.T) {
	in := small()
	in.Config.Engine = &journal.Engine{
		Named: "vllm", Kind: "vllm", Program: "vllm serve", Version: "0.32.0", By: []string{"/v1/models owned_by vllm"},
		Warnings: []journal.Warning{{Code: "engine_cached_tokens", Message: "vLLM lacks cached tokens: 100 % sure; start it with a switch"}},
	}
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	told := Warning{Code: "engine_cached_tokens", Message: "vLLM lacks cached tokens: 100 % sure; start it with a switch"}
	if !slices.Contains(r.Warnings, told) {
		t.Errorf("%+v", r.Warnings)
	}
	var doc, text bytes.Buffer
	if err := WriteJSON(&doc, r); err != nil {
		t.Fatal(err)
	}
	checkSchema(t, doc.Bytes())
	if err := WriteText(&text, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"vLLM 0.32.0 (vllm serve), by /v1/models owned_by vllm", "vLLM lacks cached tokens"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("report.txt lacks %q:\n%s", want, text.String())
		}
	}
	in.Config.Engine = &journal.Engine{Named: "vllm"}
	if r, err = Build(in); err != nil || engineText(r.What.Engine) != "the target tells none" {
		t.Errorf("%+v, %v", r.What.Engine, err)
	}
}
