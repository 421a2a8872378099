package minisweagent

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	importtest.Golden(t, Format(), "testdata/real.traj.json") // by testdata/write.py
	importtest.Golden(t, Format(), "testdata/responses.traj.json")
}
