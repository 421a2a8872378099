package sim

import (
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"unicode/utf8"

	"paceline/core/chat"
)

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "a", "abcd", "abcde", "äöüß", "漢字😀x", "\xff\xff\xff\xff\xff\xff\x80\x80\x80\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var pieces []string
		for c := newCursor(Answer{Content: text}); ; {
			p, n := c.next(1)
			if n == 0 {
				break
			}
			if utf8.ValidString(text) && !utf8.ValidString(p.text) {
				t.Errorf("token %q cuts a character of %q", p.text, text)
			}
			if len(p.text) > tokenBytes+utf8.UTFMax-1 {
				t.Errorf("token %q is too long", p.text)
			}
			pieces = append(pieces, p.text)
		}
		if strings.Join(pieces, "") != text || len(pieces) != countTokens(text) {
			t.Errorf("%q became %q", text, pieces)
		}
		var back string
		if err := json.Unmarshal(chat.AppendQuoted(nil, text), &back); err != nil || utf8.ValidString(text) && back != text {
			t.Errorf("%q encodes to %s", text, chat.AppendQuoted(nil, text))
		}
	})
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"text":"a"}],"tool_calls":[{"function":{"name":"x"}}]}],"max_tokens":3}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":"a"}],"tools":[{"function":{"name":"b","parameters":{"properties":{"command":{"type":["string"]}}}}}]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":"a"}],"tools":[]}`))
	f.Add([]byte(`{"prompt":"<|user|>\na\n<|tool_call|>\nf\n{}\n<|assistant|>\n","input":[{"role":"user","content":"a"},{"type":"function_call","name":"f","arguments":"{}"}],` +
		`"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"tool_result","content":"r"},{"type":"text","text":"t"}]}]}`))
	f.Add([]byte(`{"prompt":[1,2],"tools":[{"name":"f","input_schema":{"properties":{"a":{}}}}],"system":"s","messages":[{"role":"user","content":"a"}],"input":"a"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, api := range chat.APIs() {
			fuzzRequest(t, chat.API(api), body)
		}
	})
}

func fuzzRequest(t *testing.T, api chat.API, body []byte) {
	r, err := parseRequest(api, body)
	if err != nil {
		return
	}
	c := Config{AnswerTokens: 20}.withDefaults()
	r.MaxTokens = min(r.MaxTokens, 1000)
	r.minimum = min(r.minimum, 1000)
	tokens := &chain{blockTokens: 16}
	tokens.prompt(r)
	a := c.answer(r)
	n, _ := a.tokens()
	if back, _ := a.cut(n).tokens(); back != n || n < 1 {
		t.Errorf("an answer of %d tokens is cut to %d", n, back)
	}
	for _, call := range a.ToolCalls {
		if !json.Valid([]byte(call.Arguments)) {
			t.Errorf("arguments %s", call.Arguments)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,true,null,"\ud83d\ude00\ud83dx\n\u00e9"],"b":{}}`, `[`, `{"a"}`, `"\x"`, `01`, `[1,]`, ` [ ] `, `"\u12"`, "\"\x01\"", `nul`, `1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := &scanner{b: body}
		_, err := s.skip()
		if err == nil {
			err = s.end()
		}
		if (err == nil) != json.Valid(body) {
			t.Errorf("%q: %v, valid %v", body, err, json.Valid(body))
		}
		var want string
		if utf8.Valid(body) && json.Unmarshal(body, &want) == nil && string(body) != "null" {
			got, err := (&scanner{b: body}).text()
			if trimmed := strings.TrimLeft(string(body), " \t\r\n"); trimmed[0] == '"' && (got != want || err != nil) {
				t.Errorf("%q is %q, want %q (%v)", body, got, want, err)
			}
		}
	})
}

// discard is a connection that takes every write.
type discard struct{ net.Conn }

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func newTokenStream(n int) *tokenStream {
	s := &Server{config: Config{}.withDefaults()}
	c := &completion{request: &Request{}, answer: Answer{Content: strings.Repeat("word", n)}, sequence: newSequence(&chain{}, 1, n)}
	x := &exchange{conn: discard{}}
	return s.tokenStream(x, c)
}

func TestChunksDoNotAllocate(t *testing.T) {
	s := newTokenStream(1000)
	s.emit(1)
	s.w.flush(false)
	if n := testing.AllocsPerRun(500, func() {
		s.emit(s.sent + 1)
		s.w.flush(false)
	}); n != 0 {
		t.Errorf("a chunk allocates %v times", n)
	}
}

func BenchmarkChunk(b *testing.B) {
	s := newTokenStream(b.N + 1)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		s.emit(s.sent + 1)
		if s.w.flush(false) != nil {
			b.Fatal(io.ErrShortWrite)
		}
		if s.sent == s.c.sequence.length {
			b.StopTimer()
			s = newTokenStream(1000)
			b.StartTimer()
		}
	}
}

func BenchmarkPrompt(b *testing.B) {
	body := []byte(`{"model":"m","messages":[` + strings.Repeat(`{"role":"user","content":"`+strings.Repeat("word ", 400)+`"},`, 19) +
		`{"role":"user","content":"end"}]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r, err := parseRequest("", body)
		if err != nil {
			b.Fatal(err)
		}
		tokens := &chain{blockTokens: 16}
		tokens.prompt(r)
	}
}

// TestPlanNeverOverfills drives the scheduler without time.
func TestPlanNeverOverfills(t *testing.T) {
	c := Config{KVTokens: 64 * 16, MaxContext: 64 * 16, MaxBatch: 8, StepTokens: 200}.withDefaults()
	e := newEngine(c)
	var all []*sequence
	for i := range 40 {
		tokens := &chain{blockTokens: 16}
		tokens.text(strings.Repeat(string(rune('a'+i%5)), 4*(40+7*i)))
		s := newSequence(tokens, 40+7*i-20, 20+13*i)
		all = append(all, s)
		e.submit(s)
		if i%9 == 8 {
			e.cancel(all[i-3])
		}
	}
	for steps := 0; ; steps++ {
		w, busy := e.plan()
		if !busy {
			break
		}
		if e.kv.used > e.kv.capacity || len(e.running) > c.MaxBatch || w.prefill+w.decoding > c.StepTokens || steps > 100000 {
			t.Fatalf("step %d: %d blocks, %d running, %+v", steps, e.kv.used, len(e.running), w)
		}
		e.apply()
	}
	for i, s := range all {
		if !s.gone && (!s.done.Load() || int(s.ready.Load()) != s.length) {
			t.Errorf("sequence %d gave %d of %d tokens", i, s.ready.Load(), s.length)
		}
	}
	if e.kv.used != e.kv.idleCount || len(e.kv.known) != e.kv.idleCount || e.stats.Preemptions == 0 {
		t.Errorf("%d blocks used, %d idle, %d known, %d preemptions", e.kv.used, e.kv.idleCount, len(e.kv.known), e.stats.Preemptions)
	}
}

// TestThinkingInHistory shows that a prompt keeps reasoning only where it is asked to.
func TestThinkingInHistory(t *testing.T) {
	ask := func(keep string) *Request {
		r, err := parseRequest("", []byte(`{"messages":[{"role":"assistant","content":"a","reasoning_content":"some thoughts"},{"role":"user","content":"b"}],`+
			`"chat_template_kwargs":{"preserve_thinking":`+keep+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		c := &chain{blockTokens: 16, hash: 1}
		c.prompt(r)
		r.PromptTokens = c.tokens
		return r
	}
	if with, without := ask("true").PromptTokens, ask("false").PromptTokens; with-without != countTokens("some thoughts") {
		t.Errorf("%d tokens with thinking, %d without", with, without)
	}
	if _, err := parseRequest("", []byte(`{"messages":[{"role":"assistant","reasoning":{"x":1}}]}`)); err != nil {
		t.Error(err)
	}
}
