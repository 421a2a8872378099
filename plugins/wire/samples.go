package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"unicode/utf8"

	"paceline/core/chat"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
	pb "paceline/schemas/gen/pluginv1"
)

// word makes text fit for a string field, each byte that is no UTF-8 replaced as the journal does it, so that a text from
// the journal is the same.
func word(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// compact drops the white space between the tokens of a JSON document, as the journal does, so that a document from the
// journal is the same. Anything else stays as it is.
func compact(doc json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

// answerOf translates what a target answered. Evidence of a failed answer goes along as far as it came.
func answerOf(outcome sample.Outcome, cause string, a *chat.Answer) *pb.Answer {
	out := &pb.Answer{Outcome: word(string(outcome)), Error: word(cause)}
	if a == nil {
		return out
	}
	out.Message, out.FinishReason, out.Extra = a.Message, word(a.FinishReason), compact(a.Extra)
	out.Usage = &pb.Usage{Reported: a.Usage.Reported, PromptTokens: a.Usage.PromptTokens, CompletionTokens: a.Usage.CompletionTokens,
		CachedTokens: a.Usage.CachedTokens, ReasoningTokens: a.Usage.ReasoningTokens}
	for _, h := range a.Headers {
		out.Headers = append(out.Headers, &pb.Label{Key: word(h.Name), Value: word(h.Value)})
	}
	return out
}

// sampleOf translates one item. Fields that the judge did not ask for are empty already.
func sampleOf(it *judge.Item) *pb.Sample {
	s := &pb.Sample{
		Workload: it.Workload, Trajectory: it.Trajectory, TrajectoryIndex: it.Index, Repeat: it.Repeat, Attempt: it.Attempt,
		User: it.User, Turn: it.Turn, Branch: it.Branch, Domain: word(it.Domain), Labels: labelsTo(it.Labels), InWindow: it.InWindow,
		Outcome: word(string(it.Outcome)), Cause: word(it.Cause), Timing: timingOf(&it.Timing), Recorded: it.Recorded, Truth: it.Truth,
		TrajectoryTruth: it.TrajectoryTruth, Appended: it.Appended, History: it.History, Tools: it.Tools, Params: it.Params,
		EndResult: it.EndResult, Phase: string(it.Phase), Status: uint32(max(it.Status, 0)),
	}
	if it.Answer != nil {
		s.Answer = answerOf(it.Outcome, it.Cause, it.Answer)
	}
	for _, c := range it.Chunks {
		s.Chunks = append(s.Chunks, chunkOf(c))
	}
	if c := it.Counted; c != nil {
		s.Counted = &pb.TokenCount{Input: c.Input, Output: c.Output, FirstChunk: c.FirstChunk, AfterFirstChunk: c.AfterFirstChunk, Reason: word(c.Reason)}
	}
	return s
}

func labelsTo(list []trajectory.Label) []*pb.Label {
	var labels []*pb.Label
	for _, l := range list {
		labels = append(labels, &pb.Label{Key: word(l.Key), Value: word(l.Value)})
	}
	return labels
}

func chunkOf(c sample.Chunk) *pb.Chunk {
	out := &pb.Chunk{GapUs: small(c.GapMicros), Channel: pb.Chunk_Channel(c.Channel), Bytes: small(c.Bytes)}
	if c.Told {
		tokens := small(c.Tokens)
		out.Tokens = &tokens
	}
	return out
}

// small keeps what a 32-bit field holds; larger values become its largest one.
func small(v uint64) uint32 { return uint32(min(v, math.MaxUint32)) }

func timingOf(t *sample.Timing) *pb.Timing {
	at := func(o sample.Offset) *uint64 {
		if !o.Set() {
			return nil
		}
		v := uint64(o)
		return &v
	}
	return &pb.Timing{Due: at(t.Due), Sent: at(t.Sent), BodySent: at(t.BodySent), FirstByte: at(t.FirstByte), FirstToken: at(t.FirstToken),
		FirstAnswer: at(t.FirstAnswer), LastToken: at(t.LastToken), Done: at(t.Done), NextStart: at(t.NextStart), NextDone: at(t.NextDone),
		ConnectStart: at(t.ConnectStart), ConnectDone: at(t.ConnectDone), ConnectionReused: t.Reused}
}

func factsTo(list []verdict.Fact) []*pb.Fact {
	var facts []*pb.Fact
	for _, f := range list {
		out := &pb.Fact{Probe: word(f.Probe), Status: uint32(max(f.Status, 0)), Body: f.Body}
		for _, h := range f.Headers {
			out.Headers = append(out.Headers, &pb.Label{Key: word(h.Name), Value: word(h.Value)})
		}
		facts = append(facts, out)
	}
	return facts
}
