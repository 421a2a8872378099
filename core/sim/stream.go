package sim

// streamWriter collects the events of one write and frames them as one chunk of
// HTTP's chunked coding.
type streamWriter struct {
	x    *exchange
	line string // end of line
	buf  []byte // sizeRoom bytes for the chunk's size, then events
	head []byte // response head, sent with the first write
}

// sizeRoom is the room for the size of a chunk: seven digits and CRLF.
const sizeRoom = 9

func newStreamWriter(x *exchange, c *completion) *streamWriter {
	w := &streamWriter{x: x, line: "\n", buf: make([]byte, sizeRoom, 1024)}
	if c.fault.Name == "crlf" {
		w.line = "\r\n"
	}
	w.head = append(x.head(200, "text/event-stream; charset=utf-8"), "Transfer-Encoding: chunked\r\n\r\n"...)
	return w
}

func (w *streamWriter) blank() {
	w.buf = append(w.buf, w.line...)
	w.buf = append(w.buf, w.line...)
}

// raw adds an event with that data.
func (w *streamWriter) raw(data string) { w.named("", data) }

// named adds an event with that name, "" for none, and that data.
func (w *streamWriter) named(name, data string) {
	if name != "" {
		w.buf = append(append(append(w.buf, "event: "...), name...), w.line...)
	}
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
