package sim

import "paceline/core/chat"

// stream sends tokens as they are ready and returns whether the connection stays.
func (s *Server) stream(x *exchange, c *completion) bool {
	t := s.tokenStream(x, c)
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
	voice    voice
	cursor   *cursor
	sent     int  // tokens
	stop     int  // tokens before the fault in the middle, -1 for none
	roleSent bool // what comes before the first token was collected
}

// voice writes an answer as the events of an API.
type voice interface {
	begin()                      // before the first token
	part(p part, from, till int) // the tokens of the answer from one up to another
	end(tokens int, done bool)   // how it ended; done: with the end mark
	fault(name string)           // what the fault of that name sends in the middle
}

func (s *Server) tokenStream(x *exchange, c *completion) *tokenStream {
	t := &tokenStream{server: s, c: c, w: newStreamWriter(x, c), cursor: newCursor(c.answer), stop: -1}
	t.voice = s.voice(t.w, c)
	return t
}

func (s *Server) voice(w *streamWriter, c *completion) voice {
	switch c.request.API {
	case chat.APIResponses:
		return &responsesVoice{w: w, c: c, server: s}
	case chat.APIMessages:
		return &messagesVoice{w: w, c: c, server: s, block: -1}
	}
	return newChatVoice(w, c, s)
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
		t.voice.part(p, t.sent, t.sent+taken)
		t.sent += taken
	}
}

func (t *tokenStream) role() {
	if !t.roleSent {
		t.roleSent = true
		t.voice.begin()
	}
}

// finish ends the stream as it should.
func (t *tokenStream) finish() error {
	t.role()
	t.voice.end(t.sent, t.c.fault.Name != "no-done")
	return t.w.flush(true)
}

// fail plays the fault in the middle; over is false if the stream goes on.
func (t *tokenStream) fail() (stay, over bool) {
	t.stop = -1
	switch t.c.fault.Name {
	case "malformed-event":
		t.voice.fault(t.c.fault.Name)
		return false, false
	case "error-event":
		t.voice.fault(t.c.fault.Name)
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
