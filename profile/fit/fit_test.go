package fit

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"paceline/profile/measure"
	"paceline/profile/verify"
	"paceline/workloads/profiles/builtin"
	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/spec"
)

// lines draws traces of a shipped profile and writes them as a file of traces.
func lines(t *testing.T, name string, n int) (string, *measure.Summary) {
	t.Helper()
	p, err := builtin.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var c measure.Collector
	var trace shape.Trace
	for i := range n {
		p.Source.Draw(shape.NewRandom([32]byte{byte(i), byte(i >> 8)}), &trace)
		c.Add(&trace)
		row := map[string]any{"num_turns": len(trace.Turns), "input_prompt_length": trace.Input, "final_assistant_response_length": trace.Final}
		assistant, tool, wait := []int64{}, []int64{}, []float64{}
		for _, turn := range trace.Turns {
			assistant, tool, wait = append(assistant, turn.Assistant), append(tool, turn.Tool), append(wait, float64(turn.Wait)/1e6)
		}
		row["assistant_response_length"], row["tool_call_output_length"], row["tool_call_latency"] = assistant, tool, wait
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	return b.String(), c.Summary()
}

// read reads what Write wrote.
func read(t *testing.T, text []byte) *builtin.Profile {
	t.Helper()
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Read(asJSON, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return builtin.Of(p)
}

// TestFitted: what a fitted profile draws is like what it was fitted to.
func TestFitted(t *testing.T) {
	file, want := lines(t, "office", 2000)
	p, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text := p.Write("again", `2000 "traces"`)
	if len(p.classes) != maxClasses || strings.Count(string(text), "\n") < 30 {
		t.Errorf("%d classes\n%s", len(p.classes), text)
	}
	fitted := read(t, text)
	if fitted.Provenance != "estimated" || fitted.Note != `2000 "traces"` {
		t.Errorf("%+v", fitted)
	}
	d, err := verify.Draw(t.Context(), fitted, 2000, 3, false, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	list := verify.Against(want, d.Summary)
	if failed, held := verify.Failed(list); failed > 0 || held < 60 {
		var b strings.Builder
		verify.Write(&b, list)
		t.Errorf("%d of %d bounds do not hold\n%s", failed, held, b.String())
	}
}

func TestFewTraces(t *testing.T) {
	file, _ := lines(t, "deep-research", 3)
	p, err := Read(strings.NewReader(file + `{"num_turns":0,"input_prompt_length":10,"assistant_response_length":[],"tool_call_output_length":[],"tool_call_latency":[],"final_assistant_response_length":5}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, p.Write("few", "")); got.Name != "few" || p.Traces != 4 || len(p.classes) != 1 {
		t.Errorf("%+v", p)
	}
	if _, err := Read(strings.NewReader(`{"num_turns":0,"input_prompt_length":10,"assistant_response_length":[],"tool_call_output_length":[],"tool_call_latency":[],"final_assistant_response_length":5}`)); err == nil {
		t.Error("a profile without turns is fitted")
	}
}

func TestName(t *testing.T) {
	for file, want := range map[string]string{"traces.jsonl": "traces", "my traces.v2.jsonl": "my-traces", ".jsonl": "profile"} {
		if got := Name(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
