package main

import (
	"os"
	"testing"

	"paceline/sdk/sdktest"
)

// TestManifest holds the manifest against what the plugin tells about itself.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, &plugin, text)
}

// TestSize holds the module to the size that keeps its start short.
func TestSize(t *testing.T) {
	info, err := os.Stat("bfcl.wasm.zst")
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 1_000_000 {
		t.Errorf("the packed module has %d bytes", info.Size())
	}
}
