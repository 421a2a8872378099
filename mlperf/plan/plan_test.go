package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"paceline/core/digest"
	"paceline/core/engine"
	"paceline/mlperf/rules"
)

func settings(cmin, cmax int) Settings {
	return Settings{Model: "qwen3_6-35b-a3b", CMin: cmin, CMax: cmax, Accuracy: Accuracy{Level3: Bands}}
}

// shown writes a curve: s is a spare, + carries a full accuracy run.
func shown(curve []Point) string {
	var list []string
	for _, p := range curve {
		text := fmt.Sprint(p.Concurrency)
		if p.Spare {
			text += "s"
		}
		if p.Level3 {
			text += "+"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestMake(t *testing.T) {
	for _, c := range []struct {
		cmin, cmax, points, spares int
		want                       string
	}{
		{1, 33, 7, 0, "1 2 3 4+ 7+ 15+ 33+"},
		{27, 33, 7, 0, "27 28 29+ 30+ 31 32+ 33+"},
		{1, 64, 7, 2, "1 2 3 5+ 7s 10+ 15s 25+ 64+"},
		{8, 64, 7, 2, "8 9s 10+ 12s 17 23+ 32+ 45 64+"},
		{1, 256, 7, 2, "1 2s 3+ 7+ 18+ 34s 67 130 256+"},
		{1, 1024, 8, 2, "1 2s 4+ 11+ 19s 35 81+ 189 439 1024+"},
		{8, 1024, 8, 2, "8 9s 12+ 16s 23+ 45 98+ 214 468 1024+"},
		{1, 4096, 12, 3, "1 2 3s 5 9+ 12s 18+ 34 68 113s 189+ 315 527 1469 4096+"},
		{32, 4096, 32, 0, "32+ 39 44+ 51 58 67 76 88 101 118 146 163 183 228 255 286+ 356 398 445 497 556 621 695 867 1082 1351 1687 2105 2628 3280 3665 4096+"},
	} {
		s := settings(c.cmin, c.cmax)
		curve, err := Make(s, c.points, c.spares)
		if err != nil {
			t.Errorf("%d-%d: %v", c.cmin, c.cmax, err)
			continue
		}
		if got := shown(curve); got != c.want {
			t.Errorf("%d-%d, %d+%d:\n got %q,\nwant %q", c.cmin, c.cmax, c.points, c.spares, got, c.want)
		}
		if err := s.Check(curve); err != nil {
			t.Errorf("%d-%d: %v", c.cmin, c.cmax, err)
		}
	}
}

// TestEveryCurve plans over every C_min: either the plan holds to the rules, or the fix that the error names works.
func TestEveryCurve(t *testing.T) {
	for _, cmax := range []int{33, 64, 256, 1024, 4096} {
		refused := 0
		for cmin := 1; cmin <= rules.MaxUltraLow; cmin++ {
			s := settings(cmin, cmax)
			curve, err := Make(s, rules.MinPoints, 0)
			if err != nil {
				if refused++; !strings.Contains(err.Error(), "take C_min 27 or lower") {
					t.Errorf("%d-%d: %v", cmin, cmax, err)
				}
				continue
			}
			for _, override := range []bool{false, true} {
				s.Override = override
				if override {
					if curve, err = Make(s, rules.MinPoints, 0); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Check(curve); err != nil {
					t.Errorf("%d-%d: %s: %v", cmin, cmax, shown(curve), err)
				}
			}
		}
		if want := map[int]int{33: 5}[cmax]; refused != want {
			t.Errorf("C_max %d: %d C_min are refused, want %d", cmax, refused, want)
		}
	}
	// With C_max 33 the regions have members up to C_min 30, and room for seven points up to 27.
	if largestMin(33, 1) != 30 || largestMin(33, 7) != 27 || smallestMax(32) != 35 {
		t.Errorf("%d %d %d", largestMin(33, 1), largestMin(33, 7), smallestMax(32))
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		s              Settings
		points, spares int
		want           string
	}{
		{settings(1, 32), 7, 0, "C_max is 32; want more than 32"},
		{settings(33, 64), 7, 0, "C_min is 33; want 1 to 32"},
		{settings(32, 33), 7, 0, "(Low 33-33, Medium has none, High has none), so no curve of them passes; take C_min 27 or lower, or C_max 35 or higher"},
		{settings(28, 33), 7, 0, "there are 6 concurrencies, and 7 points are asked for: take C_min 27 or lower"},
		{settings(1, 64), 6, 0, "6 points are too few: the rules want 7"},
		{settings(1, 64), 30, 3, "30 points and 3 spares are too many: the rules take 32"},
		{Settings{Model: "gpt", CMin: 1, CMax: 64, Accuracy: Accuracy{Level3: Bands}}, 7, 0, `"gpt" is no agentic model`},
		{Settings{Model: "kimi-k3", CMin: 1, CMax: 64, Accuracy: Accuracy{Level3: "all"}}, 7, 0, `accuracy.level3: "all" is unknown`},
	} {
		if _, err := Make(c.s, c.points, c.spares); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.s, err, c.want)
		}
	}
}

// TestEdited changes a good plan as a person might.
func TestEdited(t *testing.T) {
	s := settings(8, 64)
	for _, c := range []struct {
		edit func(*Settings, []Point) []Point
		want string
	}{
		{func(*Settings, []Point) []Point { return nil }, "0 points: the rules want 7 to 32"},
		{func(_ *Settings, p []Point) []Point { p[0].Concurrency = 7; return p }, "c_min is 8 and the lowest point has 7 users"},
		{func(s *Settings, p []Point) []Point { s.Override = true; p[0].Concurrency = 7; return p }, "c_min_override is declared and no point has 8 users"},
		{func(_ *Settings, p []Point) []Point { p[1].Concurrency = 13; return p }, "no point lies in Low Concurrency: add one of 9 to 12 users"},
		{func(_ *Settings, p []Point) []Point { p[6].Concurrency = 72; return p }, "concurrency 72 lies outside of the curve: want 1 to 71"},
		{func(_ *Settings, p []Point) []Point { p[6].Level3 = false; return p }, "want 4 points, one for each band (1-32, 9-12, 13-23, 24-64)"},
		{func(_ *Settings, p []Point) []Point { p[6].Level3, p[5].Level3 = false, true; return p }, ""},
		{func(s *Settings, p []Point) []Point { s.Accuracy.Level3 = EveryPoint; return p }, "level3 is every-point, and 4 of 7 points"},
		{func(s *Settings, p []Point) []Point { s.Accuracy.Level3 = Nowhere; return p }, "level3 is none, and r10"},
	} {
		edited := s
		curve, err := Make(s, 7, 0)
		if err != nil {
			t.Fatal(err)
		}
		curve = c.edit(&edited, curve)
		err = edited.Check(curve)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", shown(curve), err, c.want)
		}
	}
}

func TestGuard(t *testing.T) {
	limit := uint32(8192)
	official := func() *Run {
		var sum digest.SHA256
		if err := sum.UnmarshalText([]byte(rules.DatasetSHA256)); err != nil {
			t.Fatal(err)
		}
		return &Run{
			Salt: "mlperf", History: "recorded", Order: "file", Window: "first-idle", Stream: true, Delays: true, Trajectories: 613, MaxTokens: limit,
			Params:  json.RawMessage(`{"top_p":0.95,"temperature":1,"top_k":20,"presence_penalty":1.5,"repetition_penalty":1,"chat_template_kwargs":{"preserve_thinking":true}}`),
			Dataset: &sum, Judges: []string{Inline, OutputLength, "std/level3/swe"}, RoutingHeaders: []string{"X-Session-ID"},
			Thinking: "keep", Identity: Identity{On: true, Thinking: true},
		}
	}
	s := settings(1, 64)
	s.Accuracy.Scorer = "std/level3/swe"
	if faults := s.Guard(official()); len(faults) > 0 {
		t.Errorf("an official run is refused: %v", faults)
	}
	for want, change := range map[string]func(*Run){
		"salt is seeded":           func(r *Run) { r.Salt = "seeded" },
		"load.delays is off":       func(r *Run) { r.Delays = false },
		"multiples of 613":         func(r *Run) { r.Asked = 700 },
		"max_tokens is 100":        func(r *Run) { r.MaxTokens = 100 },
		"params are none":          func(r *Run) { r.Params = nil },
		"has 12 trajectories":      func(r *Run) { r.Trajectories = 12 },
		"not the official one":     func(r *Run) { r.Dataset = &digest.SHA256{} },
		"has no scorer":            func(r *Run) { r.Judges = r.Judges[:2] },
		"inline does not judge":    func(r *Run) { r.Judges = r.Judges[1:] },
		"thinking is strip":        func(r *Run) { r.Thinking = "strip" },
		"must show that its":       func(r *Run) { r.Identity.On = false },
		"does not look at":         func(r *Run) { r.Identity.Thinking = false },
		"is not approved for":      func(r *Run) { r.Speculation = engine.Speculation{Method: "mtp", Drafter: "x/y"} },
		"such a run is not":        func(r *Run) { r.Unofficial = []string{"--dev-plugin took x"} },
		"override changes":         func(r *Run) { r.Override = true },
		"stop_on_first_idle is on": func(r *Run) { r.StopEarly = true },
		"window.kind is all":       func(r *Run) { r.Window = "all" },
		"routing_headers are []":   func(r *Run) { r.RoutingHeaders = nil },
		"target.stream is off":     func(r *Run) { r.Stream = false },
		"history is live":          func(r *Run) { r.History = "live" },
		"load.order is shuffle":    func(r *Run) { r.Order = "shuffle" },
	} {
		r := official()
		change(r)
		if faults := s.Guard(r); len(faults) != 1 || !strings.Contains(faults[0], want) {
			t.Errorf("%s: got %v", want, faults)
		}
	}
	s.Model, s.Accuracy = "kimi-k2_6", Accuracy{Level3: Nowhere}
	if faults := strings.Join(s.Guard(official()), "\n"); !strings.Contains(faults, "is superseded") || !strings.Contains(faults, "a curve needs 4") {
		t.Errorf("got %s", faults)
	}
}

func TestParseSettings(t *testing.T) {
	for text, want := range map[string]string{
		`{"model":"kimi-k3","c_min":1,"c_min_override":false,"c_max":64,"accuracy":{"level3":"bands"},"rehearsal":false}`: "",
		`{"model":"kimi-k3","c_min":1,"c_max":64,"accuracy":{"level3":"bands"},"points":7}`:                               `unknown field "points"`,
		`{"model":"kimi-k3","c_min":1,"c_max":64,"accuracy":{"level3":"none","scorer":"x"}}`:                              "leave it out",
	} {
		_, err := ParseSettings(json.RawMessage(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
