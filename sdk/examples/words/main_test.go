package main

import (
	"errors"
	"os"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

// show writes a count, with - for what is missing.
func show(n *uint64) int {
	if n == nil {
		return -1
	}
	return int(*n)
}

func TestCount(t *testing.T) {
	answer := func(message string) *sdk.Answer { return &sdk.Answer{Message: []byte(message)} }
	none := []byte("[]")
	for name, c := range map[string]struct {
		config string
		sample sdk.Sample
		input  int
		output int
		reason string
	}{
		"words": {sample: sdk.Sample{
			History: []byte(`[{"role":"system","content":"be  brief"}]`), Appended: []byte(`[{"role":"user","content":"say\nit now"}]`),
			Answer: answer(`{"role":"assistant","content":"it, now","reasoning_content":"so be it"}`),
		}, input: 5, output: 5},
		"bytes": {config: `{"bytes":4}`, sample: sdk.Sample{
			History: none, Appended: []byte(`[{"role":"user","content":"12345"}]`), Answer: answer(`{"content":"1234"}`),
		}, input: 2, output: 1},
		"tool calls and tools": {sample: sdk.Sample{
			History: none, Appended: none, Tools: []byte(`[{"type":"function"}]`),
			Answer: answer(`{"content":null,"tool_calls":[{"function":{"name":"bash","arguments":"{\"a\": 1}"}}]}`),
		}, input: 1, output: 3},
		"parts":             {sample: sdk.Sample{History: none, Appended: none, Answer: answer(`{"content":[{"type":"text","text":"a b"}]}`)}, output: 2},
		"no answer":         {sample: sdk.Sample{History: none, Appended: none}, output: -1, reason: "no answer"},
		"a broken one":      {sample: sdk.Sample{History: none, Appended: none, Answer: answer(`{"content":`)}, output: -1, reason: "an answer that cannot be read"},
		"history not known": {sample: sdk.Sample{Appended: none, Answer: answer(`{"content":"a"}`)}, input: -1, output: 1, reason: "no request"},
		"broken request":    {sample: sdk.Sample{History: []byte(`{}`), Answer: answer(`{"content":"a"}`)}, input: -1, output: 1, reason: "no request"},
	} {
		t.Run(name, func(t *testing.T) {
			counts, err := sdktest.Open(t, &plugin, "count", sdktest.Options{Config: c.config}).Count(c.sample)
			if err != nil || len(counts) != 1 {
				t.Fatalf("%d counts, %v", len(counts), err)
			}
			if got := counts[0]; show(got.Input) != c.input || show(got.Output) != c.output || got.Reason != c.reason {
				t.Errorf("got %d, %d, %q; want %d, %d, %q", show(got.Input), show(got.Output), got.Reason, c.input, c.output, c.reason)
			}
		})
	}
}

func TestVocabulary(t *testing.T) {
	sample := sdk.Sample{History: []byte("[]"), Appended: []byte("[]"), Answer: &sdk.Answer{Message: []byte(`{"content":"yes it is strange"}`)}}
	given := sdktest.Options{Inputs: []sdktest.Input{{Name: "vocabulary", Data: []byte("yes\r\nit\n\nis\n")}}}
	for config, want := range map[string]int{"": 3 + 7, `{"bytes":4}`: 3 + 2} {
		given.Config = config
		counts, err := sdktest.Open(t, &plugin, "count", given).Count(sample)
		if err != nil || show(counts[0].Output) != want {
			t.Errorf("%s: got %d, %v; want %d", config, show(counts[0].Output), err, want)
		}
	}
	_, err := sdktest.TryOpen(t, &plugin, "count", sdktest.Options{Inputs: []sdktest.Input{{Name: "vocabulary"}}})
	if faults, ok := errors.AsType[sdk.Faults](err); !ok || faults[0].Code != "empty" {
		t.Errorf("an empty vocabulary: got %v", err)
	}
}

func TestConfig(t *testing.T) {
	for _, config := range []string{`{"bytes":-1}`, `{"bytes":65}`, `{"bytes":"4"}`, `{"bytes":0.5}`} {
		_, err := sdktest.TryOpen(t, &plugin, "count", sdktest.Options{Config: config})
		if faults, ok := errors.AsType[sdk.Faults](err); !ok || faults[0].Pointer != "/bytes" {
			t.Errorf("%s: got %v, want a fault at /bytes", config, err)
		}
	}
}

func TestManifest(t *testing.T) {
	manifest, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, &plugin, manifest)
}
