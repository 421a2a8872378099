package chat_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/coretest"
)

var others = []chat.API{chat.APICompletions, chat.APIResponses, chat.APIMessages}

func raw(messages ...string) []json.RawMessage {
	list := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		list[i] = json.RawMessage(m)
	}
	return list
}

const tools = `[{"type":"function","function":{"name":"bash","description":"d","parameters":{"type":"object"},"strict":true}},{"type":"function","function":{"name":"now"}}]`

// conversation holds what messages can hold.
var conversation = raw(
	`{"role":"system","content":"one"}`,
	`{"role":"developer","name":"n","content":[{"type":"text","text":"tw"},{"type":"text","text":"o"}]}`,
	`{"content":"hi \"you\"\n","role":"user"}`,
	`{"role":"assistant","content":"let me","reasoning_content":"why","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"cmd\": \"ls\"}"}},{"id":"c2","type":"function","function":{"name":"now","arguments":{"a": 1}}}]}`,
	`{"role":"tool","tool_call_id":"c1","name":"bash","content":"a.txt"}`,
	`{"role":"tool","tool_call_id":"c2","content":null}`,
	`{"role":"user","content":"look"}`,
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"bash","arguments":"{\"cut"}}]}`,
	`{"role":"tool","tool_call_id":"c3","content":"?"}`,
	`{"role":"system","content":"later"}`,
	`{"role":"assistant","content":""}`,
	`{"role":"user","content":"end"}`,
)

func body(t *testing.T, w chat.Wire, params, tools string, messages []json.RawMessage) *chat.Request {
	t.Helper()
	shell, err := w.Shell(merge(t, params), json.RawMessage(tools), 64)
	if err != nil {
		t.Fatal(err)
	}
	translated, err := w.API.Translate(messages...)
	if err != nil {
		t.Fatal(err)
	}
	return shell.Body(chat.Fragments(translated))
}

// TestBodies holds whole bodies of the APIs against golden ones.
func TestBodies(t *testing.T) {
	params := `{"temperature":0.5,"stop":["a","b"],"user":"u","tool_choice":"required","parallel_tool_calls":false,"zz":{"y":1}}`
	var all bytes.Buffer
	for _, api := range others {
		p, offered := params, tools
		if api == chat.APICompletions {
			p, offered = `{"temperature":0.5,"stop":["a","b"],"seed":1,"ignore_eos":true}`, ""
		}
		r := body(t, chat.Wire{Model: "m", API: api, Stream: true, IncludeUsage: true}, p, offered, conversation)
		text := join(r)
		if r.Size != int64(len(text)) || !json.Valid(text) {
			t.Errorf("%s: %d bytes, want %d: %s", api, len(text), r.Size, text)
		}
		fmt.Fprintf(&all, "# %s\n%s\n", api, text)
		whole, err := r.Whole()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "# %s, whole: %s\n", api, join(whole)[len(text)-len(r.Body[len(r.Body)-1]):])
	}
	coretest.Golden(t, "testdata/bodies.txt", all.Bytes())
}

func TestImages(t *testing.T) {
	m := raw(`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://h/a.png"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAA="}}]}`)
	for api, want := range map[chat.API]string{
		chat.APIResponses: `{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"https://h/a.png"},{"type":"input_image","image_url":"data:image/png;base64,AAA="}]}`,
		chat.APIMessages: `{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"url","url":"https://h/a.png"}},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAA="}}]}`,
	} {
		got, err := api.Translate(m...)
		if err != nil || len(got) != 1 || string(got[0]) != want {
			t.Errorf("%s: %s, %v", api, got, err)
		}
	}
	if _, err := chat.APICompletions.Translate(m...); err == nil || !strings.Contains(err.Error(), "image") {
		t.Errorf("completions: %v", err)
	}
}

func TestUntranslatable(t *testing.T) {
	for m, want := range map[string]string{
		`{"role":"user","content":[{"type":"input_audio"}]}`: `message 1 by the API messages: content: part 1: of the type "input_audio"`,
		`{"role":"user","content":7}`:                        "want a text",
		`{"content":"x"}`:                                    "no role",
		`[]`:                                                 "not a JSON object",
		`{"role":"assistant","tool_calls":[7]}`:              "call 1",
		`{"role":"tool","content":[{"type":"image_url","image_url":{"url":"x"}}]}`: "image",
	} {
		if _, err := chat.APIMessages.Translate(json.RawMessage(m)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", m, err, want)
		}
	}
}

// TestLongTextsAreShared: of a long text no API makes a copy.
func TestLongTextsAreShared(t *testing.T) {
	long := strings.Repeat("long \\n", 2000)
	for _, api := range others {
		for _, role := range []string{"system", "user", "assistant", "tool"} {
			m := json.RawMessage(`{"role":"` + role + `","tool_call_id":"x","content":"` + long + `"}`)
			fragments, err := api.Translate(m)
			if err != nil {
				t.Fatal(err)
			}
			copied := 0
			for _, f := range fragments {
				if len(f) > 0 && !within(m, f) {
					copied += len(f)
				}
			}
			if copied > 200 {
				t.Errorf("%s, %s: %d bytes are copies", api, role, copied)
			}
		}
	}
}

// within reports whether b lies in the memory of a.
func within(a, b []byte) bool {
	for i := range a {
		if &a[i] == &b[0] {
			return true
		}
	}
	return false
}

// TestSaltedPieces: the salted message is the same, whether it is salted before or after it takes the API's form, and its long
// text is shared.
func TestSaltedPieces(t *testing.T) {
	scheme, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	salter, err := chat.NewSalter(scheme, 7)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("~text ", 2000)
	for _, api := range append(others, chat.APIChat) {
		for _, first := range []string{
			`{"role":"system","content":"` + long + `"}`, `{"role":"user","content":"short ~~"}`,
			`{"role":"user","content":[{"type":"text","text":"` + long + `"},{"type":"text","text":"~"}]}`,
		} {
			messages := raw(first, `{"role":"user","content":"next"}`)
			at, whole, err := salter.Salt(messages, "c", 1)
			if err != nil {
				t.Fatal(err)
			}
			want, err := api.Translate(whole)
			if err != nil {
				t.Fatal(err)
			}
			placed, pieces, err := salter.PiecesIn(api, messages, "c", 1)
			if err != nil || placed != at {
				t.Fatalf("at %d, %v", placed, err)
			}
			if a, b := bytes.Join(chat.Fragments(pieces), nil), bytes.Join(chat.Fragments(want), nil); !bytes.Equal(a, b) {
				t.Errorf("%s: %.200s\nwant %.200s", api, a, b)
			}
			copied := 0
			for _, p := range pieces {
				if len(p) > 0 && !within(messages[0], p) {
					copied += len(p)
				}
			}
			if copied > 400 {
				t.Errorf("%s, %.40s: %d bytes are copies", api, first, copied)
			}
		}
	}
}

func TestParamsOfAPIs(t *testing.T) {
	for _, tt := range []struct {
		api          chat.API
		params, want string // an error's text where it does not begin with {
	}{
		{chat.APIMessages, `{"stop":"x","tool_choice":{"type":"function","function":{"name":"f"}}}`, `{"max_tokens":64,"stream":false,"stop_sequences":["x"],"tool_choice":{"type":"tool","name":"f"}}`},
		{chat.APIMessages, `{"tool_choice":"none","n":1,"top_k":3}`, `{"max_tokens":64,"stream":false,"top_k":3,"tool_choice":{"type":"none"}}`},
		{chat.APIMessages, `{"seed":1}`, `the API messages has no "seed"`},
		{chat.APIMessages, `{"system":"x"}`, `has no "system"`},
		{chat.APIMessages, `{"tools":[{"type":"web_search"}]}`, `tools[0]: a tool of the type "web_search" is no function`},
		{chat.APIMessages, `{"tool_choice":7}`, `tool_choice 7`},
		{chat.APIResponses, `{"reasoning_effort":"low","response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{}}},"store":true}`,
			`{"max_output_tokens":64,"stream":false,"reasoning":{"effort":"low"},"store":true,"text":{"format":{"type":"json_schema","name":"s","schema":{}}}}`},
		{chat.APIResponses, `{"tool_choice":{"type":"function","function":{"name":"f"}},"store":null}`, `{"max_output_tokens":64,"stream":false,"tool_choice":{"type":"function","name":"f"},"store":false}`},
		{chat.APIResponses, `{"n":2}`, `has no "n"`},
		{chat.APICompletions, `{"logprobs":3,"best_of":1}`, `{"max_tokens":64,"stream":false,"best_of":1,"logprobs":3}`},
		{chat.APICompletions, `{"logprobs":true}`, `has no "logprobs"`},
		{chat.APICompletions, `{"chat_template_kwargs":{}}`, `has no "chat_template_kwargs"`},
	} {
		shell, err := chat.Wire{Model: "m", API: tt.api}.Shell(merge(t, tt.params), nil, 64)
		switch {
		case tt.want[0] != '{' && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s %s: %v", tt.api, tt.params, err)
		case tt.want[0] == '{' && err != nil:
			t.Errorf("%s %s: %v", tt.api, tt.params, err)
		case err == nil:
			tail := string(join(shell.Body(nil)))
			if !strings.HasSuffix(tail, ","+tt.want[1:]) {
				t.Errorf("%s %s: got %s", tt.api, tt.params, tail)
			}
		}
	}
	if _, err := (chat.Wire{Model: "m", API: chat.APIMessages}).Shell(chat.Params{}, nil, 0); err == nil || !strings.Contains(err.Error(), "max_tokens") {
		t.Errorf("messages without a limit: %v", err)
	}
	if err := chat.API("chats").Check(); err == nil {
		t.Error("an API of another name was taken")
	}
}

// TestLiveHistoryByAPI joins live answers in the API's form: the results of tools get the ids of the live calls.
func TestLiveHistoryByAPI(t *testing.T) {
	for api, want := range map[chat.API]string{
		chat.APIResponses: `{"role":"user","content":"go"},{"role":"assistant","content":"ok"},{"type":"function_call","call_id":"live_1","name":"f","arguments":"{}"},` +
			`{"type":"function_call","call_id":"live_2","name":"f","arguments":"{\"malformed\":\"{\\\"a\"}"},` +
			`{"type":"function_call_output","call_id":"live_1","output":"r"},{"type":"function_call_output","call_id":"live_2","output":""}`,
		chat.APIMessages: `{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"live_1","name":"f","input":{}},` +
			`{"type":"tool_use","id":"live_2","name":"f","input":{"malformed":"{\"a"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"live_1","content":"r"},{"type":"tool_result","tool_use_id":"live_2","content":""}]}`,
		chat.APICompletions: `<|user|>\ngo\n<|assistant|>\nok\n<|tool_call|>\nf\n{}\n<|tool_call|>\nf\n{\"malformed\":\"{\\\"a\"}\n<|tool|>\nr\n<|tool|>\n\n<|assistant|>\n`,
	} {
		h := chat.NewHistory(chat.Keep)
		h.Speak(api)
		if _, err := h.Append(raw(`{"role":"user","content":"go"}`)...); err != nil {
			t.Fatal(err)
		}
		err := h.Live(&chat.Answer{Message: json.RawMessage(`{"role":"assistant","content":"ok","tool_calls":[` +
			`{"id":"live_1","type":"function","function":{"name":"f","arguments":""}},{"id":"live_2","type":"function","function":{"name":"f","arguments":"{\"a"}}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Append(raw(`{"role":"tool","tool_call_id":"rec_1","content":"r"}`)...)
		if err != nil || p.Rewrites != 1 || p.Filled != 1 {
			t.Fatalf("%s: %+v, %v", api, p, err)
		}
		shell, err := chat.Wire{Model: "m", API: api}.Shell(chat.Params{}, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(join(shell.Body(h.Messages()))); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant in it\n%s", api, got, want)
		}
	}
}

// FuzzTranslate: whatever a message holds, what comes of it is JSON, by every API and beside any other message.
func FuzzTranslate(f *testing.F) {
	for _, m := range conversation {
		f.Add([]byte(m), []byte(`{"role":"user","content":"x"}`))
	}
	f.Add([]byte(`{"role":"a\"b\n","content":"\u0000"}`), []byte(`{"role":"system","content":[{"text":"a"}]}`))
	f.Add([]byte(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:\"x;base64,AA"}}]}`), []byte(`{"type":"text","role":"tool"}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, m := range [][]byte{first, second} {
			if !json.Valid(m) {
				return
			}
		}
		for _, api := range others {
			fragments, err := api.Translate(first, second, first)
			if err != nil {
				continue
			}
			shell, err := chat.Wire{Model: "m", API: api}.Shell(chat.Params{}, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			r := shell.Body(chat.Fragments(fragments))
			if text := join(r); !json.Valid(text) || int64(len(text)) != r.Size {
				t.Fatalf("%s: %q %q give %s", api, first, second, text)
			}
		}
	})
}
