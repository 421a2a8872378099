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
