package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

const (
	readSize = 8 << 10
	maxLine  = 64 << 10  // one line of a response's head
	maxHead  = 256 << 10 // all of them
)

var (
	errTooLarge = errors.New("answer is too large")
	errNotHTTP  = errors.New("not an HTTP/1 response")
	errFraming  = errors.New("broken chunked coding")
	errNoBytes  = errors.New("no bytes in the buffer")
)

// reader is the receiving side of one exchange: bytes in a buffer, each with the instant of the read that brought it.
type reader struct {
	conn   io.Reader
	epoch  time.Time
	buf    []byte
	r, w   int           // unread bytes are buf[r:w]
	stamp  sample.Offset // right after the last read returned
	got    bool          // a byte of a response came
	noRead bool          // use what is in the buffer only
}

// fill reads once. It stamps before anything looks at the bytes.
func (d *reader) fill() error {
	if d.noRead {
		return errNoBytes
	}
	switch {
	case d.r == d.w:
		d.r, d.w = 0, 0
	case d.w == len(d.buf) && d.r > 0:
		d.w = copy(d.buf, d.buf[d.r:d.w])
		d.r = 0
	case d.w == len(d.buf):
		d.buf = append(d.buf, make([]byte, len(d.buf))...)
	}
	n, err := d.conn.Read(d.buf[d.w:])
	d.stamp = sample.At(d.epoch, time.Now())
	if n > 0 {
		d.w += n
		d.got = true
		return nil // the error, if any, comes again
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}

// line returns the next line without its end. It is valid until the next read.
func (d *reader) line() ([]byte, error) {
	for scanned := 0; ; {
		if i := bytes.IndexByte(d.buf[d.r+scanned:d.w], '\n'); i >= 0 {
			line := d.buf[d.r : d.r+scanned+i]
			d.r += scanned + i + 1
			return bytes.TrimSuffix(line, []byte{'\r'}), nil
		}
		if scanned = d.w - d.r; scanned >= maxLine {
			return nil, fmt.Errorf("%w: a line of more than %d bytes", errNotHTTP, maxLine)
		}
		if err := d.fill(); err != nil {
			if err == io.EOF && scanned > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// response is the head of a response and the state of its body.
type response struct {
	status      int
	reason      string
	contentType string
	retryAfter  string
	keepAlive   bool
	headers     []chat.Header // those on the allow list

	framing framing
	left    int64 // of the body, or of the present chunk
	chunk   chunkState
}

type framing uint8

const (
	untilClose framing = iota
	byLength
	chunked
)

type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkData
	chunkEnd
	chunkTrailer
	chunkOver
)

// readHead reads the head of the response, those with 1xx skipped. Headers named in keep, lower-case, are kept.
func (d *reader) readHead(h *response, keep []string) error {
	for {
		*h = response{headers: h.headers[:0]}
		if err := d.readStatus(h); err != nil {
			return err
		}
		if err := d.readHeaders(h, keep); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if h.status < 100 || h.status >= 200 || h.status == 101 {
			break
		}
	}
	if h.status == 204 || h.status == 304 || h.status == 101 {
		h.framing, h.left = byLength, 0
	}
	return nil
}

func (d *reader) readStatus(h *response) error {
	line, err := d.line()
	if err != nil {
		return err
	}
	version, rest, _ := bytes.Cut(line, []byte{' '})
	code, reason, _ := bytes.Cut(rest, []byte{' '})
	status, err := strconv.Atoi(string(code))
	if !bytes.HasPrefix(version, []byte("HTTP/1.")) || len(code) != 3 || err != nil {
		return fmt.Errorf("%w: it begins with %q", errNotHTTP, line[:min(len(line), 60)])
	}
	h.status = status
	if status != 200 {
		h.reason = string(reason)
	}
	h.keepAlive = string(version) != "HTTP/1.0"
	return nil
}

func (d *reader) readHeaders(h *response, keep []string) error {
	h.left = -1
	for total := 0; ; {
		line, err := d.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			break
		}
		if total += len(line); total > maxHead {
			return fmt.Errorf("%w: a head of more than %d bytes", errNotHTTP, maxHead)
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok || len(name) == 0 || name[0] == ' ' || name[0] == '\t' {
			continue
		}
		if err := h.header(name, bytes.TrimSpace(value), keep); err != nil {
			return err
		}
	}
	switch {
	case h.framing == chunked: // goes before a length
	case h.left >= 0:
		h.framing = byLength
	default:
		h.keepAlive = false
	}
	return nil
}

func (h *response) header(name, value []byte, keep []string) error {
	switch {
	case is(name, "content-length"):
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 || h.left >= 0 && h.left != n {
			return fmt.Errorf("%w: content length %q", errNotHTTP, value)
		}
		h.left = n
	case is(name, "transfer-encoding"):
		if !is(value, "chunked") {
			return fmt.Errorf("%w: transfer encoding %q", errNotHTTP, value)
		}
		h.framing = chunked
	case is(name, "connection"):
		for word := range strings.SplitSeq(string(value), ",") {
			switch strings.ToLower(strings.TrimSpace(word)) {
			case "close":
				h.keepAlive = false
			case "keep-alive":
				h.keepAlive = true
			}
		}
	case is(name, "content-type"):
		h.contentType = mediaType(value)
	case is(name, "retry-after"):
		h.retryAfter = string(value)
	}
	for _, k := range keep {
		if is(name, k) {
			h.headers = append(h.headers, chat.Header{Name: canonical(k), Value: string(value)})
		}
	}
	return nil
}

// is compares with a lower-case name.
func is(b []byte, lower string) bool {
	return len(b) == len(lower) && bytes.EqualFold(b, []byte(lower))
}

func mediaType(value []byte) string {
	value, _, _ = bytes.Cut(value, []byte{';'})
	value = bytes.TrimSpace(value)
	for _, known := range []string{typeEvents, typeJSON} {
		if is(value, known) {
			return known
		}
	}
	return strings.ToLower(string(value))
}

// canonical writes a lower-case header name with capitals at the start of its words.
func canonical(lower string) string {
	b := []byte(lower)
	for i, c := range b {
		if (i == 0 || b[i-1] == '-') && c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// piece returns the next bytes of the body, and io.EOF at its end. They are valid until the next call. After errNoBytes it
// may be called again.
func (d *reader) piece(h *response) ([]byte, error) {
	switch h.framing {
	case chunked:
		return d.chunkPiece(h)
	case byLength:
		if h.left == 0 {
			return nil, io.EOF
		}
		return d.bytes(&h.left)
	}
	left := int64(1) << 62
	p, err := d.bytes(&left)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return p, err
}

// bytes returns what the buffer holds, at most *left, and waits for more only where it holds nothing.
func (d *reader) bytes(left *int64) ([]byte, error) {
	if d.r == d.w {
		if err := d.fill(); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	n := min(int64(d.w-d.r), *left)
	p := d.buf[d.r : d.r+int(n)]
	d.r += int(n)
	*left -= n
	return p, nil
}

func (d *reader) chunkPiece(h *response) ([]byte, error) {
	for {
		switch h.chunk {
		case chunkData:
			if h.left > 0 {
				return d.bytes(&h.left)
			}
			h.chunk = chunkEnd
			continue
		case chunkOver:
			return nil, io.EOF
		}
		line, err := d.line()
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		switch h.chunk {
		case chunkSize:
			if h.left, err = parseSize(line); err != nil {
				return nil, err
			}
			h.chunk = chunkData
			if h.left == 0 {
				h.chunk = chunkTrailer
			}
		case chunkEnd:
			if len(line) > 0 {
				return nil, fmt.Errorf("%w: %q after a chunk", errFraming, line[:min(len(line), 20)])
			}
			h.chunk = chunkSize
		case chunkTrailer:
			if len(line) == 0 {
				h.chunk = chunkOver
			}
		}
	}
}

func parseSize(line []byte) (int64, error) {
	digits, _, _ := bytes.Cut(line, []byte{';'})
	digits = bytes.TrimSpace(digits)
	var n int64
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | int64(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | int64(c|0x20-'a'+10)
		default:
			n = -1
		}
		if n < 0 || n > 1<<40 {
			break
		}
	}
	if len(digits) == 0 || n < 0 || n > 1<<40 {
		return 0, fmt.Errorf("%w: size %q", errFraming, line[:min(len(line), 20)])
	}
	return n, nil
}
