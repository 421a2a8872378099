package otel

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	for _, file := range []string{"console.json", "otlp.json", "flat.json", "layers.jsonl", "events.jsonl"} { // the first two by testdata/write.py
		importtest.Golden(t, Format(), "testdata/"+file)
	}
}
