package coretest

import (
	"fmt"
	"time"
)

// Script says what an endpoint answers. The zero value of each optional field
// means that the feature is not used. A script is not changed by playing it, and
// may be played by one endpoint at a time only, since checks may keep state.
type Script struct {
	Replies []Reply
	// Checks run over each request before a reply is chosen; the first error is
	// answered with status 400 and the error's text.
	Checks []Check
	// Gap is the least time between two writes of one body, also where their
	// instants are equal.
	Gap time.Duration
	// CloseListenerAfter closes the listener once that many requests were
	// answered, so that later dials are refused. Zero leaves it open.
	CloseListenerAfter int
	// Edit, if set, changes a step's bytes before they are sent. The requests
	// that came before r are in earlier.
	Edit func(r *Request, earlier []*Request, step []byte) []byte
	// Path is the API path that the client should use, for tests that load a
	// case; empty means "/v1/chat/completions". The endpoint answers any path.
	Path string
	// Models, if set, are what the endpoint lists to a GET of ".../models", and it
	// has no ".../metrics" then. Such requests get no number and are not among the
	// endpoint's Requests.
	Models []string
}

// Check judges one request; earlier holds those before it in order of arrival.
type Check func(r *Request, earlier []*Request) error

// Reply is one answer and the requests that get it. Replies with a When go
// before those with numbers, these before the rest; in a group the first wins.
type Reply struct {
	// First and Last bound the requests that get this reply, counted from 1 in
	// order of arrival. Both zero: every request that no other reply takes.
	First, Last int
	// When, if set, chooses by content, whatever the number.
	When func(*Request) bool

	Status  int // 0 means 200
	Headers []Header
	Body    []Step
	Coding  Coding
	End     End
	// Linger is how long the connection stays open after an EndDrop.
	Linger time.Duration
}

// Header is one header line, kept in order.
type Header struct{ Name, Value string }

// Step is one write of a body.
type Step struct {
	// At counts from the moment the whole request was read.
	At time.Duration
	// Data is sent as it is, except that {{header:X}} becomes the value of the
	// request's header X.
	Data []byte
}

// Coding is how a body is framed.
type Coding int

// The codings. A step is one chunk of a chunked body.
const (
	Chunked    Coding = iota // Transfer-Encoding: chunked
	WithLength               // Content-Length
	UntilClose               // neither: the end of the connection ends the body
)

// End is what happens after the last step.
type End int

// The ends. EndClose announces itself by "Connection: close"; EndDrop does not,
// and closes the idle connection after Reply.Linger, as servers with a short
// keep-alive time do. EndCut closes cleanly but leaves out the end of the body.
const (
	EndClose     End = iota // end of body, then close
	EndKeepAlive            // end of body, the connection stays
	EndReset                // no end of body, TCP reset
	EndHang                 // nothing more, the connection stays open
	EndCut                  // no end of body, clean close
	EndDrop                 // end of body, then a close that nobody announced
)

// String returns the end's word, as server.json spells it.
func (e End) String() string {
	names := [...]string{"close", "keep-alive", "reset", "hang", "cut", "drop"}
	if e < 0 || int(e) >= len(names) {
		return fmt.Sprintf("end %d", int(e))
	}
	return names[e]
}

// choose returns the index of the reply for r, or -1.
func (s *Script) choose(r *Request) int {
	byNumber, other := -1, -1
	for i, reply := range s.Replies {
		switch {
		case reply.When != nil:
			if reply.When(r) {
				return i
			}
		case reply.First == 0 && reply.Last == 0:
			if other < 0 {
				other = i
			}
		case r.Number >= reply.First && r.Number <= reply.Last && byNumber < 0:
			byNumber = i
		}
	}
	if byNumber >= 0 {
		return byNumber
	}
	return other
}
