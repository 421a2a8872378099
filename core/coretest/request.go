package coretest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// Request is one request as an endpoint received it. What Endpoint.Requests
// returns are copies; header and body are shared and must not be changed.
type Request struct {
	Number int // order of arrival at the endpoint, from 1
	Conn   int // the connection, from 1
	OnConn int // the place on its connection, from 1

	Method, Target string // Target is path and query as sent
	Head           []byte // request line and headers, exact bytes
	Header         http.Header
	Body           []byte

	At      time.Time // when the last byte of the request was read
	Reply   int       // index in Script.Replies; -1 where a check or nothing answered
	Refused string    // why a check answered 400, empty otherwise
	Done    time.Time // when the reply's end was written; zero until then
	Lost    time.Time // when the client was found gone before that; zero otherwise
}

// asksFor says whether it is a GET of a path with that end.
func (r *Request) asksFor(end string) bool {
	path, _, _ := strings.Cut(r.Target, "?")
	return r.Method == http.MethodGet && strings.HasSuffix(path, end)
}

// maxBody bounds the body of one request.
const maxBody = 256 << 20

// readRequest reads one request. io.EOF means that the client closed an idle
// connection.
func readRequest(br *bufio.Reader) (*Request, error) {
	var head []byte
	for {
		line, err := br.ReadSlice('\n')
		head = append(head, line...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			if len(head) == 0 {
				return nil, err
			}
			return nil, fmt.Errorf("read request head: %w", unexpected(err))
		}
		if len(line) <= 2 && strings.TrimRight(string(line), "\r\n") == "" {
			break
		}
	}
	r := &Request{Head: head}
	if err := r.parseHead(); err != nil {
		return nil, err
	}
	body, err := r.readBody(br)
	if err != nil {
		return nil, fmt.Errorf("read request body: %w", unexpected(err))
	}
	r.Body = body
	return r, nil
}

func (r *Request) parseHead() error {
	line, rest, _ := strings.Cut(string(r.Head), "\r\n")
	words := strings.Split(line, " ")
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1.") {
		return fmt.Errorf("read request: %q is no request line", line)
	}
	r.Method, r.Target = words[0], words[1]
	header, err := textproto.NewReader(bufio.NewReader(strings.NewReader(rest))).ReadMIMEHeader()
	if err != nil {
		return fmt.Errorf("read request headers: %w", err)
	}
	r.Header = http.Header(header)
	return nil
}

func (r *Request) readBody(br *bufio.Reader) ([]byte, error) {
	if strings.EqualFold(r.Header.Get("Transfer-Encoding"), "chunked") {
		body, err := io.ReadAll(io.LimitReader(httputil.NewChunkedReader(br), maxBody))
		if err != nil {
			return nil, err
		}
		// The chunked reader stops behind the last chunk's size line.
		_, err = textproto.NewReader(br).ReadMIMEHeader()
		return body, err
	}
	text := r.Header.Get("Content-Length")
	if text == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxBody {
		return nil, fmt.Errorf("content length %q is no size up to %d", text, maxBody)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(br, body)
	return body, err
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Message is one entry of a request's "messages".
type Message struct {
	Role       string           `json:"role"`
	Content    json.RawMessage  `json:"content"`
	ToolCallID string           `json:"tool_call_id"`
	ToolCalls  []map[string]any `json:"tool_calls"`
}

// Text returns the content if it is a text, the texts of its parts joined if it
// is a list of parts, and "" for null or none.
func (m Message) Text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Messages returns the chat messages of the body, or nil if it holds none.
func (r *Request) Messages() []Message {
	var body struct{ Messages []Message }
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	return body.Messages
}
