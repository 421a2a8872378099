package stub

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Script says what every answer is like.
type Script struct {
	Chunks   int           // of a stream, with generated text
	Gap      time.Duration // between chunks; also scales the wait before the first one
	Stream   bool          // answer with a stream, else with one document after the same time
	SplitEnd bool          // the end of a stream's body is a write of its own, as with uvicorn
}

// Model is the name that the stub serves.
const Model = "stub"

const (
	head   = "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nServer: stub\r\n"
	models = `{"object":"list","data":[{"id":"` + Model + `","object":"model","created":1767225600,"owned_by":"stub"}]}`
	opened = `data: {"id":"chatcmpl-8f14e45fceea167a5a36dedd4bea2543","object":"chat.completion.chunk","created":1767225600,"model":"` + Model + `","choices":[`
	words  = " the of a parser reads each line once and keeps what it needs for later calls while tests cover every branch that matters here"
)

// Writes is how many writes an answer consists of.
func (s Script) Writes() int { return len(s.render()) }

// Step is how long an answer takes on average, leaving the machine aside.
func (s Script) Step() time.Duration { return s.Gap * time.Duration(s.Chunks+firstGaps/2) }

// firstGaps is how many gaps the wait before the first chunk may last.
const firstGaps = 20

// render returns the writes of one answer in order. Before those with index 1 to Chunks of a stream there is a gap.
func (s Script) render() [][]byte {
	text := strings.SplitAfter(words, " ")
	if !s.Stream {
		var content strings.Builder
		for i := range s.Chunks {
			content.WriteString(text[i%len(text)])
		}
		return [][]byte{document(s.Chunks, content.String())}
	}
	events := []string{opened + `{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}`}
	for i := range s.Chunks {
		events = append(events, opened+`{"index":0,"delta":{"content":"`+text[i%len(text)]+`"},"logprobs":null,"finish_reason":null}],"usage":null}`)
	}
	events = append(events,
		opened+`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`,
		opened+`],"usage":{"prompt_tokens":10000,"completion_tokens":`+strconv.Itoa(s.Chunks)+`,"total_tokens":`+strconv.Itoa(10000+s.Chunks)+`}}`,
		"data: [DONE]")
	writes := make([][]byte, 0, len(events)+1)
	for _, e := range events {
		writes = append(writes, fmt.Appendf(nil, "%x\r\n%s\n\n\r\n", len(e)+2, e))
	}
	writes[0] = append([]byte(head+"Content-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"), writes[0]...)
	const end = "0\r\n\r\n"
	if s.SplitEnd {
		return append(writes, []byte(end))
	}
	writes[len(writes)-1] = append(writes[len(writes)-1], end...)
	return writes
}

func document(tokens int, content string) []byte {
	body := fmt.Sprintf(`{"id":"chatcmpl-8f14e45fceea167a5a36dedd4bea2543","object":"chat.completion","created":1767225600,"model":"%s",`+
		`"choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"logprobs":null,"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":10000,"completion_tokens":%d,"total_tokens":%d}}`, Model, content, tokens, 10000+tokens)
	return answer(body)
}

func answer(body string) []byte {
	return fmt.Appendf(nil, "%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body)
}
