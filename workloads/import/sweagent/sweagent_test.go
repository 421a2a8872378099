package sweagent

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	importtest.Golden(t, Format(), "testdata/query.traj")
	importtest.Golden(t, Format(), "testdata/history.traj")
}
