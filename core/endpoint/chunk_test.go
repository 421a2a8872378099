package endpoint

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
)

const vllmChunk = `{"id":"chatcmpl-9d1f0c5c8f3b4b0e","object":"chat.completion.chunk","created":1754000000,"model":"served-model","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}`

// vllmAnswer is a whole answer as vLLM writes it where no stream was asked for.
const vllmAnswer = `{"id":"chatcmpl-9d1f0c5c8f3b4b0e","object":"chat.completion","created":1754000000,"model":"served-model",` +
	`"choices":[{"index":0,"message":{"role":"assistant","content":"a \"b\"\n","refusal":null,"annotations":null,"audio":null,"function_call":null,` +
	`"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"cmd\": \"ls\"}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}],` +
	`"reasoning":"why"},"logprobs":null,"finish_reason":"tool_calls","stop_reason":null,"token_ids":null}],"service_tier":null,"system_fingerprint":null,` +
	`"usage":{"prompt_tokens":31,"total_tokens":38,"completion_tokens":7,"prompt_tokens_details":null},"prompt_logprobs":null,"kv_transfer_params":null}`

// plain is a chunk with its texts decoded, for comparing and for tables.
type plain struct {
	Choice, Message             bool
	Content, Thinking, Finish   string
	GotContent, Null, GotReason bool
	Calls                       []plainCall
	Usage                       usage
	Extras                      []string
	Fault                       string
	IDs                         string
	IDCount                     uint64
}

type plainCall struct {
	Index                int
	Told                 bool
	ID, Kind, Name, Args string
}

func decode(t testing.TB, inside []byte) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(`"`+string(inside)+`"`), &s); err != nil {
		t.Fatalf("%q: %v", inside, err)
	}
	if !utf8.Valid(inside) {
		t.Fatalf("%q is not UTF-8", inside)
	}
	return s
}

func (c *chunk) plain(t testing.TB) plain {
	thinking := c.thinking()
	p := plain{
		Choice: c.choice, Message: c.message, Content: decode(t, c.content.inside), Thinking: decode(t, thinking.inside),
		Finish: decode(t, c.finish.inside), GotContent: c.content.got, Null: c.content.null, GotReason: thinking.got,
		Usage: c.usage, Fault: string(c.fault), IDs: string(c.ids), IDCount: c.idCount,
	}
	for _, d := range c.calls {
		p.Calls = append(p.Calls, plainCall{d.index, d.told, decode(t, d.id), decode(t, d.kind), decode(t, d.name), decode(t, d.args)})
	}
	for _, x := range c.extras {
		p.Extras = append(p.Extras, x.where+string(x.name)+"="+string(x.value))
	}
	slices.SortFunc(p.Extras, cmp.Compare[string])
	return p
}

func TestChunk(t *testing.T) {
	for name, tt := range map[string]struct {
		data string
		slow bool
		want plain
	}{
		"content":         {vllmChunk, false, plain{Choice: true, Content: " token", GotContent: true, Extras: []string{`model="served-model"`}}},
		"role only":       {`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":null,"tool_calls":null},"finish_reason":null}],"usage":null}`, false, plain{Choice: true, Null: true}},
		"escapes":         {`{"choices":[{"delta":{"content":"a\n\"\\\/é\ud83c\udf0d 数"}}]}`, false, plain{Choice: true, Content: "a\n\"\\/é🌍 数", GotContent: true}},
		"reasoning":       {`{"choices":[{"delta":{"reasoning":"pl","reasoning_content":"pl"}}]}`, false, plain{Choice: true, Thinking: "pl", GotReason: true}},
		"other reasoning": {`{"choices":[{"delta":{"reasoning_content":"","reasoning":"x"}}]}`, false, plain{Choice: true, Thinking: "x", GotReason: true}},
		"finish":          {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","stop_reason":12}]}`, false, plain{Choice: true, Finish: "stop", Extras: []string{"choice.stop_reason=12"}}},
		"usage": {
			`{"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":7,"total_tokens":38,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":2,"x":null}}}`, false,
			plain{Usage: usage{got: true, prompt: 31, completion: 7, cached: 16, reasoning: 2, hasPrompt: true, hasCompletion: true, hasCached: true, hasReasoning: true}},
		},
		"null details":        {`{"usage":{"prompt_tokens":5,"completion_tokens":4,"completion_tokens_details":null}}`, false, plain{Usage: usage{got: true, prompt: 5, completion: 4, hasPrompt: true, hasCompletion: true}}},
		"usage as floats":     {`{"usage":{"prompt_tokens":5.0,"completion_tokens":1e1}}`, true, plain{Usage: usage{got: true, prompt: 5, completion: 10, hasPrompt: true, hasCompletion: true}}},
		"usage in the choice": {`{"choices":[{"delta":{},"usage":{"prompt_tokens":5}}]}`, true, plain{Choice: true, Usage: usage{got: true, prompt: 5, hasPrompt: true}}},
		"call": {
			`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"x","type":"function","function":{"name":"bash","arguments":"{\""}}]}}]}`, false,
			plain{Choice: true, Calls: []plainCall{{1, true, "x", "function", "bash", `{"`}}},
		},
		"arguments as an object": {
			`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":{"a": "<b>"}}}]}}]}`, true,
			plain{Choice: true, Calls: []plainCall{{Name: "f", Args: `{"a": "<b>"}`}}},
		},
		"second choice":   {`{"choices":[{"index":1,"delta":{"content":"no"}}]}`, true, plain{Choice: true}},
		"several choices": {`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`, true, plain{Choice: true, Content: "yes", GotContent: true}},
		"whole answer": {vllmAnswer, false, plain{
			Choice: true, Message: true, Content: "a \"b\"\n", GotContent: true, Thinking: "why", GotReason: true, Finish: "tool_calls",
			Calls:  []plainCall{{0, false, "c1", "function", "bash", `{"cmd": "ls"}`}, {1, false, "c2", "function", "f", "{}"}},
			Usage:  usage{got: true, prompt: 31, completion: 7, hasPrompt: true, hasCompletion: true},
			Extras: []string{`model="served-model"`},
		}},
		"message, delta":  {`{"choices":[{"message":{"content":"all"},"delta":{"content":"d"}}]}`, true, plain{Choice: true, Content: "d", GotContent: true}},
		"message, null":   {`{"choices":[{"message":{"content":"all"},"delta":null}]}`, true, plain{Choice: true, Message: true, Content: "all", GotContent: true}},
		"no message":      {`{"choices":[{"message":null,"text":"t"}]}`, true, plain{Choice: true, Content: "t", GotContent: true}},
		"whole message":   {`{"choices":[{"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}]}`, false, plain{Choice: true, Message: true, Content: "all", GotContent: true, Finish: "stop"}},
		"text completion": {`{"choices":[{"text":" n0","finish_reason":null}]}`, false, plain{Choice: true, Content: " n0", GotContent: true}},
		"text and delta":  {`{"choices":[{"text":"t","delta":{"content":"d"}}]}`, true, plain{Choice: true, Content: "d", GotContent: true}},
		"token ids": {
			`{"choices":[{"index":0,"text":"ab","prompt_token_ids":[1, 2],"token_ids":[17,4294967295]}]}`, false,
			plain{Choice: true, Content: "ab", GotContent: true, IDs: "17,4294967295", IDCount: 2},
		},
		"token ids, spaced":  {`{"choices":[{"token_ids":[ 17 , 4 ]}]}`, true, plain{Choice: true, IDs: "17,4", IDCount: 2}},
		"no token ids":       {`{"choices":[{"token_ids":[]}]}`, false, plain{Choice: true}},
		"null for token ids": {`{"choices":[{"token_ids":null,"prompt_token_ids":null}]}`, false, plain{Choice: true}},
		"broken token ids":   {`{"choices":[{"token_ids":[1,"2",4294967296]}]}`, true, plain{Choice: true}},
		"content parts":      {`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}`, true, plain{Choice: true, Content: "ab", GotContent: true}},
		"repeated keys":      {`{"choices":[{"delta":{"content":"a","content":"b"}}]}`, true, plain{Choice: true, Content: "b", GotContent: true}},
		"error object":       {`{"error":{"message":"m"}}`, true, plain{Fault: `{"message":"m"}`}},
		"error text":         {`{"error":"m","choices":[]}`, true, plain{Fault: `"m"`}},
		"no error":           {`{"error":null,"choices":[]}`, false, plain{}},
		"old vLLM error":     {` {"object":"error","message":"m"}`, true, plain{Fault: `{"object":"error","message":"m"}`, Extras: []string{`message="m"`}}},
		"not UTF-8":          {"{\"choices\":[{\"delta\":{\"content\":\"a\xffb\"}}]}", true, plain{Choice: true, Content: "a\uFFFDb", GotContent: true}},
		"no object":          {`[1,2]`, true, plain{}},
		"escaped key":        {`{"\u0063hoices":[{"delta":{"content":"a"}}]}`, true, plain{Choice: true, Content: "a", GotContent: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var c chunk
			if !c.read([]byte(tt.data)) {
				t.Fatal("was taken for malformed")
			}
			if d := gocmp.Diff(tt.want, c.plain(t), gocmp.AllowUnexported(usage{})); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			c.reset()
			s := scanner{b: []byte(tt.data)}
			if fast := s.chunk(&c); fast == tt.slow {
				t.Errorf("taken the fast way: %v", fast)
			}
		})
	}
}

func TestChunkMalformed(t *testing.T) {
	for _, data := range []string{
		``, ` `, `{`, `{"choices": [}`, `{bad}`, `{"a":1}x`, `{"a":01}`, `{"a":"\x"}`, `{"a":"` + "\n" + `"}`, `{"choices":[{"delta":{"content":"lost`, `{"a":tru}`, `[1,]`,
	} {
		var c chunk
		if c.read([]byte(data)) {
			t.Errorf("%q was taken for JSON", data)
		}
	}
}

func TestChunkAllocates(t *testing.T) {
	for _, text := range []string{vllmChunk, vllmAnswer} {
		data := []byte(text)
		var c chunk
		c.read(data)
		if n := testing.AllocsPerRun(100, func() { c.read(data) }); n != 0 {
			t.Errorf("%s allocates %v times", text, n)
		}
	}
}

func BenchmarkChunkFast(b *testing.B) {
	data := []byte(vllmChunk)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var c chunk
	for b.Loop() {
		c.read(data)
	}
}

func BenchmarkAnswerFast(b *testing.B) {
	data := []byte(vllmAnswer)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var c chunk
	for b.Loop() {
		c.read(data)
	}
}

func BenchmarkAnswerSlow(b *testing.B) {
	data := []byte(vllmAnswer)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var c chunk
	for b.Loop() {
		c.reset()
		c.readSlow(data)
	}
}

func BenchmarkChunkSlow(b *testing.B) {
	data := []byte(vllmChunk)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var c chunk
	for b.Loop() {
		c.reset()
		c.readSlow(data)
	}
}

// FuzzChunk holds the fast way against the slow one.
func FuzzChunk(f *testing.F) {
	for _, s := range []string{
		vllmChunk,
		vllmAnswer,
		`{"choices":[{"message":{"content":"a","x":1},"finish_reason":"stop"}]}`,
		`{"choices":[{"message":{},"delta":{"content":"a"}}]}`,
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning":"a","tool_calls":[{"index":1,"id":"x","function":{"name":"f","arguments":"{}"}}],"z":[1,{"a":-1.5e3}]},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":2}},"timings":{"x":1}}`,
		`{"choices":[{"text":"a","token_ids":[1,22],"prompt_token_ids":[3]}]}`,
		`{"error":null,"object":"chat.completion.chunk","x":"\ud83c\udf0d"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var fast, slow chunk
		s := scanner{b: data}
		if !s.chunk(&fast) {
			return
		}
		if !slow.readSlow(data) {
			t.Fatalf("%q: only the fast way takes it for JSON", data)
		}
		if d := gocmp.Diff(slow.plain(t), fast.plain(t), gocmp.AllowUnexported(usage{})); d != "" {
			t.Errorf("%q (-slow +fast):\n%s", data, d)
		}
	})
}

// FuzzChunkAgain holds a chunk that is read after another one, with the text of the first replaced, against the slow way.
func FuzzChunkAgain(f *testing.F) {
	f.Add([]byte(vllmChunk), []byte(`x\n"`), uint8(1))
	f.Add([]byte(`{"choices":[{"delta":{"content":null,"reasoning":"a"}}],"x":1}`), []byte("\xff"), uint8(0))
	f.Fuzz(func(t *testing.T, data, text []byte, cut uint8) {
		var c, slow chunk
		if !c.read(data) {
			return
		}
		if c.last.slot != nil {
			data = slices.Concat(data[:c.last.from], text, data[c.last.to:])
		}
		data = data[:len(data)-min(len(data), int(cut))]
		if got, want := c.read(data), slow.readSlow(data); got != want {
			t.Fatalf("%q: JSON %v, want %v", data, got, want)
		} else if !got {
			return
		}
		if d := gocmp.Diff(slow.plain(t), c.plain(t), gocmp.AllowUnexported(usage{})); d != "" {
			t.Errorf("%q (-slow +again):\n%s", data, d)
		}
	})
}
