package chat

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"paceline/core/seed"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// SaltScheme says, as data, how a conversation's first text is changed so that no run feeds on the prefix cache that an
// earlier one left, while the sharing inside a run stays.
type SaltScheme struct {
	Name string `json:"name"`
	// Template is the salted text: {repeat} and {conversation} are the two salts, {content} the text as it was.
	// Empty: nothing is salted.
	Template string `json:"template,omitempty"`
	// Digest makes the salts' values: DigestBlake2b or DigestSeed.
	Digest string `json:"digest,omitempty"`
	// Scope says which messages may carry the salt: ScopeSystem or ScopeFirstText.
	Scope string `json:"scope,omitempty"`
}

// Digests and scopes of salt schemes.
const (
	// DigestBlake2b is BLAKE2b with a digest of two bytes, as four hex digits: of the repeat counted from 1 in decimal,
	// and of the conversation's id. It does not depend on the run.
	DigestBlake2b = "blake2b-2"
	// DigestSeed is the first eight bytes, as 16 hex digits, of the seed derived for purpose salt from the run's seed: with
	// the parts "repeat", repeat; and "conversation", id, repeat. Repeats count from 0.
	DigestSeed = "seed-8"
	// ScopeSystem is the first system message whose content is a string; a conversation without one is an error.
	ScopeSystem = "system"
	// ScopeFirstText is the same, else the first user message that has text; a conversation without any stays as it is.
	ScopeFirstText = "first-text"
)

const saltTemplate = "[salt: {repeat}]\n\n{content}\n\n[salt: {conversation}]"

// The shipped schemes: none, MLPerf Endpoints' own, and the default outside presets.
var saltSchemes = [...]SaltScheme{
	{Name: "none"},
	{Name: "mlperf", Template: saltTemplate, Digest: DigestBlake2b, Scope: ScopeSystem},
	{Name: "seeded", Template: saltTemplate, Digest: DigestSeed, Scope: ScopeFirstText},
}

// SaltSchemeByName returns a shipped scheme: none, mlperf or seeded.
func SaltSchemeByName(name string) (SaltScheme, error) {
	for _, s := range saltSchemes {
		if s.Name == name {
			return s, nil
		}
	}
	return SaltScheme{}, fmt.Errorf("salt scheme %q is not known: want none, mlperf or seeded", name)
}

// ErrNoSystem is why a conversation cannot be salted by a scheme of ScopeSystem.
var ErrNoSystem = errors.New("no system message with a text")

// Salter salts the conversations of one run. It is not changed after it was made and is safe for concurrent use.
type Salter struct {
	scheme     SaltScheme
	root       uint64
	head, tail string // the template around {content}
}

// NewSalter returns the salter of a scheme for a run with that seed.
func NewSalter(s SaltScheme, root uint64) (*Salter, error) {
	if s.Template == "" {
		return &Salter{scheme: s}, nil
	}
	head, tail, ok := strings.Cut(s.Template, "{content}")
	if !ok || strings.Contains(tail, "{content}") {
		return nil, fmt.Errorf("salt scheme %s: template must hold {content} once", s.Name)
	}
	if s.Digest != DigestBlake2b && s.Digest != DigestSeed {
		return nil, fmt.Errorf("salt scheme %s: digest %q is not known", s.Name, s.Digest)
	}
	if s.Scope != ScopeSystem && s.Scope != ScopeFirstText {
		return nil, fmt.Errorf("salt scheme %s: scope %q is not known", s.Name, s.Scope)
	}
	return &Salter{scheme: s, root: root, head: head, tail: tail}, nil
}

// Scheme returns the scheme that the salter was made from.
func (s *Salter) Scheme() SaltScheme { return s.scheme }

// Values returns the two salts of a conversation; repeat counts from 0.
func (s *Salter) Values(conversation string, repeat uint32) (ofRepeat, ofConversation string) {
	if s.scheme.Digest == DigestBlake2b {
		return blake2bSalt(strconv.FormatUint(uint64(repeat)+1, 10)), blake2bSalt(conversation)
	}
	n := seed.Uint(uint64(repeat))
	a := seed.Derive(s.root, seed.Salt, []byte("repeat"), n)
	b := seed.Derive(s.root, seed.Salt, []byte("conversation"), []byte(conversation), n)
	return hex.EncodeToString(a[:8]), hex.EncodeToString(b[:8])
}

func blake2bSalt(text string) string {
	h, err := blake2b.New(2, nil)
	if err != nil {
		return "" // only a size out of range is an error
	}
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// Salt returns the place and the salted form of the one message that the scheme changes among the first messages of a
// conversation; at is -1 where none is changed. Only the message's text is touched, by inserting bytes.
func (s *Salter) Salt(messages []json.RawMessage, conversation string, repeat uint32) (at int, salted json.RawMessage, err error) {
	at, parts, err := s.parts(messages, conversation, repeat)
	if err != nil || at < 0 {
		return -1, nil, err
	}
	return at, slices.Concat(parts[:]...), nil
}

// Pieces is Salt without a copy of long texts, which all conversations of a trajectory share then: the salted message
// comes as fragments that stand in the message's place, with an empty fragment between any two of them. Shell.Body knows
// by these that they are one message.
func (s *Salter) Pieces(messages []json.RawMessage, conversation string, repeat uint32) (at int, salted []json.RawMessage, err error) {
	at, parts, err := s.parts(messages, conversation, repeat)
	if err != nil || at < 0 {
		return -1, nil, err
	}
	return at, glued(parts[:]), nil
}

// Fragments is Fragments of a conversation's first messages, with the salts in the one that the scheme changes.
func (s *Salter) Fragments(list []Draft, conversation string, repeat uint32) ([]json.RawMessage, []Hole, error) {
	at := s.composed(list)
	if at >= 0 {
		r, c := s.expanded(conversation, repeat)
		salted := list[at]
		salted.Pieces = slices.Concat([]Piece{{Inside: r}}, salted.Pieces, []Piece{{Inside: c}})
		list = slices.Clone(list)
		list[at] = salted
		fragments, holes := Fragments(list)
		return fragments, holes, nil
	}
	whole := make([]json.RawMessage, len(list)) // nil where it is composed: none of those is salted
	for i := range list {
		whole[i] = list[i].JSON
	}
	at, pieces, err := s.Pieces(whole, conversation, repeat)
	if err != nil {
		return nil, nil, err
	}
	if at < 0 {
		fragments, holes := Fragments(list)
		return fragments, holes, nil
	}
	before, holes := Fragments(list[:at])
	after, behind := Fragments(list[at+1:])
	for _, h := range behind {
		holes = append(holes, Hole{At: h.At + len(before) + len(pieces), Turn: h.Turn})
	}
	return slices.Concat(before, pieces, after), holes, nil
}

// composed finds the composed message that is salted; below 0: it is none of them.
func (s *Salter) composed(list []Draft) int {
	if s.scheme.Template == "" {
		return -1
	}
	whole := make([]json.RawMessage, len(list))
	for i := range list {
		if whole[i] = list[i].JSON; whole[i] == nil {
			whole[i] = append(list[i].head(), closing...)
		}
	}
	at, _, _ := s.find(whole)
	if at < 0 || list[at].JSON != nil {
		return -1
	}
	return at
}

// find finds the text that is salted: the message that holds it, below 0 where there is none, and the bounds of its inside.
func (s *Salter) find(messages []json.RawMessage) (at, from, to int) {
	at, from, to = findText(messages, "system", false)
	if at < 0 && s.scheme.Scope == ScopeFirstText {
		at, from, to = findText(messages, "user", true)
	}
	return at, from, to
}

// expanded is the template before and behind the text, as insides of JSON strings.
func (s *Salter) expanded(conversation string, repeat uint32) (head, tail []byte) {
	r, c := s.Values(conversation, repeat)
	expand := func(text string) []byte {
		return AppendEscaped(nil, strings.ReplaceAll(strings.ReplaceAll(text, "{repeat}", r), "{conversation}", c))
	}
	return expand(s.head), expand(s.tail)
}

// parts cuts the message that is salted where the salts go in. Parts of the message stay where they are.
func (s *Salter) parts(messages []json.RawMessage, conversation string, repeat uint32) (at int, parts [5][]byte, err error) {
	if s.scheme.Template == "" {
		return -1, parts, nil
	}
	at, from, to := s.find(messages)
	if at < 0 {
		if s.scheme.Scope == ScopeSystem {
			return -1, parts, fmt.Errorf("salt conversation %q: %w", conversation, ErrNoSystem)
		}
		return -1, parts, nil
	}
	head, tail := s.expanded(conversation, repeat)
	m := messages[at]
	return at, [5][]byte{m[:from], head, m[from:to], tail, m[to:]}, nil
}

// sharedSize is the least size of a part that is shared: smaller ones cost more by themselves than their copy does.
const sharedSize = 4 << 10

// glued joins small parts into one fragment and leaves each large one where it is.
func glued(parts [][]byte) []json.RawMessage {
	var list []json.RawMessage
	var small []byte
	add := func(b []byte) {
		if len(b) == 0 {
			return
		}
		if len(list) > 0 {
			list = append(list, json.RawMessage{})
		}
		list = append(list, b)
	}
	for _, p := range parts {
		if len(p) < sharedSize {
			small = append(small, p...)
			continue
		}
		add(small)
		add(p)
		small = nil
	}
	add(small)
	return list
}

// findText finds the first message of a role with a text: a string content, or with parts also the first text of a list.
// from and to bound the text's inside.
func findText(messages []json.RawMessage, role string, parts bool) (at, from, to int) {
	for i, m := range messages {
		list, err := members(m)
		if err != nil {
			continue
		}
		if r, _ := text(m, list, "role"); r != role {
			continue
		}
		c, ok := find(list, "content")
		switch {
		case !ok:
		case m[c.from] == '"':
			return i, c.from + 1, c.to - 1
		case parts && m[c.from] == '[':
			if from, to, ok := firstText(m[c.from:c.to]); ok {
				return i, c.from + from, c.from + to
			}
		}
	}
	return -1, 0, 0
}

func firstText(array []byte) (from, to int, ok bool) {
	items, err := elements(array)
	if err != nil {
		return 0, 0, false
	}
	for _, item := range items {
		part := array[item.from:item.to]
		list, err := members(part)
		if err != nil {
			continue
		}
		if m, ok := find(list, "text"); ok && part[m.from] == '"' {
			return item.from + m.from + 1, item.from + m.to - 1, true
		}
	}
	return 0, 0, false
}
