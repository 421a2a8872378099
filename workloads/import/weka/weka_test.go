package weka

import (
	"strings"
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) { importtest.Golden(t, Format(), "testdata/session.json") }

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"block_size":0,"requests":[{"in":1,"out":1}]}`:                             "/block_size",
		`{"block_size":64,"requests":[]}`:                                            "/requests",
		`{"block_size":64,"requests":[{"in":1}]}`:                                    "/requests/0/out",
		`{"block_size":64,"requests":[{"in":1,"out":1,"hash_ids":[1,2]}]}`:           "/requests/0/hash_ids",
		`{"block_size":64,"requests":[{"in":1,"out":1,"think_time":-1}]}`:            "/requests/0/think_time",
		`{"block_size":64,"requests":[{"type":"subagent","requests":[{"in":"x"}]}]}`: "/requests/0/requests/0/in",
		`{"block_size":64,"requests":[` + strings.Repeat(`{"type":"subagent","requests":[`, 9) + `{"in":1,"out":1}` + strings.Repeat("]}", 9) + "]}": "/requests",
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != want {
			t.Errorf("%s: %+v", text, faults)
		}
	}
}
