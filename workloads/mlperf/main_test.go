package main

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

// TestManifest holds the manifest against what the plugin tells about itself.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, &plugin, text)
	var manifest struct {
		Name, Version string
		Components    []struct {
			Kind, Name, Summary, Purity string
			Capabilities, Inputs        []string
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	told := sdktest.Describe(t, &plugin)
	if manifest.Name != told.Name || manifest.Version != told.Version || len(manifest.Components) != len(told.Components) {
		t.Fatalf("the manifest says %+v, the plugin %+v", manifest, told)
	}
	kinds := map[string]sdk.Kind{"workload": sdk.KindWorkload, "scorer": sdk.KindScorer, "validator": sdk.KindValidator}
	for i, want := range manifest.Components {
		got := told.Components[i]
		if got.Name != want.Name || got.Summary != want.Summary || got.Kind != kinds[want.Kind] ||
			got.Purity != sdk.PurityWasiDeterministic || want.Purity != "wasi_deterministic" ||
			!slices.Equal(got.Inputs, want.Inputs) || len(got.Capabilities) != len(want.Capabilities) {
			t.Errorf("the manifest says %+v, the plugin %+v", want, got)
		}
		if !json.Valid(got.ConfigSchema) {
			t.Errorf("%s: the configuration's schema is no JSON", got.Name)
		}
	}
}
