package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paceline/core/digest"
)

// planned is a sweep.json of two points of a curve up to 64 users; the first was played twice.
const planned = `{"schema":"sweep/v1","plan":{"rules":{"name":"mlperf-endpoints/1.5.3.0","settings":{"model":"qwen3_6-35b-a3b","c_min":1,
	"c_min_override":%v,"c_max":%d,"accuracy":{"level3":"bands"},"rehearsal":%v}}},"points":[
	{"concurrency":1,"folder":"c1-2","state":"done","report_sha256":"%s","facts":{"failed_checks":["duration"]},
		"attempts":[{"folder":"c1","state":"incomplete","reason":"the runner ended before the point did"},{"folder":"c1-2","state":"done"}]},
	{"concurrency":4,"folder":"c4","state":"done","cache_carried_over":false}]}`

// TestPlannedSweep packs a sweep whose point was played again, says so, and holds the system's description to the sweep's plan.
func TestPlannedSweep(t *testing.T) {
	dir := t.TempDir()
	for name, users := range map[string]int{"c1-2": 1, "c4": 4} {
		if err := os.Rename(played(t, spec{users: users, delay: time.Millisecond}), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "c1-2", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := digest.Of(text)
	state := func(override bool, most int, rehearsed bool) {
		rewrite(t, filepath.Join(dir, sweepFile), fmt.Sprintf(planned, override, most, rehearsed, sum))
	}
	state(false, 64, true)
	p, err := rehearsal(t, &Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(p.Meta.Notes, "\n")
	for _, want := range []string{
		"r1 was played again, whole; nothing is taken of the attempts before (c1 incomplete: the runner ended before the point did)", "r1 did not pass in its sweep: duration",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not among the notes: %s", want, notes)
		}
	}
	state(true, 33, true)
	_, err = rehearsal(t, &Options{}, dir)
	refusedFor(t, err, "planned for a maximum of 33 users, and the system's description declares 64", "planned with c_min_override 1, and the system's description has no c_min_override")
	_, err = makeOf(t, &Options{System: system(t), Cohort: "2026-12-C0"}, dir)
	refusedFor(t, err, "its sweep was planned as a rehearsal")
	state(false, 64, true)
	rewrite(t, filepath.Join(dir, "c1-2", "report.json"), "{}")
	_, err = rehearsal(t, &Options{}, dir)
	refusedFor(t, err, "its report.json is not the one that its sweep has taken (`runner report SWEEPDIR`")
	state(false, 7, true)
	_, err = Find(dir)
	refusedFor(t, err, "C_max is 7")
}

func refusedFor(t *testing.T, err error, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among the reasons: %v", want, err)
		}
	}
}
