package main

import (
	"encoding/json"
	"os"
	"testing"

	"paceline/sdk/sdktest"
)

func TestManifest(t *testing.T) {
	text, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, &plugin, text)
	for _, c := range plugin.Components {
		if !json.Valid(c.ConfigSchema) {
			t.Errorf("%s: the configuration's schema is no JSON", c.Name)
		}
		for _, p := range c.Probes {
			if (len(p.ChatRequest) > 0) == (p.GetPath != "") || p.GetPath == "" && !json.Valid(p.ChatRequest) {
				t.Errorf("probe %s: %s", p.Id, p.ChatRequest)
			}
		}
	}
}

// TestModule bounds the shipped module.
func TestModule(t *testing.T) {
	info, err := os.Stat("checks.wasm.zst")
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 3_500_000 {
		t.Errorf("the module has %d bytes", info.Size())
	}
}
