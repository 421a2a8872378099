package journal

import (
	"slices"

	"paceline/core/chat"
	"paceline/core/sample"
)

// fromSample gives the record of s. It shares the sample's memory.
func fromSample(s *sample.Sample) *Sample {
	x := &s.Exchange
	r := &Sample{
		Rec: "sample", ID: s.ID, Phase: s.Phase, Outcome: x.Outcome, Cause: x.Cause, Timing: fromTiming(&x.Timing),
		Status: x.Status, RequestBytes: s.RequestBytes, Waits: s.Waits, ForkOf: s.ForkOf, DelayCut: s.DelayCut, LeftOut: s.LeftOut, Rewrites: s.Rewrites,
		ConnectionRetries: x.ConnectionRetries, Malformed: x.Malformed, Notes: x.Notes, Answer: x.Answer, Chunks: x.Chunks,
		Received: x.Received, Basis: s.Basis,
	}
	if s.Planned != (sample.Planned{}) {
		r.Planned = &s.Planned
	}
	return r
}

// toSample is the way back of fromSample.
func toSample(r *Sample) sample.Sample {
	if r.Answer != nil {
		r.Answer.Message = known(r.Answer.Message)
		r.Answer.Extra = known(r.Answer.Extra)
	}
	s := sample.Sample{
		ID: r.ID, Phase: r.Phase, RequestBytes: r.RequestBytes, Waits: r.Waits, ForkOf: r.ForkOf, DelayCut: r.DelayCut,
		Basis: r.Basis, LeftOut: r.LeftOut, Rewrites: r.Rewrites,
		Exchange: sample.Exchange{
			Outcome: r.Outcome, Cause: r.Cause, Timing: toTiming(&r.Timing), Status: r.Status, Answer: r.Answer,
			Chunks: r.Chunks, Notes: r.Notes, Malformed: r.Malformed, ConnectionRetries: r.ConnectionRetries,
			Received: r.Received,
		},
	}
	if r.Planned != nil {
		s.Planned = *r.Planned
	}
	return s
}

// known turns the JSON null of a raw message that was nil back into nil.
func known(raw []byte) []byte {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

func fromTiming(t *sample.Timing) Timing {
	set := func(o *sample.Offset) *sample.Offset {
		if o.Set() {
			return o
		}
		return nil
	}
	return Timing{
		Due: set(&t.Due), Sent: set(&t.Sent), BodySent: set(&t.BodySent), FirstByte: set(&t.FirstByte),
		FirstToken: set(&t.FirstToken), FirstAnswer: set(&t.FirstAnswer), LastToken: set(&t.LastToken), Done: set(&t.Done),
		NextStart: set(&t.NextStart), NextDone: set(&t.NextDone), ConnectStart: set(&t.ConnectStart),
		ConnectDone: set(&t.ConnectDone), Reused: t.Reused,
	}
}

func toTiming(t *Timing) sample.Timing {
	get := func(o *sample.Offset) sample.Offset {
		if o == nil || !o.Set() {
			return sample.Unset
		}
		return *o
	}
	return sample.Timing{
		Due: get(t.Due), Sent: get(t.Sent), BodySent: get(t.BodySent), FirstByte: get(t.FirstByte),
		FirstToken: get(t.FirstToken), FirstAnswer: get(t.FirstAnswer), LastToken: get(t.LastToken), Done: get(t.Done),
		NextStart: get(t.NextStart), NextDone: get(t.NextDone), ConnectStart: get(t.ConnectStart),
		ConnectDone: get(t.ConnectDone), Reused: t.Reused,
	}
}

// shift moves the reached instants of t by d.
func shift(t *sample.Timing, d sample.Offset) {
	for _, o := range []*sample.Offset{
		&t.Due, &t.Sent, &t.BodySent, &t.FirstByte, &t.FirstToken, &t.FirstAnswer, &t.LastToken, &t.Done,
		&t.NextStart, &t.NextDone, &t.ConnectStart, &t.ConnectDone,
	} {
		move(o, d)
	}
}

func move(o *sample.Offset, d sample.Offset) {
	if o.Set() {
		*o += d
	}
}

// Sizes of records in the queue: what the queue alone keeps alive, roughly. Plans and steps are held by their makers.
const (
	recordSize = 256
	sampleSize = 768
	turnSize   = 64
)

func sizeOf(s *sample.Sample) int64 {
	n := sampleSize + len(s.Chunks) + len(s.Cause) + 4*len(s.Waits)
	for _, note := range s.Notes {
		n += len(note) + 16
	}
	if s.Answer != nil {
		n += sizeOfAnswer(s.Answer)
	}
	if s.Received != nil {
		n += recordSize + len(s.Received.Head)
	}
	return int64(n)
}

func sizeOfAnswer(a *chat.Answer) int {
	n := recordSize + len(a.Message) + len(a.TokenIDs) + len(a.Extra)
	for _, h := range a.Headers {
		n += len(h.Name) + len(h.Value) + 32
	}
	return n
}

// branches returns the branches, or nil where all are 0.
func branches(list []uint32) []uint32 {
	if slices.ContainsFunc(list, func(b uint32) bool { return b != 0 }) {
		return list
	}
	return nil
}
