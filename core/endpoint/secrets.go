package endpoint

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"paceline/core/chat"
)

const mask = "[secret]"

// leastSecret is the least length in bytes of what is taken for a secret: a shorter key hides nothing, and replacing it would
// break the texts that hold its letters.
const leastSecret = 4

// secrets are texts that must not show in anything that is kept or printed.
type secrets struct{ list [][]byte }

func newSecrets(texts []string) secrets {
	var s secrets
	for _, t := range texts {
		if len(t) < leastSecret {
			continue
		}
		s.add([]byte(t))
		quoted := chat.AppendQuoted(nil, t)
		s.add(quoted[1 : len(quoted)-1]) // as it stands inside JSON
	}
	// Longer ones first, so that one secret inside another leaves nothing of it.
	slices.SortFunc(s.list, func(a, b []byte) int { return cmp.Or(len(b)-len(a), bytes.Compare(a, b)) })
	return s
}

func (s *secrets) add(t []byte) {
	for _, have := range s.list {
		if bytes.Equal(have, t) {
			return
		}
	}
	s.list = append(s.list, t)
}

// text returns t without secrets.
func (s secrets) text(t string) string {
	for _, x := range s.list {
		t = strings.ReplaceAll(t, string(x), mask)
	}
	return t
}

// in reports whether b holds a secret.
func (s secrets) in(b []byte) bool {
	for _, x := range s.list {
		if bytes.Contains(b, x) {
			return true
		}
	}
	return false
}

// bytes returns a copy of b without secrets. Where b was cut, the beginning of a secret at its end goes too.
func (s secrets) bytes(b []byte, cut bool) []byte {
	if cut {
		b = b[:len(b)-s.begun(b)]
	}
	out := bytes.Clone(b)
	for _, x := range s.list {
		if bytes.Contains(out, x) {
			out = bytes.ReplaceAll(out, x, []byte(mask))
		}
	}
	return out
}

// unmistakable is the least length in bytes of a secret that is looked for in what the model wrote. Shorter keys, such as
// EMPTY or none, are words that answers hold by chance, and taking them out would change what is scored.
const unmistakable = 12

// unmistakable lists the secrets that are looked for in what the model wrote, longest first.
func (s secrets) unmistakable() [][]byte {
	end := slices.IndexFunc(s.list, func(x []byte) bool { return len(x) < unmistakable })
	if end < 0 {
		end = len(s.list)
	}
	return s.list[:end]
}

// message returns an answer's message without secrets; it is copied only where it holds one.
func (s secrets) message(b []byte) []byte {
	for _, x := range s.list {
		if len(x) >= unmistakable && bytes.Contains(b, x) {
			b = bytes.ReplaceAll(b, x, []byte(mask))
		}
	}
	return b
}

// begun returns the length of the longest part of b's end that is the beginning of a secret.
func (s secrets) begun(b []byte) int {
	longest := 0
	for _, x := range s.list {
		for n := min(len(x)-1, len(b)); n > longest; n-- {
			if bytes.HasSuffix(b, x[:n]) {
				longest = n
				break
			}
		}
	}
	return longest
}
