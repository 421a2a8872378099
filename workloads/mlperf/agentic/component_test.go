package agentic

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/sdk/contract"
)

// memory is a host whose inputs are byte slices.
type memory [][]byte

func (memory) Log(sdk.Level, string) {}

func (m memory) ReadInput(handle uint32, p []byte, offset int64) int64 {
	if int(handle) >= len(m) {
		return sdk.ReadNoInput
	}
	return int64(copy(p, m[handle][min(offset, int64(len(m[handle]))):]))
}

// reply is a response message.
type reply interface{ Unmarshal([]byte) error }

// request is a request message.
type request interface{ AppendTo([]byte) []byte }

// guest drives the component through the bytes that a host would send.
type guest struct{ *sdk.Instance }

func (g guest) call(t *testing.T, method contract.Method, in request, out reply) error {
	t.Helper()
	message, err := sdk.ParseReply(g.Invoke(method, in.AppendTo(nil)))
	if err != nil {
		return err
	}
	if err := out.Unmarshal(message); err != nil {
		t.Fatal(err)
	}
	return nil
}

func openGuest(t *testing.T, text, config string, prepared []byte) (guest, *contract.OpenResponse) {
	t.Helper()
	plugin := &sdk.Plugin{Name: "mlperf", Version: "1.0.0", Components: []sdk.Component{Component()}}
	if err := plugin.Check(); err != nil {
		t.Fatal(err)
	}
	g := guest{sdk.NewInstance(plugin, memory{[]byte(text)})}
	var opened contract.OpenResponse
	err := g.call(t, contract.MethodOpen, &contract.OpenRequest{
		Component: "agentic", Config: []byte(config), Prepared: prepared,
		Inputs: []contract.Input{{Name: "dataset", Size: uint64(len(text))}},
	}, &opened)
	if err != nil {
		t.Fatal(err)
	}
	return g, &opened
}

const small = `{"conversation_id":"007","turn":1,"role":"user","content":"x","model":"m","stream":true,"max_completion_tokens":5}
{"conversation_id":"007","turn":2,"role":"assistant","content":"y"}
{"conversation_id":"007","turn":3,"role":"user","content":"z","max_tokens":9,"seed":12345678901234567890,"tools":[{"a":1}],"top_p":null}
{"conversation_id":7,"turn":1,"role":"user","content":"x","max_new_tokens":8.0,"max_completion_tokens":7}`

func TestComponent(t *testing.T) {
	g, opened := openGuest(t, small, "{}", nil)
	want := &sdk.WorkloadInfo{Trajectories: 2, Fixed: true, Provenance: "recorded"}
	if diff := cmp.Diff(want, opened.Workload); diff != "" {
		t.Error(diff)
	}
	if len(opened.Losses) != 2 || !strings.HasPrefix(opened.Losses[0], "model in 1 ") {
		t.Errorf("losses %q", opened.Losses)
	}
	again, second := openGuest(t, "", "{}", nil)
	_ = again
	if second.Workload.Trajectories != 0 {
		t.Errorf("an empty file has %d conversations", second.Workload.Trajectories)
	}
	reopened, third := openGuest(t, small, `{"first":1}`, opened.Prepared)
	if third.Workload.Trajectories != 1 || !slices.Equal(third.Losses, opened.Losses) {
		t.Errorf("opened again: %+v", third)
	}
	var plan contract.PlanResponse
	if err := reopened.call(t, contract.MethodPlan, &contract.PlanRequest{Index: 1}, &plan); err == nil {
		t.Error("a trajectory beyond the first was planned")
	}
	var ids []string
	for i := range uint64(2) {
		if err := g.call(t, contract.MethodPlan, &contract.PlanRequest{Index: i}, &plan); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, plan.Trajectory.Id)
	}
	if !slices.Equal(ids, []string{"007", "7"}) {
		t.Errorf("ids %q", ids)
	}
	if got := plan.Trajectory.Turns[0].MaxTokens; got != 8 {
		t.Errorf("limit %d", got)
	}
}

func TestParams(t *testing.T) {
	g, _ := openGuest(t, small, "", nil)
	var plan contract.PlanResponse
	if err := g.call(t, contract.MethodPlan, &contract.PlanRequest{}, &plan); err != nil {
		t.Fatal(err)
	}
	turn := plan.Trajectory.Turns[1]
	if got, want := string(turn.Params), `{"seed":12345678901234567890,"tools":[{"a":1}]}`; got != want {
		t.Errorf("params %s", got)
	}
	if turn.MaxTokens != 5 {
		t.Errorf("limit %d: that of the first user row comes before max_tokens", turn.MaxTokens)
	}
	if first := plan.Trajectory.Turns[0]; first.Params != nil || first.MaxTokens != 5 {
		t.Errorf("first turn %+v", first)
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
		_, opened := openGuest(t, small, config, nil)
		if len(opened.Faults) != 1 || opened.Faults[0].Pointer+" "+opened.Faults[0].Code != want {
			t.Errorf("%s: faults %+v", config, opened.Faults)
		}
	}
}

func TestCheckInputs(t *testing.T) {
	g, _ := openGuest(t, small+"\n{\"turn\":1}\n{}", "", nil)
	var checked contract.CheckInputsResponse
	var codes []string
	for done := false; !done; done = checked.Done {
		cursor := checked.Cursor
		checked = contract.CheckInputsResponse{}
		if err := g.call(t, contract.MethodCheckInputs, &contract.CheckInputsRequest{Cursor: cursor, MaxFaults: 1}, &checked); err != nil {
			t.Fatal(err)
		}
		for _, f := range checked.Faults {
			codes = append(codes, f.Input+" "+f.Code)
		}
	}
	if !slices.Equal(codes, []string{"dataset conversation-id-missing", "dataset conversation-id-missing"}) || checked.Items != 2 {
		t.Errorf("faults %q, items %d", codes, checked.Items)
	}
}

func TestRealData(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/data/mlperf_edge_agentic_coding.jsonl")
	if err != nil {
		t.Skip("the real data set is not beside this checkout: ", err)
	}
	g, opened := openGuest(t, string(text), "", nil)
	var checked contract.CheckInputsResponse
	if err := g.call(t, contract.MethodCheckInputs, &contract.CheckInputsRequest{MaxFaults: 10}, &checked); err != nil {
		t.Fatal(err)
	}
	if len(checked.Faults) > 0 || !checked.Done {
		t.Errorf("%+v", checked)
	}
	turns := 0
	for i := range opened.Workload.Trajectories {
		var plan contract.PlanResponse
		if err := g.call(t, contract.MethodPlan, &contract.PlanRequest{Index: i}, &plan); err != nil {
			t.Fatal(err)
		}
		turns += len(plan.Trajectory.Turns)
	}
	if opened.Workload.Trajectories != 20 || turns != 1007 {
		t.Errorf("%d conversations, %d turns", opened.Workload.Trajectories, turns)
	}
}
