package rows

import (
	"strings"
	"testing"

	"paceline/workloads/profiles/shape"
)

const good = `{"num_turns":1,"input_prompt_length":10,"assistant_response_length":[2],"tool_call_output_length":[3],"tool_call_latency":[0.4],"final_assistant_response_length":5}`

func TestRead(t *testing.T) {
	n, err := Read(strings.NewReader("\n"+good+"\r\n\n"+good), func(got *shape.Trace) {
		if got.Input != 10 || got.Final != 5 || len(got.Turns) != 1 || got.Turns[0] != (shape.Turn{Assistant: 2, Tool: 3, Wait: 400_000}) {
			t.Errorf("%+v", got)
		}
	})
	if n != 2 || err != nil {
		t.Errorf("%d traces, %v", n, err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{good, "", "no traces"},
		{`{"num`, `["num`, "line 3: "},
		{`"num_turns":1,`, "", "line 3: num_turns, "},
		{`"num_turns":1`, `"num_turns":-1`, "line 3: num_turns is -1"},
		{`[2]`, `[2,2]`, "line 3: assistant_response_length has 2 elements"},
		{`[3]`, `[-3]`, "line 3: tool_call_output_length[0] is -3"},
		{`[0.4]`, `[1e7]`, "line 3: tool_call_latency[0] is 1e+07"},
		{`:10`, `:1e99`, "line 3: "},
	} {
		if _, err := Read(strings.NewReader("\n\n"+strings.Replace(good, c.from, c.to, 1)), func(*shape.Trace) {}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.to, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = Read(strings.NewReader(text), func(*shape.Trace) {})
	})
}
