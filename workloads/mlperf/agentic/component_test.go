package agentic

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

func openPlugin(t *testing.T, text, config string, prepared []byte) *sdktest.Component {
	t.Helper()
	return sdktest.Open(t, plugin(), "agentic", over(text, config, prepared))
}

func plugin() *sdk.Plugin {
	return &sdk.Plugin{Name: "mlperf", Version: "1.0.0", Components: []sdk.Component{Component()}}
}

func over(text, config string, prepared []byte) sdktest.Options {
	return sdktest.Options{Config: config, Prepared: prepared, Inputs: []sdktest.Input{{Name: "dataset", Data: []byte(text)}}}
}

const small = `{"conversation_id":"007","turn":1,"role":"user","content":"x","model":"m","stream":true,"max_completion_tokens":5}
{"conversation_id":"007","turn":2,"role":"assistant","content":"y"}
{"conversation_id":"007","turn":3,"role":"user","content":"z","max_tokens":9,"seed":12345678901234567890,"tools":[{"a":1}],"top_p":null}
{"conversation_id":7,"turn":1,"role":"user","content":"x","max_new_tokens":8.0,"max_completion_tokens":7}`

func TestComponent(t *testing.T) {
	c := openPlugin(t, small, "{}", nil)
	want := &sdk.WorkloadInfo{Trajectories: 2, Fixed: true, Provenance: "recorded"}
	if diff := cmp.Diff(want, c.Opened.Workload); diff != "" {
		t.Error(diff)
	}
	if losses := c.Opened.Losses; len(losses) != 2 || !strings.HasPrefix(losses[0], "model in 1 ") {
		t.Errorf("losses %q", losses)
	}
	var ids []string
	for i := range uint64(2) {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, plan.Id)
	}
	if !slices.Equal(ids, []string{"007", "7"}) {
		t.Errorf("ids %q", ids)
	}
	again := openPlugin(t, small, `{"first":1}`, c.Opened.Prepared)
	if again.Opened.Workload.Trajectories != 1 || !slices.Equal(again.Opened.Losses, c.Opened.Losses) {
		t.Errorf("opened again: %+v", again.Opened)
	}
	if _, err := again.Plan(1, 0, nil); err == nil {
		t.Error("a trajectory beyond the first was planned")
	}
	if stale := openPlugin(t, small+"\n", "", c.Opened.Prepared); stale.Opened.Workload.Trajectories != 2 {
		t.Error("an index of another file was not made anew")
	}
}

func TestParams(t *testing.T) {
	c := openPlugin(t, small, "", nil)
	plan, err := c.Plan(0, 3, []byte("seed"))
	if err != nil {
		t.Fatal(err)
	}
	turn := plan.Turns[1]
	if got, want := string(turn.Params), `{"seed":12345678901234567890,"tools":[{"a":1}]}`; got != want {
		t.Errorf("params %s", got)
	}
	if turn.MaxTokens != 5 {
		t.Errorf("limit %d: that of the first user row comes before max_tokens", turn.MaxTokens)
	}
	if first := plan.Turns[0]; first.Params != nil || first.MaxTokens != 5 {
		t.Errorf("first turn %+v", first)
	}
	if plan, err = c.Plan(1, 0, nil); err != nil || plan.Turns[0].MaxTokens != 8 {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

func TestBadConfiguration(t *testing.T) {
	for config, want := range map[string]string{
		`{"limit":1}`:   "/limit unknown-key",
		`{"first":0}`:   "/first option-range",
		`{"first":"1"}`: "/first option-range",
		`[]`:            " config-object",
		`{`:             " config-object",
	} {
		_, err := sdktest.TryOpen(t, plugin(), "agentic", over(small, config, nil))
		faults, _ := errors.AsType[sdk.Faults](err)
		if len(faults) != 1 || faults[0].Pointer+" "+faults[0].Code != want {
			t.Errorf("%s: %v", config, err)
		}
	}
	if _, err := sdktest.TryOpen(t, plugin(), "agentic", sdktest.Options{}); err == nil {
		t.Error("no data set is no error")
	}
}

func TestCheckInputs(t *testing.T) {
	c := openPlugin(t, small+"\n{\"turn\":1}\n{}", "", nil)
	faults, items, err := c.CheckInputs()
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range faults {
		codes = append(codes, f.Input+" "+f.Code)
	}
	if !slices.Equal(codes, []string{"dataset conversation-id-missing", "dataset conversation-id-missing"}) || items != 2 {
		t.Errorf("faults %q, items %d", codes, items)
	}
}

func TestRealData(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/data/mlperf_edge_agentic_coding.jsonl")
	if err != nil {
		t.Skip("the real data set is not beside this checkout: ", err)
	}
	c := openPlugin(t, string(text), "", nil)
	if faults, _, err := c.CheckInputs(); err != nil || len(faults) > 0 {
		t.Errorf("%+v, %v", faults, err)
	}
	turns := 0
	for i := range c.Opened.Workload.Trajectories {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		turns += len(plan.Turns)
	}
	if c.Opened.Workload.Trajectories != 20 || turns != 1007 {
		t.Errorf("%d conversations, %d turns", c.Opened.Workload.Trajectories, turns)
	}
}
