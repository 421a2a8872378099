package singleturn

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

func plugin() *sdk.Plugin {
	return &sdk.Plugin{Name: "bfcl", Version: "1.0.0", Components: []sdk.Component{Component()}}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func over(t *testing.T, config string, prepared []byte) sdktest.Options {
	return files(read(t, "questions.jsonl"), read(t, "answers.jsonl"), config, prepared)
}

func files(questions, answers, config string, prepared []byte) sdktest.Options {
	return sdktest.Options{Config: config, Prepared: prepared, Inputs: []sdktest.Input{
		{Name: "questions", Data: []byte(questions)}, {Name: "answers", Data: []byte(answers)}}}
}

func ids(t *testing.T, c *sdktest.Component) []string {
	t.Helper()
	var out []string
	for i := range c.Opened.Workload.Trajectories {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, plan.Id)
	}
	return out
}

func TestPlan(t *testing.T) {
	c := sdktest.Open(t, plugin(), "single-turn", over(t, "", nil))
	if diff := cmp.Diff(&sdk.WorkloadInfo{Trajectories: 14, Fixed: true, Provenance: "exact"}, c.Opened.Workload); diff != "" {
		t.Error(diff)
	}
	if faults, items, err := c.CheckInputs(); err != nil || len(faults) > 0 || items != 14 {
		t.Errorf("%+v, %d questions, %v", faults, items, err)
	}
	at := slices.Index(ids(t, c), "live_simple_0-0-0")
	plan, err := c.Plan(uint64(at), 7, []byte("seed"))
	if err != nil {
		t.Fatal(err)
	}
	want := &sdk.Trajectory{
		Id: "live_simple_0-0-0", Domain: "live_simple", Labels: []sdk.Label{{Key: "group", Value: "live"}},
		Defaults: &sdk.Defaults{Tools: []byte(`[{"type":"function","function":{"name":"tide_height","description":"Height of the tide at a station. ` +
			`Note that the provided function is in Python 3 syntax.","parameters":{"type":"object","properties":{` +
			`"station":{"type":"string","description":"Name of the station."},"hours":{"type":"integer","description":"Hours from now."},` +
			`"datum":{"type":"string","description":"Zero of the heights.","default":"chart"}},"required":["station","hours"]}}}]`)},
		Turns: []sdk.Turn{{Final: true,
			Append: []sdk.Message{{Json: []byte(`{"role":"system","content":"You help sailors."}`)},
				{Json: []byte(`{"role":"user","content":"tide at Hestholm now, please"}`)}},
			Truth: plan.Turns[0].Truth}},
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Error(diff)
	}
	var truth struct {
		Category    string
		Function    []struct{ Name string }
		GroundTruth []map[string]map[string][]any `json:"ground_truth"`
	}
	if err := json.Unmarshal(plan.Turns[0].Truth, &truth); err != nil || truth.Category != "live_simple" || truth.Function[0].Name != "tide.height" ||
		truth.GroundTruth[0]["tide.height"]["station"][0] != "Hestholm" {
		t.Errorf("truth %s, %v", plan.Turns[0].Truth, err)
	}
	if _, err := c.Plan(14, 0, nil); sdktest.Code(err) != sdk.CodeOutOfRange {
		t.Errorf("beyond the last: %v", err)
	}
}

// TestSource holds the tools of Java and JavaScript: parameters are strings that hold source.
func TestSource(t *testing.T) {
	for config, want := range map[string][]string{
		`{"categories":["simple_java"]}`: {`"gates":{"type":"string","description":"The gates. This is Java ArrayList type parameter in string representation.` +
			` The list elements are of type integer; they are not in string representation."}`,
			`"ship":{"type":"string","description":"The ship. This parameter can be of any type of Java object in string representation."}`},
		`{"categories":["simple_javascript"]}`: {`The dictionary entries have the following schema; they are not in string representation. ` +
			`{\"scale\": {\"type\": \"float\", \"description\": \"Scale.\"}, \"layers\": {\"type\": \"array\"`},
		`{"categories":["simple_java"],"descriptions":"plain"}`: {`"gates":{"type":"array","description":"The gates.","items":{"type":"integer"}}`},
		`{"categories":["simple_javascript"],"descriptions":"plain"}`: {
			`"scale":{"type":"number","description":"Scale. This is a float type value.","format":"float"}`,
			`"points":{"type":"array","description":"Points.","items":{"type":"number"}}`, `"name":{"type":"string"`},
	} {
		c := sdktest.Open(t, plugin(), "single-turn", over(t, config, nil))
		plan, err := c.Plan(0, 0, nil)
		if err != nil || c.Opened.Workload.Trajectories != 1 {
			t.Fatalf("%s: %d questions, %v", config, c.Opened.Workload.Trajectories, err)
		}
		for _, part := range want {
			if !strings.Contains(string(plan.Defaults.Tools), part) {
				t.Errorf("%s: no %s in %s", config, part, plan.Defaults.Tools)
			}
		}
	}
}

func TestChoice(t *testing.T) {
	for config, want := range map[string]int{
		`{}`: 14, `{"first_each":1}`: 13, `{"categories":["live"]}`: 4, `{"categories":["non_live","irrelevance"]}`: 8,
		`{"draw":"mlperf-edge"}`: 13, `{"categories":["live_relevance"],"draw":"mlperf-edge"}`: 0, `{"categories":null}`: 14,
	} {
		c := sdktest.Open(t, plugin(), "single-turn", over(t, config, nil))
		if got := c.Opened.Workload.Trajectories; got != uint64(want) {
			t.Errorf("%s: %d questions, want %d", config, got, want)
		}
	}
	for config, want := range map[string]string{
		`{"categories":[]}`:         "/categories option-type",
		`{"categories":"live"}`:     "/categories option-type",
		`{"categories":["lively"]}`: "/categories/0 option-choice",
		`{"draw":"half"}`:           "/draw option-choice",
		`{"first_each":0}`:          "/first_each option-range",
		`{"first":1}`:               "/first unknown-key",
		`[]`:                        " config-object",
	} {
		_, err := sdktest.TryOpen(t, plugin(), "single-turn", over(t, config, nil))
		faults, _ := errors.AsType[sdk.Faults](err)
		if len(faults) != 1 || faults[0].Pointer+" "+faults[0].Code != want {
			t.Errorf("%s: %v", config, err)
		}
	}
	for _, missing := range []int{0, 1} {
		o := over(t, "", nil)
		o.Inputs = slices.Delete(o.Inputs, missing, missing+1)
		if _, err := sdktest.TryOpen(t, plugin(), "single-turn", o); err == nil {
			t.Errorf("input %d is missing, and that is no error", missing)
		}
	}
}

func TestPrepared(t *testing.T) {
	first := sdktest.Open(t, plugin(), "single-turn", over(t, "", nil))
	again := sdktest.Open(t, plugin(), "single-turn", over(t, "", first.Opened.Prepared))
	if len(first.Opened.Prepared) == 0 || string(again.Opened.Prepared) != string(first.Opened.Prepared) || !slices.Equal(ids(t, first), ids(t, again)) {
		t.Error("the index does not come back")
	}
	for n := range first.Opened.Prepared {
		damaged := sdktest.Open(t, plugin(), "single-turn", over(t, "", first.Opened.Prepared[:n]))
		if string(damaged.Opened.Prepared) != string(first.Opened.Prepared) {
			t.Fatalf("an index cut at %d is taken", n)
		}
	}
}
