package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestRegions holds all 207 vectors of the official checker.
func TestRegions(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Regions []struct {
			CMin  int    `json:"c_min"`
			CMax  int    `json:"c_max"`
			Error string `json:"error"`
			Low   [2]int `json:"low_concurrency"`
			Ultra [2]int `json:"low_latency"`
			Med   [2]int `json:"med_concurrency"`
			High  [2]int `json:"high_concurrency"`
			Marg  [2]int `json:"margin"`
		} `json:"regions"`
		MinDuration []struct {
			Concurrency int   `json:"concurrency"`
			Agentic     int64 `json:"agentic_ms"`
		} `json:"min_duration"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Regions) != 207 || len(all.MinDuration) != 7 {
		t.Fatalf("%d and %d vectors", len(all.Regions), len(all.MinDuration))
	}
	for _, v := range all.Regions {
		r, err := NewRegions(v.CMin, v.CMax)
		if v.Error != "" {
			if err == nil {
				t.Errorf("%d, %d: want an error", v.CMin, v.CMax)
			}
			continue
		}
		got := fmt.Sprint(err, r.LowLatency, r.Low, r.Medium, r.High, r.Margin)
		want := strings.NewReplacer("[", "{", "]", "}").Replace(fmt.Sprint(nil, v.Ultra, v.Low, v.Med, v.High, v.Marg))
		if got != want {
			t.Errorf("%d, %d: got %s, want %s", v.CMin, v.CMax, got, want)
		}
	}
	for _, v := range all.MinDuration {
		if got := MinDuration(v.Concurrency); got != time.Duration(v.Agentic)*time.Millisecond {
			t.Errorf("%d: %v", v.Concurrency, got)
		}
	}
}

func TestPlacement(t *testing.T) {
	r, err := NewRegions(8, 64)
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[int]Region{0: "", 1: LowLatency, 8: LowLatency, 9: Low, 12: Low, 13: Medium, 23: Medium, 24: High, 64: High, 71: Margin, 72: ""} {
		if got, _ := r.Of(c); got != want {
			t.Errorf("%d: got %q, want %q", c, got, want)
		}
	}
	if r.Bands(false)[0].In != (Range{1, 32}) || r.Bands(true)[0].In != (Range{1, 8}) || (Range{34, 33}).Empty() != true {
		t.Error("bands are wrong")
	}
}

func TestCohorts(t *testing.T) {
	c, err := ParseCohort("2026-12-C1")
	if err != nil || c.Plus(1).String() != "2027-01-C0" || c.Plus(-3).String() != "2026-11-C0" || c.Since(Cohort{2026, 10, 1}) != 4 {
		t.Errorf("%v %v", c, err)
	}
	for _, bad := range []string{"2026-13-C0", "2026-10-C2", "2026-10", "", " 2026-10-C1", "2026-10-c1"} {
		if _, err := ParseCohort(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestSeedSets(t *testing.T) {
	all, err := KnownSeedSets(nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := all.Find("A")
	if err != nil || a.Scheduler != 10487924139932647040 || a.SampleIndex != 586478644936801402 || a.Model != 9315206023656308754 {
		t.Errorf("%v %v", a, err)
	}
	for text, want := range map[string]bool{"2026-10-C0": false, "2026-10-C1": true, "2026-12-C0": true, "2026-12-C1": false} {
		c, _ := ParseCohort(text)
		if got := a.Serves(c); got != want {
			t.Errorf("%s: %v", text, got)
		}
		if _, err := all.For(c); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	file, err := all.MarshalFile()
	if err != nil || !bytes.Contains(file, []byte(`"10487924139932647040"`)) {
		t.Fatalf("%v: %s", err, file)
	}
	if again, err := KnownSeedSets(file); err != nil || len(again) != 1 {
		t.Errorf("%v %v", again, err)
	}
	for _, bad := range [][2]string{{"2104", "2105"}, {`"9315206023656308754"`, `9315206023656308754`}, {"paceline/seed-sets/v1", "x"}, {`"cohort": "2026-10-C1",`, ""}} {
		if _, err := KnownSeedSets([]byte(strings.Replace(strings.Replace(string(file), "10487924139932647040", "10487924139932642104", 1), bad[0], bad[1], 1))); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	if more, err := KnownSeedSets([]byte(strings.ReplaceAll(strings.ReplaceAll(string(file), `"A"`, `"B"`), "2026-10-C1", "2026-11-C1"))); err != nil || len(more) != 2 {
		t.Errorf("%v %v", more, err)
	} else if newest, err := more.For(Cohort{2026, 12, 0}); err != nil || newest.ID != "B" {
		t.Errorf("%v %v", newest, err)
	}
}

func TestModelsAndDrafters(t *testing.T) {
	all, err := Models()
	if err != nil || len(all) != 4 {
		t.Fatal(all, err)
	}
	drafters, err := Drafters(nil)
	if err != nil || len(drafters) != 9 {
		t.Fatal(drafters, err)
	}
	if drafters[0].UsableFrom().String() != "2026-10-C1" {
		t.Error(drafters[0].UsableFrom())
	}
	for _, m := range all {
		if found, err := FindModel(m.Name); err != nil || found.Name != m.Name {
			t.Error(err)
		}
		if complete := m.MaxNewTokens != nil && string(m.Params) != "null"; complete != (m.Status != Unpublished) || (m.Reason == "") != (m.Status == Submittable) {
			t.Errorf("%s: %s", m.Name, m.Status)
		}
	}
	if _, err := FindModel("Qwen/Qwen3.6-35B-A3B"); err == nil || !strings.Contains(err.Error(), "qwen3_6-35b-a3b") {
		t.Error(err)
	}
	if _, err := Drafters([]byte(`{"schema":"x"}`)); err == nil {
		t.Error("another schema is taken")
	}
}
