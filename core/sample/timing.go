package sample

import "time"

// Offset is nanoseconds since the epoch of the journal segment; Unset where the instant was not reached.
type Offset int64

// Unset marks an instant that was not reached.
const Unset Offset = -1

// Set reports whether the instant was reached.
func (o Offset) Set() bool { return o >= 0 }

// Since returns o - from, and false where either is unset.
func (o Offset) Since(from Offset) (time.Duration, bool) {
	if !o.Set() || !from.Set() {
		return 0, false
	}
	return time.Duration(o - from), true
}

// At returns the offset of instant t from the epoch.
func At(epoch, t time.Time) Offset { return Offset(t.Sub(epoch)) }

// Timing holds the instants of one turn; reference: docs/metrics.md. Due is computed, all others are stamped.
// The zero Timing is not "unset": start from NoTiming.
type Timing struct {
	Due          Offset // when the turn was to be sent
	Sent         Offset // first byte of the request handed to the kernel
	BodySent     Offset // last byte of the request handed to the kernel
	FirstByte    Offset // first byte of the response's body
	FirstToken   Offset // first event that carries generated text of any kind
	FirstAnswer  Offset // the same, content only
	LastToken    Offset // last event that carries generated text
	Done         Offset // end mark or end of body
	NextStart    Offset // live agent: its step after this turn's answer began
	NextDone     Offset // and ended
	ConnectStart Offset // a new connection was opened for this turn
	ConnectDone  Offset // and was ready, TLS included
	Reused       bool   // the connection had carried an earlier request
}

// NoTiming returns a Timing with every instant unset.
func NoTiming() Timing {
	return Timing{
		Due: Unset, Sent: Unset, BodySent: Unset, FirstByte: Unset, FirstToken: Unset, FirstAnswer: Unset,
		LastToken: Unset, Done: Unset, NextStart: Unset, NextDone: Unset, ConnectStart: Unset, ConnectDone: Unset,
	}
}

// Connecting returns the span of opening a connection after Due, 0 where none was opened.
func (t *Timing) Connecting() time.Duration {
	d, ok := t.ConnectDone.Since(t.ConnectStart)
	if !ok {
		return 0
	}
	return d
}
