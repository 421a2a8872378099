package main

import (
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"

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
	packed, err := os.Open("bfcl.wasm.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	module, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer module.Close()
	if n, err := io.Copy(io.Discard, module); err != nil || n > 3_500_000 {
		t.Errorf("the module has %d bytes, %v", n, err)
	}
}
