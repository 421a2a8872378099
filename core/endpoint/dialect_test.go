package endpoint

import (
	"encoding/json"
	"testing"

	"paceline/core/chat"
)

const (
	responseChunk = `{"content_index":0,"delta":" token","item_id":"msg_9d1f0c5c8f3b4b0e","logprobs":[],"output_index":0,"sequence_number":17,"type":"response.output_text.delta"}`
	callChunk     = `{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"sequence_number":9,"delta":"{\"a"}`
	messageChunk  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token"}}`
	toolChunk     = `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"bash","input":{}}}`
)

func TestDialectsAllocate(t *testing.T) {
	for text, api := range map[string]chat.API{
		responseChunk: chat.APIResponses, callChunk: chat.APIResponses, messageChunk: chat.APIMessages,
	} {
		data, scan := []byte(text), dialectOf(api).read
		var c chunk
		c.readBy(scan, data)
		if n := testing.AllocsPerRun(100, func() { c.readBy(scan, data) }); n != 0 {
			t.Errorf("%s allocates %v times", text, n)
		}
	}
}

func BenchmarkResponseChunk(b *testing.B) { benchmarkDialect(b, chat.APIResponses, responseChunk) }
func BenchmarkMessageChunk(b *testing.B)  { benchmarkDialect(b, chat.APIMessages, messageChunk) }

func benchmarkDialect(b *testing.B, api chat.API, text string) {
	data, scan := []byte(text), dialectOf(api).read
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var c chunk
	for b.Loop() {
		c.readBy(scan, data)
	}
}

// FuzzDialects gives the readers any bytes: what is JSON is taken for JSON and nothing else is, and what comes out can be
// written into a message.
func FuzzDialects(f *testing.F) {
	for _, s := range []string{
		responseChunk, callChunk, messageChunk, toolChunk, `{"type":"message","content":[{"type":"tool_use","input":{"a":[1,{"b":"\u00e9"}]}}],"usage":{"input_tokens":1.5}}`,
		`{"output":[{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}],"status":"completed","usage":null}`,
		"{\"\\u0074ype\":\"error\",\"x\":\"\xff\"}", `{"type":"message_start","message":{"usage":{"input_tokens":3,"cache_read_input_tokens":4}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, api := range []chat.API{chat.APIResponses, chat.APIMessages} {
			var c chunk
			if got, want := c.readBy(dialectOf(api).read, data), json.Valid(data); got != want {
				t.Fatalf("%s: %q: JSON %v, want %v", api, data, got, want)
			}
			var p chat.Parts
			p.Content, p.GotContent = append(p.Content, c.content.inside...), true
			p.Reasoning, p.GotReasoning = append(p.Reasoning, c.thinking().inside...), true
			for _, d := range c.calls {
				call := p.Call(d.index)
				call.ID, call.Name = append(call.ID, d.id...), append(call.Name, d.name...)
				call.Arguments = append(call.Arguments, d.args...)
			}
			if m := p.Message(); !json.Valid(m) {
				t.Fatalf("%s: %q gives %s", api, data, m)
			}
		}
	})
}
