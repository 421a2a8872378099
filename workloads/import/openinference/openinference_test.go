package openinference

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) { importtest.Golden(t, Format(), "testdata/spans.jsonl") }
