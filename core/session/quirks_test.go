package session_test

import (
	"strings"
	"time"

	"paceline/core/coretest"
	"paceline/core/load"
	"paceline/core/sched"
)

// quirk is a server that misbehaves once, or always, as one did that the reference client was run against. Both play the
// same six turns: conversation c1 with three, then sim_0001 with three.
type quirk struct {
	name, does string
	replies    []coretest.Reply // before the good one, which the other requests get
	down       bool
	noStream   bool
	sched      func(*sched.Config)
	why        string
}

// usual is the good stream: two pieces of thinking, two of text, 250 ms.
func usual() coretest.Reply {
	return streamed(thinking(50, "R1"), thinking(100, "R2"), text(150, "A"), text(200, "B"), finish(ms(250), "stop"), end(ms(250)))
}

func thinking(at int, s string) coretest.Step { return delta(ms(at), `"reasoning_content":"`+s+`"`) }
func text(at int, s string) coretest.Step     { return delta(ms(at), `"content":"`+s+`"`) }

// whole is a good answer in one document, or whatever body says.
func whole(body string) coretest.Reply {
	return coretest.Reply{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "application/json"}},
		Body:    []coretest.Step{{At: ms(1), Data: []byte(body)}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive,
	}
}

func document(message, more string) string {
	return `{"choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"stop"}]` + more + `}`
}

func failing() coretest.Reply {
	r := whole(`{"error":{"message":"boom"}}`)
	r.Status = 500
	return r
}

// crlf ends the lines of a stream as HTTP headers end theirs.
func crlf(r coretest.Reply) coretest.Reply {
	for i := range r.Body {
		r.Body[i].Data = []byte(strings.ReplaceAll(string(r.Body[i].Data), "\n", "\r\n"))
	}
	return r
}

// closed ends a stream before its end mark.
func closed(steps ...coretest.Step) coretest.Reply {
	r := streamed(append(steps, coretest.Step{At: ms(200), Data: []byte(": bye\n\n")})...)
	r.End = coretest.EndClose
	return r
}

// on makes r the answer to request number n.
func on(n int, r coretest.Reply) coretest.Reply {
	r.First, r.Last = n, n
	return r
}

func two(c *sched.Config) { c.Users = load.Constant(2) }

const (
	whyFailed  = "Failed and never-sent turns are not completed ones: they enter no latency and no rate, and the run is not clean."
	whyNothing = "Nothing succeeded, so there is no rate. The reference's is one of errors, and its exit code is 0."
	whyTrust   = "An answer that did not come to its end is a failure; what came is kept as evidence."
)

// quirks are in the order of the table in docs/reference.md.
func quirks() []quirk {
	toolFirst := streamed(
		delta(ms(50), `"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"bash","arguments":""}}]`),
		delta(ms(100), `"tool_calls":[{"index":0,"function":{"arguments":"{\"command\": \"ls\"}"}}]`),
		finish(ms(150), "stop"), end(ms(150)))
	inBand := streamed(thinking(50, "R1"), thinking(100, "R2"), text(150, "A"), event(ms(200), `{"error":{"message":"boom","code":500}}`), end(ms(200)))
	notJSON := streamed(thinking(50, "R1"), thinking(100, "R2"), event(ms(150), `{"choices":[{"index":0,"delta":{"content":"A"`),
		text(200, "B"), finish(ms(250), "stop"), end(ms(250)))
	failC1 := failing()
	failC1.When = func(r *coretest.Request) bool { return r.Header.Get("X-Session-Id") == "c1" }
	hang := on(2, coretest.Reply{End: coretest.EndHang})
	return []quirk{
		{name: "http500", does: "status 500 to turn 2", replies: []coretest.Reply{on(2, failing())}, why: whyFailed},
		{name: "all500", does: "status 500 to everything", replies: []coretest.Reply{failing()}, why: whyNothing},
		{name: "dead", does: "nobody listens", down: true, why: whyNothing + " `runner run` asks for the models first and ends with exit 4 before that."},
		{name: "failwindow", does: "two users; status 500 to one conversation", replies: []coretest.Reply{failC1}, sched: two,
			why: "The window `first-idle` closes at the failure here too, and is shown; our own figures are of the window that was chosen."},
		{name: "truncate", does: "stream 1 is closed before its finish reason and end mark",
			replies: []coretest.Reply{on(1, closed(thinking(50, "R1"), thinking(100, "R2"), text(150, "A")))}, why: whyTrust},
		{name: "sseerror", does: "an error inside stream 1", replies: []coretest.Reply{on(1, inBand)}, why: whyTrust},
		{name: "malformed", does: "an event of stream 1 is not JSON", replies: []coretest.Reply{on(1, notJSON)},
			why: "Text is lost, so the answer is not what the model said. The reference drops the rest of the read in silence."},
		{name: "badjson", does: "document 1 is cut", noStream: true, replies: []coretest.Reply{on(1, whole(`{"choices":[{"index":0,"mess`))}, why: whyFailed},
		{name: "nochoices", does: "document 1 has no choices", noStream: true, replies: []coretest.Reply{on(1, whole(`{"choices":[]}`))}, why: whyFailed},
		{name: "both", does: "document 1 has `reasoning` and `reasoning_content`", noStream: true,
			replies: []coretest.Reply{on(1, whole(document(`"content":"hello world","reasoning":"a","reasoning_content":"a"`, "")))},
			why:     "Some servers send the same thinking under both names. That is an answer."},
		{name: "empty", does: "stream 1 has no text at all", replies: []coretest.Reply{on(1, streamed(finish(ms(50), "stop"), end(ms(50))))},
			why: "The same. The report counts empty answers, and such a turn has no TTFT."},
		{name: "toolonly", does: "answer 1 is one tool call", replies: []coretest.Reply{on(1, toolFirst)},
			why: "The same: a tool call's name is a first token."},
		{name: "crlf", does: "the lines of stream 1 end in CR LF", replies: []coretest.Reply{on(1, crlf(usual()))},
			why: "Both line ends are read as they arrive; the reference finds the events only at the end."},
		{name: "hang", does: "turn 2 is never answered; time limit of a turn 1 s", replies: []coretest.Reply{hang},
			sched: func(c *sched.Config) { c.TurnTimeout = time.Second }, why: whyFailed + " The request is cancelled; the reference leaves it open."},
		{name: "maxdur", does: "turn 2 is never answered; time limit of the run 1 s", replies: []coretest.Reply{hang},
			sched: func(c *sched.Config) { c.Duration, c.Grace = time.Second, -1 },
			why:   "The open turn is cut and counted; the reference reports a complete run."},
	}
}
