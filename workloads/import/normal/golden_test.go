package normal_test

import (
	"testing"

	"paceline/workloads/import/importtest"
	"paceline/workloads/import/normal"
)

// TestGolden reads a file of the normal form and gets the same file; so its golden file is it.
func TestGolden(t *testing.T) { importtest.Golden(t, normal.Format(), "testdata/all.jsonl") }
