package chat_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"paceline/core/chat"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func join(r *chat.Request) []byte { return bytes.Join(r.Body, nil) }

func merge(t *testing.T, layers ...string) chat.Params {
	t.Helper()
	var list []chat.Layer
	for _, l := range layers {
		list = append(list, chat.Layer{Name: "test", Params: json.RawMessage(l)})
	}
	p, err := chat.Merge(list...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMerge(t *testing.T) {
	for name, tt := range map[string]struct {
		layers []string
		want   string
	}{
		"none":            {[]string{""}, `{}`},
		"numbers":         {[]string{`{"seed":9007199254740993,"top_k": 77,"temperature":1.0}`}, `{"temperature":1.0,"seed":9007199254740993,"top_k":77}`},
		"strings":         {[]string{`{"user":"<b>&\u0041"}`}, `{"user":"<b>&\u0041"}`},
		"null removes":    {[]string{`{"seed":1,"user":"x"}`, `{"seed":null,"top_p":null}`}, `{"user":"x"}`},
		"deep":            {[]string{`{"chat_template_kwargs":{"a":1,"b":{"c":2}}}`, `{"chat_template_kwargs":{"b":{"d":null,"e":3},"a":null}}`}, `{"chat_template_kwargs":{"b":{"c":2,"e":3}}}`},
		"array replaces":  {[]string{`{"stop":["a","b"]}`, `{"stop":[ "c" ]}`}, `{"stop":["c"]}`},
		"object replaces": {[]string{`{"logit_bias":1}`, `{"logit_bias":{"5":-1,"6":null}}`}, `{"logit_bias":{"5":-1}}`},
		"order":           {[]string{`{"zeta":1,"alpha":2,"tool_choice":"auto","top_p":0.9,"temperature":0}`}, `{"temperature":0,"top_p":0.9,"tool_choice":"auto","alpha":2,"zeta":1}`},
		"last of equals":  {[]string{`{"seed":1,"seed":2}`}, `{"seed":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(merge(t, tt.layers...).JSON()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLayerFaults(t *testing.T) {
	for _, key := range []string{"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "max_new_tokens"} {
		err := chat.CheckLayer(chat.Layer{Name: "override", Params: json.RawMessage(`{"seed":1,"` + key + `":null}`)})
		if err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "override") {
			t.Errorf("%s: got %v, want an error that names layer and key", key, err)
		}
	}
	for _, bad := range []string{`[]`, `1`, `{`, `{"a":1,}`, `{"a":01}`} {
		if _, err := chat.Merge(chat.Layer{Name: "run", Params: json.RawMessage(bad)}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestShell(t *testing.T) {
	p := merge(t, `{"temperature":0.5,"seed":1,"zz":true}`)
	tools := json.RawMessage(`[ {"type": "function"} ]`)
	shell, err := chat.Wire{Model: `m"<1>`, Stream: true, IncludeUsage: true, MaxTokensKey: chat.MaxTokens}.Shell(p, tools, 77)
	if err != nil {
		t.Fatal(err)
	}
	messages := [][]byte{[]byte(`{"role":"user","content":"a"}`), []byte(`{"role":"assistant"}`)}
	r := shell.Body(messages)
	want := `{"model":"m\"<1>","messages":[{"role":"user","content":"a"},{"role":"assistant"}],"temperature":0.5,"max_tokens":77,` +
		`"stream":true,"stream_options":{"include_usage":true},"seed":1,"tools":[{"type":"function"}],"zz":true}`
	if got := string(join(r)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r.Size != int64(len(want)) || !r.Stream {
		t.Errorf("size %d of %d, stream %v", r.Size, len(want), r.Stream)
	}
	if &r.Body[1][0] != &messages[0][0] {
		t.Error("a message was copied")
	}
	for _, key := range []string{"model", "seed", "stream_options"} {
		if _, err := (chat.Wire{MaxTokensKey: key}).Shell(p, nil, 1); err == nil {
			t.Errorf("token limit key %q was taken", key)
		}
	}
}

func TestBodyAllocates(t *testing.T) {
	shell, err := chat.Wire{Model: "m"}.Shell(chat.Params{}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	messages := make([][]byte, 100)
	for i := range messages {
		messages[i] = bytes.Repeat([]byte("x"), 4000)
	}
	if n := testing.AllocsPerRun(100, func() { shell.Body(messages) }); n > 2 {
		t.Errorf("Body allocates %v times for 100 messages", n)
	}
}

// row is one line of the reference's data set format.
type row struct {
	ID          string `json:"conversation_id"`
	Role        string
	System      string
	Content     json.RawMessage
	Name        string
	Reasoning   string            `json:"reasoning_content"`
	ToolCalls   []json.RawMessage `json:"tool_calls"`
	ToolResults []struct {
		ID      string `json:"tool_call_id"`
		Content string
	} `json:"tool_results"`
	Tools        json.RawMessage
	Temperature  json.RawMessage
	Stop         json.RawMessage
	MaxNewTokens uint32 `json:"max_new_tokens"`
}

// messages writes a row as messages, as the workload plugin does: nulls left out, object arguments as JSON text.
func (r row) messages() (list []json.RawMessage) {
	if r.Role == "tool" {
		for _, res := range r.ToolResults {
			m := append([]byte(`{"role":"tool","tool_call_id":`), chat.AppendQuoted(nil, res.ID)...)
			m = append(append(m, `,"content":`...), chat.AppendQuoted(nil, res.Content)...)
			list = append(list, append(m, '}'))
		}
		return list
	}
	m := map[string]any{"role": r.Role}
	if r.Content != nil {
		m["content"] = r.Content
	}
	if r.Name != "" {
		m["name"] = r.Name
	}
	if r.Reasoning != "" {
		m["reasoning_content"] = r.Reasoning
	}
	var calls []any
	for _, c := range r.ToolCalls {
		var call struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		}
		json.Unmarshal(c, &call)
		call.Function.Arguments = chat.Arguments(call.Function.Arguments)
		calls = append(calls, call)
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	raw, _ := json.Marshal(m)
	return []json.RawMessage{raw}
}

func orNull(raw json.RawMessage) string {
	if raw == nil {
		return "null"
	}
	return string(raw)
}

// bodies plays the rows of the reference's example through chat and returns every request body in file order.
func bodies(t *testing.T, salt string, stream bool, repeats uint32) (out [][]byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/tiny.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const run = `{"temperature":1.0,"seed":42,"top_p":0.95,"top_k":20,"repetition_penalty":1.0,"presence_penalty":1.5,"chat_template_kwargs":{"preserve_thinking":true}}`
	wire := chat.Wire{Model: "served-model", Stream: stream}
	for repeat := range repeats {
		var h *chat.History
		var first row
		id := ""
		lines := bufio.NewScanner(bytes.NewReader(data))
		for lines.Scan() {
			var r row
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			messages := r.messages()
			if r.ID != id {
				id, h, first = r.ID, chat.NewHistory(chat.Keep), r
				sys := json.RawMessage(`{"role":"system","content":"` + r.System + `"}`)
				messages = append([]json.RawMessage{sys}, messages...)
				at, salted, err := salter(t, salt, 0).Salt(messages, id, repeat)
				if err != nil {
					t.Fatal(err)
				}
				if at >= 0 {
					messages[at] = salted
				}
			}
			if r.Role == "assistant" {
				h.Recorded(messages[0])
				continue
			}
			if _, err := h.Append(messages...); err != nil {
				t.Fatal(err)
			}
			turn := `{"temperature":` + orNull(r.Temperature) + `,"stop":` + orNull(r.Stop) + `}`
			layers := []string{run, turn}
			if r.Temperature == nil {
				layers[1] = `{"stop":` + orNull(r.Stop) + `}`
			}
			limit := uint32(8192)
			if first.MaxNewTokens > 0 {
				limit = first.MaxNewTokens
			}
			shell, err := wire.Shell(merge(t, layers...), first.Tools, limit)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, join(shell.Body(h.Messages())))
		}
	}
	return out
}

// TestWireGolden compares with bodies that were captured from the reference client. Ours differ in two things, both on
// purpose: whole numbers stay whole (77, not 77.0: the reference's reader turns them into floats), and tool arguments that
// the data set gives as an object go out as JSON text, as the API wants them and as servers accept them.
func TestWireGolden(t *testing.T) {
	for file, tt := range map[string]struct {
		salt    string
		stream  bool
		repeats uint32
	}{
		"nostream_tools.wire.json":    {"none", false, 1},
		"stream_salt_delay.wire.json": {"mlperf", true, 2},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + file)
			if err != nil {
				t.Fatal(err)
			}
			var captured []struct{ Body json.RawMessage }
			if err := json.Unmarshal(data, &captured); err != nil {
				t.Fatal(err)
			}
			ours := map[string][]byte{}
			for _, b := range bodies(t, tt.salt, tt.stream, tt.repeats) {
				ours[key(t, b)] = b
			}
			for i, c := range captured {
				got, ok := ours[key(t, c.Body)]
				if !ok {
					t.Errorf("request %d of the reference has no counterpart: %s", i, c.Body)
					continue
				}
				want := bytes.ReplaceAll(c.Body, []byte(`"arguments": {
         "command": "cat a.txt"
        }`), []byte(`"arguments": "{\"command\":\"cat a.txt\"}"`))
				want = bytes.ReplaceAll(want, []byte("77.0"), []byte("77"))
				if d := cmp.Diff(value(t, want), value(t, got)); d != "" {
					t.Errorf("request %d (-want +got):\n%s", i, d)
				}
			}
		})
	}
}

// key identifies a request by its first text and its number of messages; the reference sent conversations side by side.
func key(t *testing.T, body []byte) string {
	list := value(t, body).(map[string]any)["messages"].([]any)
	return list[0].(map[string]any)["content"].(string) + strings.Repeat("|", len(list))
}

func TestWhole(t *testing.T) {
	params, err := chat.Merge(chat.Layer{Name: "test", Params: json.RawMessage(`{"seed":1,"zeta":"stream"}`)})
	if err != nil {
		t.Fatal(err)
	}
	messages := [][]byte{[]byte(`{"role":"user","content":"]}"}`)}
	body := func(w chat.Wire) *chat.Request {
		shell, err := w.Shell(params, json.RawMessage(`[{"type":"function"}]`), 7)
		if err != nil {
			t.Fatal(err)
		}
		return shell.Body(messages)
	}
	want := body(chat.Wire{Model: "m"})
	for _, usage := range []bool{false, true} {
		got, err := body(chat.Wire{Model: "m", Stream: true, IncludeUsage: usage}).Whole()
		if err != nil {
			t.Fatal(err)
		}
		text := bytes.Join(got.Body, nil)
		if !bytes.Equal(text, bytes.Join(want.Body, nil)) || got.Stream || got.Size != int64(len(text)) {
			t.Errorf("stream %v, %d bytes: %s", got.Stream, got.Size, text)
		}
	}
	if got, err := want.Whole(); err != nil || got != want {
		t.Errorf("got another request, %v", err)
	}
	for _, tail := range []string{"", "]}", "x,y", `],"a`} {
		if _, err := (&chat.Request{Stream: true, Body: [][]byte{[]byte(tail)}}).Whole(); err == nil {
			t.Errorf("%q: no error", tail)
		}
	}
}
