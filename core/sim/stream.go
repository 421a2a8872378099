package sim

import (
	"strings"

	"paceline/core/chat"
)

// streamWriter collects the events of one write and frames them as one chunk of
// HTTP's chunked coding.
type streamWriter struct {
	x      *exchange
	prefix []byte // of each chunk event, up to the delta's fields
	line   string // end of line
	buf    []byte // sizeRoom bytes for the chunk's size, then events
	head   []byte // response head, sent with the first write
}

// sizeRoom is the room for the size of a chunk: seven digits and CRLF.
const sizeRoom = 9

func newStreamWriter(x *exchange, c *completion, model string) *streamWriter {
	w := &streamWriter{x: x, line: "\n", buf: make([]byte, sizeRoom, 1024)}
	if c.fault.Name == "crlf" {
		w.line = "\r\n"
	}
	w.prefix = append(w.prefix, `data: {"id":"`+c.id+`","object":"chat.completion.chunk"`...)
	w.prefix = appendField(w.prefix, `,"created":`, int(c.created))
	w.prefix = append(w.prefix, `,"model":`...)
	w.prefix = chat.AppendQuoted(w.prefix, model)
	w.prefix = append(w.prefix, `,"choices":[`...)
	w.head = append(x.head(200, "text/event-stream; charset=utf-8"), "Transfer-Encoding: chunked\r\n\r\n"...)
	return w
}

// open starts an event with a choice, up to the fields of its delta.
func (w *streamWriter) open() {
	w.buf = append(w.buf, w.prefix...)
	w.buf = append(w.buf, `{"index":0,"delta":{`...)
}

// close ends an event after the fields of its delta.
func (w *streamWriter) close(finish string) {
	if finish == "" {
		w.buf = append(w.buf, `},"finish_reason":null}]`...)
		return
	}
	w.buf = append(w.buf, `},"finish_reason":"`...)
	w.buf = append(w.buf, finish...)
	w.buf = append(w.buf, `"}]`...)
}

// end ends the event's object and the event.
func (w *streamWriter) end() {
	w.buf = append(w.buf, '}')
	w.blank()
}

func (w *streamWriter) blank() {
	w.buf = append(w.buf, w.line...)
	w.buf = append(w.buf, w.line...)
}

// raw adds an event with that data.
func (w *streamWriter) raw(data string) {
	w.buf = append(w.buf, "data: "...)
	w.buf = append(w.buf, data...)
	w.blank()
}

// flush writes what was collected; with last the end of the body follows in the
// same write.
func (w *streamWriter) flush(last bool) error {
	start := 0
	if size := len(w.buf) - sizeRoom; size > 0 {
		start = w.frame(size)
	} else {
		w.buf, start = w.buf[:sizeRoom], sizeRoom
	}
	if last {
		w.buf = append(w.buf, "0\r\n\r\n"...)
	}
	out := w.buf[start:]
	if w.head != nil {
		out = append(w.head, out...)
		w.head = nil
	}
	var err error
	if len(out) > 0 {
		_, err = w.x.conn.Write(out)
	}
	w.buf = w.buf[:sizeRoom]
	return err
}

// frame puts the chunk's size before the events and returns where it starts.
func (w *streamWriter) frame(size int) int {
	at := sizeRoom - 2
	w.buf[at], w.buf[at+1] = '\r', '\n'
	for ; size > 0; size >>= 4 {
		at--
		w.buf[at] = hexDigits[size&15]
	}
	w.buf = append(w.buf, "\r\n"...)
	return at
}

// stream sends tokens as they are ready and returns whether the connection stays.
func (s *Server) stream(x *exchange, c *completion) bool {
	t := &tokenStream{server: s, c: c, w: newStreamWriter(x, c, s.config.Model), cursor: newCursor(c.answer), stop: -1}
	if c.fault.inMiddle() {
		t.stop = c.fault.position(c.sequence.length)
	}
	if c.fault.Name == "early-role" {
		t.role()
		if t.w.flush(false) != nil {
			return false
		}
	}
	for {
		done := c.sequence.done.Load() // before ready, which is final then
		t.emit(int(c.sequence.ready.Load()))
		if t.sent == t.stop {
			if stay, over := t.fail(); over {
				return stay
			}
			continue
		}
		if done && t.sent == c.sequence.length {
			return t.finish() == nil && x.stays()
		}
		if t.w.flush(false) != nil || !x.wait(c.sequence) {
			return false
		}
	}
}

// tokenStream is the state of one streamed answer.
type tokenStream struct {
	server   *Server
	c        *completion
	w        *streamWriter
	cursor   *cursor
	sent     int  // tokens
	stop     int  // tokens before the fault in the middle, -1 for none
	roleSent bool // the role chunk was collected
}

// emit collects the chunks up to so many tokens in all, or up to the fault.
func (t *tokenStream) emit(ready int) {
	if t.stop >= 0 {
		ready = min(ready, t.stop)
	}
	for t.sent < ready {
		n := t.server.config.TokensPerChunk
		if t.sent == 0 {
			n = 1 // the prefill's last step gives one token
		}
		p, taken := t.cursor.next(min(n, ready-t.sent))
		if taken == 0 {
			return
		}
		t.role()
		t.sent += taken
		t.w.open()
		t.delta(p)
		t.w.close("")
		t.running()
		t.w.end()
	}
}

func (t *tokenStream) role() {
	if t.roleSent {
		return
	}
	t.roleSent = true
	t.w.open()
	t.w.buf = append(t.w.buf, `"role":"assistant","content":""`...)
	t.w.close("")
	t.w.end()
}

func (t *tokenStream) delta(p part) {
	b := t.w.buf
	switch p.kind {
	case contentPart:
		b = append(b, `"content":"`...)
		b = append(chat.AppendEscaped(b, p.text), '"')
	case reasoningPart:
		b = append(b, '"')
		b = append(b, t.server.config.ReasoningField...)
		b = append(b, `":"`...)
		b = append(chat.AppendEscaped(b, p.text), '"')
	case callHead:
		call := t.c.answer.ToolCalls[p.call]
		b = appendField(b, `"tool_calls":[{"index":`, p.call)
		b = chat.AppendQuoted(append(b, `,"id":`...), call.ID)
		b = chat.AppendQuoted(append(b, `,"type":"function","function":{"name":`...), call.Name)
		b = append(b, `,"arguments":""}}]`...)
	case callArguments:
		b = appendField(b, `"tool_calls":[{"index":`, p.call)
		b = append(b, `,"function":{"arguments":"`...)
		b = append(chat.AppendEscaped(b, p.text), `"}}]`...)
	}
	t.w.buf = b
}

// running adds the usage so far where each chunk has it.
func (t *tokenStream) running() {
	if t.server.config.ContinuousUsage && t.c.request.usage && !t.server.hidesUsage(t.c) {
		t.w.buf = t.c.appendUsage(append(t.w.buf, `,"usage":`...), t.sent)
	}
}

// finish ends the stream as it should.
func (t *tokenStream) finish() error {
	t.role()
	t.w.open()
	t.w.close(t.c.finish())
	t.running()
	t.w.end()
	if t.c.request.usage && !t.server.hidesUsage(t.c) {
		t.w.buf = append(t.w.buf, t.w.prefix...)
		t.w.buf = t.c.appendUsage(append(t.w.buf, `],"usage":`...), t.sent)
		t.w.end()
	}
	if t.c.fault.Name != "no-done" {
		t.w.raw("[DONE]")
	}
	return t.w.flush(true)
}

// fail plays the fault in the middle; over is false if the stream goes on.
func (t *tokenStream) fail() (stay, over bool) {
	t.stop = -1
	switch t.c.fault.Name {
	case "malformed-event":
		t.w.raw(strings.TrimPrefix(string(t.w.prefix), "data: ") + `{"index":0,"del`)
		return false, false
	case "error-event":
		t.w.raw(string(errorBody(500, "simulated engine failure", "")))
		t.w.raw("[DONE]")
		return t.w.flush(true) == nil && t.w.x.stays(), true
	case "truncated":
		return t.w.flush(true) == nil && t.w.x.stays(), true
	}
	if t.w.flush(false) != nil {
		return false, true
	}
	t.server.engine.cancel(t.c.sequence)
	if t.c.fault.Name == "hang" {
		<-t.w.x.gone.Done()
	} else {
		t.w.x.abort()
	}
	return false, true
}
