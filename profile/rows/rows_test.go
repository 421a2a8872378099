package rows

import (
	"strings"
	"testing"

	"paceline/workloads/profiles/shape"
)

const good = `{"num_turns":1,"input_prompt_length":10,"assistant_response_length":[2],"tool_call_output_length":[3],"tool_call_latency":[0.4],"final_assistant_response_length":5}`

func TestRead(t *testing.T) {
	floats := strings.Replace(good, "[2]", "[2.0]", 1)
	n, err := Read(strings.NewReader("\ufeff"+good+"\r\n\n"+floats), func(got *shape.Trace) {
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
		{good, "[" + good + "]", "line 3: an array, and one object a line is wanted"},
		{good, "7", "line 3: a number, and an object is wanted"},
		{good, "\x1f\x8b\x08", "line 3: the file is compressed"},
		{good, `{"messages":[]}`, "line 3: no length-only trace"},
		{`{"num`, `["num`, "line 3: no JSON at byte 13"},
		{`"num_turns":1,`, "", "line 3: there is no num_turns"},
		{`[2]`, `null`, "line 3: there is no assistant_response_length"},
		{`"num_turns":1`, `"num_turns":-1`, "line 3: num_turns is -1, and 0 to 100000 are allowed"},
		{`[2]`, `[2,2]`, "line 3: assistant_response_length has 2 elements"},
		{`[2]`, `[2.5]`, "line 3: assistant_response_length[0] is 2.5, and a whole number"},
		{`[2]`, `[null]`, "line 3: assistant_response_length[0] is null"},
		{`[2]`, `["NaN"]`, "line 3: assistant_response_length holds a string where a number is wanted"},
		{`[0.4]`, `[NaN]`, "line 3: NaN and Infinity are no JSON"},
		{`[3]`, `[-3]`, "line 3: tool_call_output_length[0] is -3"},
		{`[0.4]`, `[1e7]`, "line 3: tool_call_latency[0] is 10000000, and 0 to 1000000 seconds"},
		{`[0.4]`, `[null]`, "line 3: tool_call_latency[0] is null"},
		{`:10`, `:1e999`, "line 3: input_prompt_length holds a number 1e999"},
		{`:10`, `:1e99`, "line 3: input_prompt_length is 1e+99, and 0 to 1073741824"},
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
