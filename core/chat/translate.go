package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Translate returns chat messages in the API's form, as fragments for Shell.Body; docs/apis.md has the rules. Long texts are
// not copied: they stay where they are, in fragments of their own that empty ones tie to their neighbours.
func (a API) Translate(messages ...json.RawMessage) ([]json.RawMessage, error) {
	if a.Named() == APIChat {
		return messages, nil
	}
	var w writer
	for i, raw := range messages {
		m, err := readMessage(raw)
		if err == nil {
			err = w.message(a, m)
		}
		if err != nil {
			return nil, fmt.Errorf("message %d by the API %s: %w", i+1, a, err)
		}
		w.end()
	}
	return w.list, nil
}

// Fragments returns messages, or what Translate made of them, as Shell.Body takes them.
func Fragments(messages []json.RawMessage) [][]byte {
	list := make([][]byte, len(messages))
	for i, m := range messages {
		list[i] = m
	}
	return list
}

func (w *writer) message(a API, m *message) error {
	switch a {
	case APICompletions:
		return w.prompt(m)
	case APIResponses:
		return w.item(m)
	}
	return w.turn(m)
}

// message is a chat message, taken apart. Its slices lie in the message's own bytes.
type message struct {
	raw     []byte
	plain   bool // it holds a role and a text, and nothing else
	role    string
	callID  []byte // inside of tool_call_id
	content content
	calls   []call
}

// content is a text, or a list of parts, or neither.
type content struct {
	inside []byte // of a text
	parts  []part // of a list
	isList bool
}

// part is one part of a content: a text or an image.
type part struct {
	inside []byte // of a text
	image  []byte // inside of an image's URL; nil: a text
}

// call is one tool call of an assistant's message.
type call struct {
	id, name  []byte // insides
	arguments json.RawMessage
}

func readMessage(raw []byte) (*message, error) {
	list, err := members(raw)
	if err != nil {
		return nil, err
	}
	m := &message{raw: raw}
	if m.role, _ = text(raw, list, "role"); m.role == "" {
		return nil, errors.New("it has no role")
	}
	m.callID = insideOf(raw, list, "tool_call_id")
	if c, ok := find(list, "content"); ok {
		if m.content, err = readContent(raw[c.from:c.to]); err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		m.plain = len(list) == 2 && raw[c.from] == '"'
	}
	if c, ok := find(list, "tool_calls"); ok && raw[c.from] == '[' {
		if m.calls, err = readCalls(raw[c.from:c.to]); err != nil {
			return nil, fmt.Errorf("tool_calls: %w", err)
		}
	}
	return m, nil
}

// insideOf returns the inside of a string member, nil where it is none.
func insideOf(object []byte, list []member, key string) []byte {
	m, ok := find(list, key)
	if !ok || object[m.from] != '"' {
		return nil
	}
	return object[m.from+1 : m.to-1]
}

func readContent(raw []byte) (c content, err error) {
	switch {
	case raw[0] == '"':
		c.inside = raw[1 : len(raw)-1]
		return c, nil
	case string(raw) == "null":
		return c, nil
	case raw[0] != '[':
		return c, errors.New("want a text or a list of parts")
	}
	c.isList = true
	items, err := elements(raw)
	if err != nil {
		return c, err
	}
	for i, item := range items {
		p, err := readPart(raw[item.from:item.to])
		if err != nil {
			return c, fmt.Errorf("part %d: %w", i+1, err)
		}
		c.parts = append(c.parts, p)
	}
	return c, nil
}

func readPart(raw []byte) (part, error) {
	list, err := members(raw)
	if err != nil {
		return part{}, err
	}
	kind, _ := text(raw, list, "type")
	switch kind {
	case "text", "":
		return part{inside: insideOf(raw, list, "text")}, nil
	case "image_url":
		m, ok := find(list, "image_url")
		if !ok {
			break
		}
		image := raw[m.from:m.to]
		if fields, err := members(image); err == nil {
			if url := insideOf(image, fields, "url"); url != nil {
				return part{image: url}, nil
			}
		}
	}
	return part{}, fmt.Errorf("of the type %q it has no form there", kind)
}

func readCalls(array []byte) ([]call, error) {
	items, err := elements(array)
	if err != nil {
		return nil, err
	}
	var calls []call
	for i, item := range items {
		raw := array[item.from:item.to]
		list, err := members(raw)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		c := call{id: insideOf(raw, list, "id")}
		if m, ok := find(list, "function"); ok && raw[m.from] == '{' {
			fn := raw[m.from:m.to]
			fields, err := members(fn)
			if err != nil {
				return nil, fmt.Errorf("call %d: %w", i+1, err)
			}
			c.name = insideOf(fn, fields, "name")
			if a, ok := find(fields, "arguments"); ok {
				c.arguments = fn[a.from:a.to]
			}
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// text returns the arguments as a JSON string: one stays byte for byte, whatever it holds.
func (c *call) text() json.RawMessage {
	if len(c.arguments) > 0 && c.arguments[0] == '"' {
		return c.arguments
	}
	return Arguments(c.arguments)
}

// empty reports whether there is no text and no part.
func (c *content) empty() bool { return len(c.inside) == 0 && len(c.parts) == 0 }

// texts returns the insides of the content's texts, which joined are one text; an error where there is an image.
func (c *content) texts() ([][]byte, error) {
	if !c.isList {
		return [][]byte{c.inside}, nil
	}
	list := make([][]byte, 0, len(c.parts))
	for _, p := range c.parts {
		if p.image != nil {
			return nil, errors.New("an image has no form in this message")
		}
		list = append(list, p.inside)
	}
	return list, nil
}

// writer writes fragments. What it is told to share stays where it is if it is long.
type writer struct {
	list  []json.RawMessage
	small []byte
	begun bool // the last fragment belongs to what is being written
}

func (w *writer) put(texts ...string) {
	for _, t := range texts {
		w.small = append(w.small, t...)
	}
}

func (w *writer) share(b []byte) {
	if len(b) < sharedSize {
		w.small = append(w.small, b...)
		return
	}
	w.flush()
	w.piece(b)
}

// quoted writes a text whose inside is given in parts.
func (w *writer) quoted(insides ...[]byte) {
	w.put(`"`)
	for _, b := range insides {
		w.share(b)
	}
	w.put(`"`)
}

func (w *writer) flush() {
	if len(w.small) > 0 {
		w.piece(w.small)
		w.small = nil
	}
}

func (w *writer) piece(b []byte) {
	if w.begun {
		w.list = append(w.list, json.RawMessage{})
	}
	w.list, w.begun = append(w.list, b), true
}

// end ends what is being written: a comma follows where something else does.
func (w *writer) end() {
	w.flush()
	w.begun = false
}

// PiecesIn is Pieces for an API: the salted message comes in the form that Translate gives it.
func (s *Salter) PiecesIn(a API, messages []json.RawMessage, conversation string, repeat uint32) (at int, salted []json.RawMessage, err error) {
	if a.Named() == APIChat {
		return s.Pieces(messages, conversation, repeat)
	}
	at, parts, err := s.parts(messages, conversation, repeat)
	if err != nil || at < 0 {
		return -1, nil, err
	}
	// The inside of a text is the same in every API. So the message is translated with a mark in its place, and parted there.
	mark := []byte("~")
	for bytes.Contains(parts[0], mark) || bytes.Contains(parts[4], mark) {
		mark = append(mark, '~')
	}
	translated, err := a.Translate(bytes.Join([][]byte{parts[0], parts[4]}, mark))
	if err != nil {
		return -1, nil, err
	}
	var ok bool
	if parts[0], parts[4], ok = bytes.Cut(joined(translated), mark); !ok {
		return -1, nil, fmt.Errorf("salt conversation %q: the API %s leaves the salted text out", conversation, a)
	}
	return at, glued(parts[:]), nil
}

func joined(pieces []json.RawMessage) []byte {
	var b []byte
	for _, p := range pieces {
		b = append(b, p...)
	}
	return b
}
