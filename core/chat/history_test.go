package chat_test

import (
	"bytes"
	"encoding/json"
	"paceline/core/chat"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func answer(message string) *chat.Answer { return &chat.Answer{Message: json.RawMessage(message)} }

// live plays one user message, a live answer and what the client appends next, and returns the messages after the first.
func live(t *testing.T, rule chat.Thinking, a string, next ...string) ([]string, chat.Pairing) {
	t.Helper()
	h := chat.NewHistory(rule)
	if _, err := h.Append(raws(`{"role":"user","content":"go"}`)...); err != nil {
		t.Fatal(err)
	}
	if err := h.Live(answer(a)); err != nil {
		t.Fatal(err)
	}
	p, err := h.Append(raws(next...)...)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range h.Messages()[1:] {
		if !json.Valid(m) {
			t.Errorf("not JSON: %s", m)
		}
		list = append(list, string(m))
	}
	return list, p
}

// TestLiveThinking is case 55.
func TestLiveThinking(t *testing.T) {
	for name, tt := range map[string]struct {
		rule         chat.Thinking
		answer, want string
	}{
		"strip inline":     {chat.Strip, `{"role":"assistant","content":"<think>plan</think>Answer"}`, `{"role":"assistant","content":"Answer"}`},
		"strip escaped":    {chat.Strip, `{"content":"\u003cthink\u003ea\n</think>\n\nAns\"wer"}`, `{"role":"assistant","content":"Ans\"wer"}`},
		"strip two blocks": {chat.Strip, `{"content":"\n<think>a</think> <think>b</think>c<think>d"}`, `{"role":"assistant","content":"c<think>d"}`},
		"strip field":      {chat.Strip, `{"role":"assistant","content":"Answer","reasoning_content":"plan"}`, `{"role":"assistant","content":"Answer"}`},
		"strip open":       {chat.Strip, `{"role":"assistant","content":"<think>never closed"}`, `{"role":"assistant","content":""}`},
		"strip in the text": {
			chat.Strip, `{"content":"see ` + "`<think>x</think>`" + `"}`, `{"role":"assistant","content":"see ` + "`<think>x</think>`" + `"}`,
		},
		"keep inline":          {chat.Keep, `{"role":"assistant","content":"<think>plan</think>Answer"}`, `{"role":"assistant","content":"<think>plan</think>Answer"}`},
		"keep field":           {chat.Keep, `{"content":"Answer","reasoning_content":"plan"}`, `{"role":"assistant","content":"Answer","reasoning_content":"plan"}`},
		"reasoning only":       {chat.Keep, `{"reasoning_content":"plan"}`, `{"role":"assistant","content":"","reasoning_content":"plan"}`},
		"empty, as in case 53": {chat.Keep, `{"role":"assistant","content":""}`, `{"role":"assistant","content":""}`},
		"nothing at all":       {chat.Keep, ``, `{"role":"assistant","content":""}`},
		"null without calls":   {chat.Keep, `{"content":null}`, `{"role":"assistant","content":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := live(t, tt.rule, tt.answer, `{"role":"user","content":"n"}`)
			if d := cmp.Diff([]string{tt.want, `{"role":"user","content":"n"}`}, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestVisibleText(t *testing.T) {
	for message, want := range map[string]string{
		`{"content":"<think>plan</think>Answer"}`:         "Answer",
		`{"content":"Answer","reasoning_content":"plan"}`: "Answer",
		`{"content":"<think>never closed"}`:               "",
		`{"content":null}`:                                "",
		`{}`:                                              "",
		`{"content":[{"type":"text","text":"a"},{"text":"b"},null]}`: "ab",
	} {
		if got := chat.VisibleText(json.RawMessage(message)); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}

const twoCalls = `{"role":"assistant","content":null,"tool_calls":[` +
	`{"id":"call_x1","type":"function","function":{"name":"ls","arguments":"{}"}},` +
	`{"id":"call_x2","type":"function","function":{"name":"pwd","arguments":"{ \"a\" : 1 }"}}]}`

// TestPairing is cases 46 and 47 under live history.
func TestPairing(t *testing.T) {
	first := `{"role":"tool","tool_call_id":"call_1","content":"files"}`
	second := `{"role":"tool","tool_call_id":"call_2","content":""}`
	user := `{"role":"user","content":"next"}`
	for name, tt := range map[string]struct {
		answer string
		next   []string
		want   []string
		counts chat.Pairing
	}{
		"by position": {
			twoCalls,
			[]string{first, second},
			[]string{twoCalls, `{"role":"tool","tool_call_id":"call_x1","content":"files"}`, `{"role":"tool","tool_call_id":"call_x2","content":""}`},
			chat.Pairing{Rewrites: 2},
		},
		"ids that fit already": {
			twoCalls,
			[]string{`{"role":"tool","tool_call_id":"call_x1","content":"a"}`, `{"role":"tool","content":"b"}`},
			[]string{twoCalls, `{"role":"tool","tool_call_id":"call_x1","content":"a"}`, `{"tool_call_id":"call_x2","role":"tool","content":"b"}`},
			chat.Pairing{Rewrites: 1},
		},
		"a call without a result": {
			twoCalls,
			[]string{first, user},
			[]string{twoCalls, `{"role":"tool","tool_call_id":"call_x1","content":"files"}`, `{"role":"tool","tool_call_id":"call_x2","content":""}`, user},
			chat.Pairing{Rewrites: 1, Filled: 1},
		},
		"results without a call": {
			`{"content":"text"}`,
			[]string{first, user},
			[]string{`{"role":"assistant","content":"text"}`, `{"role":"user","content":"files"}`, user},
			chat.Pairing{Moved: 1},
		},
		"an answer without ids and with broken arguments": {
			`{"tool_calls":[{"function":{"name":"a","arguments":"{\"x"}},{"id":"","type":"function","index":3,"function":{"name":"b","arguments":""}}]}`,
			[]string{first, second},
			[]string{
				`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"a","arguments":"{\"malformed\":\"{\\\"x\"}"}},{"id":"call_1_2","type":"function","function":{"name":"b","arguments":"{}"}}]}`,
				`{"role":"tool","tool_call_id":"call_1_1","content":"files"}`, `{"role":"tool","tool_call_id":"call_1_2","content":""}`,
			},
			chat.Pairing{Rewrites: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, counts := live(t, chat.Keep, tt.answer, tt.next...)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if counts != tt.counts {
				t.Errorf("counts: got %+v, want %+v", counts, tt.counts)
			}
		})
	}
}

// TestArguments is case 45.
func TestArguments(t *testing.T) {
	for raw, want := range map[string]string{
		`{"z": 9007199254740993,"a":"<x&y>","r":1.0,"n":null}`: `"{\"z\": 9007199254740993,\"a\":\"<x&y>\",\"r\":1.0,\"n\":null}"`,
		`"{ \"b\" : 2 }"`: `"{ \"b\" : 2 }"`,
		``:                `"{}"`,
		`null`:            `"{}"`,
		`"no json"`:       `"{\"malformed\":\"no json\"}"`,
	} {
		if got := string(chat.Arguments(json.RawMessage(raw))); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}

func TestRecordedHistoryIsShared(t *testing.T) {
	h := chat.NewHistory("")
	user, recorded := raws(`{"role":"user","content":"a"}`)[0], raws(`{"role":"assistant","content":null,"tool_calls":[]}`)[0]
	if _, err := h.Append(user); err != nil {
		t.Fatal(err)
	}
	h.Recorded(recorded)
	before := h.Messages()
	fork := h.Fork()
	tool := raws(`{"role":"tool","tool_call_id":"call_1","content":"x"}`)[0]
	p, err := h.Append(tool)
	if err != nil || p != (chat.Pairing{}) {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := fork.Append(user); err != nil {
		t.Fatal(err)
	}
	if len(before) != 2 || &h.Messages()[2][0] != &tool[0] || &fork.Messages()[2][0] != &user[0] || &before[1][0] != &recorded[0] {
		t.Error("fragments are not shared, or a fork reached into its origin")
	}
}

func TestParts(t *testing.T) {
	var p chat.Parts
	for range 2 { // the second round uses the memory of the first
		p.Reset()
		p.NullContent = true
		if got := string(p.Message()); got != `{"role":"assistant","content":null}` || !p.Empty() {
			t.Errorf("got %s", got)
		}
		p.Content, p.GotContent = append(p.Content, `\ud83c`...), true
		p.Content = append(p.Content, `\udf0d <b>`...)
		for _, i := range []int{2, 0, 1} {
			c := p.Call(i)
			c.Name = append(c.Name, 'a'+byte(i))
			c.Arguments = append(p.Call(i).Arguments, `{}`...)
		}
		p.Call(1).ID = append(p.Call(1).ID, "id"...)
		want := `{"role":"assistant","content":"\ud83c\udf0d <b>","tool_calls":[{"type":"function","function":{"name":"a","arguments":"{}"}},` +
			`{"id":"id","type":"function","function":{"name":"b","arguments":"{}"}},{"type":"function","function":{"name":"c","arguments":"{}"}}]}`
		if got := string(p.Message()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	p.Reset()
	p.Reasoning, p.GotReasoning = []byte("a\xffb"), true
	if got := string(p.Message()); got != `{"role":"assistant","reasoning_content":"a`+"\uFFFD"+`b"}` {
		t.Errorf("got %s", got)
	}
}

// FuzzQuote holds AppendQuoted and TextBytes against encoding/json.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n\t\r\x00\x1f</b>&", "é数🌍\u2028", "\xff\xf0\x9f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := chat.AppendQuoted(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatalf("%q: %v", quoted, err)
		}
		if want := string(bytes.ToValidUTF8([]byte(s), nil)); utf8.ValidString(s) && back != want {
			t.Errorf("%q came back as %q", s, back)
		}
		if got := chat.TextBytes(quoted[1 : len(quoted)-1]); got != len(back) {
			t.Errorf("%q: %d bytes, want %d", quoted, got, len(back))
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := chat.TextBytes(raw[1 : len(raw)-1]); got != len(back) {
			t.Errorf("%q: %d bytes, want %d", raw, got, len(back))
		}
	})
}

// FuzzMerge holds Merge against the plain decoding of both sides.
func FuzzMerge(f *testing.F) {
	f.Add(`{"a":{"b":1,"c":null}}`, `{"a":{"b":null,"d":[1,2]},"e":"\u0000"}`)
	f.Fuzz(func(t *testing.T, low, high string) {
		p, err := chat.Merge(chat.Layer{Name: "low", Params: []byte(low)}, chat.Layer{Name: "high", Params: []byte(high)})
		if err != nil {
			return
		}
		var a, b any
		if json.Unmarshal([]byte(low), &a) != nil {
			a = map[string]any{}
		}
		if json.Unmarshal([]byte(high), &b) != nil {
			b = map[string]any{}
		}
		want := patch(patch(map[string]any{}, a), b)
		var got any
		if err := json.Unmarshal(p.JSON(), &got); err != nil {
			t.Fatalf("%s: %v", p.JSON(), err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func patch(target, p any) any {
	changes, ok := p.(map[string]any)
	if !ok {
		return p
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for k, v := range changes {
		if v == nil {
			delete(object, k)
			continue
		}
		object[k] = patch(object[k], v)
	}
	return object
}

func TestRequireContent(t *testing.T) {
	h := chat.NewHistory(chat.Keep)
	h.RequireContent()
	for _, m := range []string{
		`{"role":"assistant","tool_calls":[{"id":"a"}]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"b"}]}`,
		`{"role":"assistant","content":"x"}`,
		`{ }`,
	} {
		h.Recorded(json.RawMessage(m))
	}
	if err := h.Live(&chat.Answer{Message: json.RawMessage(`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`)}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"content":"","role":"assistant","tool_calls":[{"id":"a"}]}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"b"}]}`,
		`{"role":"assistant","content":"x"}`,
		`{"content":"" }`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
	}
	for i, m := range h.Messages() {
		if string(m) != want[i] {
			t.Errorf("message %d is %s, want %s", i, m, want[i])
		}
	}
}

// TestDrop leaves out messages of a history, while lists that were given out stay as they are.
func TestDrop(t *testing.T) {
	h := chat.NewHistory(chat.Keep)
	for _, m := range []string{"a", "b", "c", "d"} {
		h.Begin(json.RawMessage(m))
	}
	whole, fork := h.Messages(), h.Fork()
	h.Drop(1, 3)
	h.Begin(json.RawMessage("e"))
	h.Drop(2, 99)
	h.Drop(3, 1)
	for name, c := range map[string]struct {
		got  [][]byte
		want string
	}{"cut": {h.Messages(), "ad"}, "before": {whole, "abcd"}, "fork": {fork.Messages(), "abcd"}} {
		if got := string(bytes.Join(c.got, nil)); got != c.want || h.Len() != 2 {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
