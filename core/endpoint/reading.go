package endpoint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"unicode"

	"paceline/core/chat"
	"paceline/core/sample"
)

// form is what the body of an answer is.
type form uint8

const (
	formUnknown  form = iota // nothing that tells has come yet
	formDocument             // one JSON document, or what is none
	formEvents
)

const (
	keepSize  = 16 << 10 // of a body, to begin with: a stream of some dozen chunks
	maxExtra  = 4 << 10  // bytes of one unknown field
	maxExtras = 16 << 10 // of all
)

// reading is the answer as far as it came.
type reading struct {
	form   form
	events events
	chunk  chunk
	parts  chat.Parts
	chunks sample.Chunks

	data      int  // data events, the end mark not counted
	malformed int  // of them, those that are no JSON
	choice    bool // a choice came
	ended     bool // the end mark came
	finish    string
	usage     usage
	fault     []byte // the first error inside, as JSON or text
	extras    []keptExtra
	extraSize int
	ids       []byte // of the tokens so far, with commas between them
	idCount   uint64

	lastMicros uint64 // of the chunk before, since Sent
	told       uint64 // completion tokens that chunks were told to have
}

type keptExtra struct {
	name  string
	value []byte
}

// again returns an empty reading over the same memory.
func (r *reading) again() reading {
	n := reading{events: r.events, chunk: r.chunk, parts: r.parts, chunks: r.chunks[:0], extras: r.extras[:0], ids: r.ids[:0]}
	if cap(n.events.line)+cap(n.events.data)+cap(n.parts.Content)+cap(n.parts.Reasoning)+cap(n.chunks)+cap(n.ids) > maxKept {
		n.events, n.parts, n.chunks, n.ids = events{}, chat.Parts{}, nil, nil
	}
	n.events.reset()
	n.chunk.reset()
	n.parts.Reset()
	return n
}

// formOf tells the form of a body by its type, and by its first bytes that are no white space where the type says neither.
func (f *flight) formOf(first []byte) form {
	switch {
	case f.raw || f.resp.status != 200:
		return formDocument
	case f.resp.contentType == typeEvents:
		return formEvents
	case f.resp.contentType == typeJSON:
		return formDocument
	}
	first = bytes.TrimLeft(first, " \r\n\t")
	switch {
	case !f.stream:
		return formDocument
	case len(first) == 0:
		return formUnknown
	case first[0] == '{' || first[0] == '[' || first[0] == '<':
		return formDocument
	}
	return formEvents
}

// keepBytes keeps the body: a document whole, a stream up to the limit of evidence, with a digest of all beyond it.
func (f *flight) keepBytes(p []byte) {
	f.total += int64(len(p))
	limit := f.client.config.KeepReceived
	if f.kept == nil {
		f.kept = make([]byte, 0, keepSize)
	}
	if f.form != formEvents || len(f.kept)+len(p) <= limit && f.hash == nil {
		f.kept = append(f.kept, p...)
		return
	}
	if f.hash == nil {
		f.hash = sha256.New()
		f.hash.Write(f.kept)
		f.kept = append(f.kept, p[:max(0, limit-len(f.kept))]...)
	}
	f.hash.Write(p)
}

// feed takes the next bytes of a stream of events.
func (f *flight) feed(p []byte) {
	for len(p) > 0 && !f.ended {
		data, used, ok := f.events.next(p)
		if ok {
			f.event(data)
		}
		p = p[used:]
	}
}

func (f *flight) event(data []byte) {
	trimmed := bytes.TrimSpace(data)
	switch {
	case string(trimmed) == "[DONE]":
		f.ended = true
		f.x.Timing.Done = f.stamp
		return
	case len(trimmed) == 0:
		return
	}
	f.data++
	isJSON := f.read(data)
	switch {
	case f.events.last && f.chunk.fault == nil && !f.chunk.choice:
		f.setFault(trimmed) // named "error", whatever it holds
	case !isJSON:
		f.malformed++
	default:
		f.apply(true)
	}
	if f.chunk.ended {
		f.ended = true
		f.x.Timing.Done = f.stamp
	}
}

func (f *flight) setFault(raw []byte) {
	if f.fault == nil {
		f.fault = bytes.Clone(raw[:min(len(raw), maxExtras)])
	}
}

// apply adds the chunk that was read last to the answer. timed tells that it came as an event.
func (f *flight) apply(timed bool) {
	c := &f.chunk
	if c.fault != nil {
		f.setFault(c.fault)
	}
	f.choice = f.choice || c.choice
	f.usage.merge(&c.usage)
	f.addIDs(c)
	if len(c.extras) > 0 && !c.repeat { // else they were kept with the chunk before
		f.keepExtras(c.extras)
	}
	if !c.finish.empty() {
		f.finish = finishReason(c.finish.inside)
	}
	if c.message && !f.parts.Empty() {
		return // the whole once more after its pieces
	}
	reasoning := c.thinking()
	if reasoning.got {
		f.parts.GotReasoning = true
		f.parts.Reasoning = append(f.parts.Reasoning, reasoning.inside...)
	}
	if c.content.got {
		f.parts.GotContent = true
		f.parts.Content = append(f.parts.Content, c.content.inside...)
	}
	f.parts.NullContent = f.parts.NullContent || c.content.null
	tool := f.addCalls(c.calls)
	if timed {
		f.mark(chat.TextBytes(reasoning.inside), chat.TextBytes(c.content.inside), tool)
	}
}

// addIDs keeps the ids of generated tokens.
func (f *flight) addIDs(c *chunk) {
	if c.idCount == 0 || c.message && f.idCount > 0 {
		return
	}
	if len(f.ids) > 0 {
		f.ids = append(f.ids, ',')
	}
	f.ids, f.idCount = append(f.ids, c.ids...), f.idCount+c.idCount
}

// addCalls merges the pieces of tool calls and returns the bytes of generated text in them.
func (f *flight) addCalls(calls []callDelta) int {
	n := 0
	for i := range calls {
		d := &calls[i]
		index := d.index
		if !d.told {
			index = f.place(d)
		}
		call := f.parts.Call(index)
		if len(d.id) > 0 {
			call.ID = append(call.ID[:0], d.id...)
		}
		if len(d.kind) > 0 {
			call.Type = append(call.Type[:0], d.kind...)
		}
		if d.whole && len(call.Name) > 0 {
			d.name = nil
		}
		if len(d.name) > 0 {
			call.Name = append(call.Name[:0], d.name...)
		}
		if d.whole && len(call.Arguments) > 0 {
			d.args = nil
		}
		call.Arguments = append(call.Arguments, d.args...)
		n += chat.TextBytes(d.name) + chat.TextBytes(d.args)
	}
	return n
}

// place finds the index of a piece without one: a new call where it brings an id that its place does not have yet.
func (f *flight) place(d *callDelta) int {
	for i := range f.parts.Calls {
		c := &f.parts.Calls[i]
		if c.Index == d.index && len(d.id) > 0 && len(c.ID) > 0 && !bytes.Equal(c.ID, d.id) {
			return f.parts.Calls[len(f.parts.Calls)-1].Index + 1
		}
	}
	return d.index
}

// mark stamps an event with generated text and notes its chunks.
func (f *flight) mark(reasoning, content, tool int) {
	if reasoning+content+tool == 0 {
		return
	}
	t := &f.x.Timing
	if !t.FirstToken.Set() {
		t.FirstToken = f.stamp
	}
	if content > 0 && !t.FirstAnswer.Set() {
		t.FirstAnswer = f.stamp
	}
	t.LastToken = f.stamp
	now := uint64(max(0, f.stamp-t.Sent)) / 1000
	k := sample.Chunk{GapMicros: now - f.lastMicros}
	f.lastMicros = now
	if f.chunk.usage.hasCompletion || f.chunk.idCount > 0 {
		k.Told = true
		if n := max(f.chunk.usage.completion, f.idCount); n > f.told {
			k.Tokens, f.told = n-f.told, n
		}
	}
	for _, part := range [...]struct {
		channel chat.Channel
		bytes   int
	}{{chat.Reasoning, reasoning}, {chat.Content, content}, {chat.Tool, tool}} {
		if part.bytes > 0 {
			k.Channel, k.Bytes = part.channel, uint64(part.bytes)
			f.chunks = f.chunks.Add(k)
			k.GapMicros, k.Tokens = 0, 0 // of a further channel in the same event
		}
	}
}

// merge keeps the largest figure of each field: servers repeat running totals, and nothing is ever added up.
func (u *usage) merge(c *usage) {
	if !c.got {
		return
	}
	u.got = true
	u.prompt, u.hasPrompt = max(u.prompt, c.prompt), u.hasPrompt || c.hasPrompt
	u.completion, u.hasCompletion = max(u.completion, c.completion), u.hasCompletion || c.hasCompletion
	u.cached, u.hasCached = max(u.cached, c.cached), u.hasCached || c.hasCached
	u.reasoning, u.hasReasoning = max(u.reasoning, c.reasoning), u.hasReasoning || c.hasReasoning
}

// finishReason returns the reason as text, the usual ones without an allocation.
func finishReason(inside []byte) string {
	switch string(inside) {
	case "stop":
		return "stop"
	case "length":
		return "length"
	case "tool_calls":
		return "tool_calls"
	}
	var s string
	if json.Unmarshal(slices.Concat([]byte{'"'}, inside, []byte{'"'}), &s) != nil {
		return string(inside)
	}
	return s
}

// keepExtras keeps the last value of each unknown field, within bounds.
func (f *flight) keepExtras(list []extra) {
next:
	for _, x := range list {
		if len(x.value) > maxExtra || len(x.name) > 128 {
			continue
		}
		for i := range f.extras {
			k := &f.extras[i]
			if len(k.name) == len(x.where)+len(x.name) && k.name[:len(x.where)] == x.where && k.name[len(x.where):] == string(x.name) {
				if room := maxExtras - f.extraSize + len(k.value); !bytes.Equal(k.value, x.value) && len(x.value) <= room {
					f.extraSize += len(x.value) - len(k.value)
					k.value = append(k.value[:0], x.value...)
				}
				continue next
			}
		}
		size := len(x.where) + len(x.name) + len(x.value)
		if f.extraSize+size > maxExtras {
			continue
		}
		f.extraSize += size
		f.extras = append(f.extras, keptExtra{x.where + string(x.name), bytes.Clone(x.value)})
	}
}

// extra writes the unknown fields as one object, sorted by name; those of a choice and of a delta have that word in front.
func (f *flight) extra() json.RawMessage {
	if len(f.extras) == 0 {
		return nil
	}
	slices.SortFunc(f.extras, func(a, b keptExtra) int { return cmp.Compare(a.name, b.name) })
	b := append(make([]byte, 0, f.extraSize+6*len(f.extras)+2), '{')
	for i, x := range f.extras {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(chat.AppendQuoted(b, x.name), ':')
		b = append(b, x.value...)
	}
	b = append(b, '}')
	if f.client.secrets.in(b) {
		if b = f.client.secrets.bytes(b, false); !json.Valid(b) {
			return nil // a secret stood where its removal breaks the JSON
		}
	}
	return b
}

// oneLine makes a text of the target fit for a cause: printable, on one line, not long.
func oneLine(s string) string {
	b := make([]rune, 0, min(len(s), 320))
	for _, r := range s {
		if len(b) == 300 {
			return string(b) + "..."
		}
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			r = ' '
		}
		if r != ' ' || len(b) > 0 && b[len(b)-1] != ' ' {
			b = append(b, r)
		}
	}
	return string(b)
}
