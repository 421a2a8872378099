package journal

import (
	"unicode/utf8"

	"paceline/core/digest"
)

// storeWriter adds texts to the content store, each once. It belongs to the writer's goroutine.
type storeWriter struct {
	out     *frames
	lines   lines
	known   map[digest.SHA256]struct{}
	pending []digest.SHA256 // in lines, not yet in the file
}

// put adds a text unless the store holds it; it is in the file after the next flush.
func (s *storeWriter) put(t Text) error {
	if _, ok := s.known[t.Digest]; ok {
		return nil
	}
	if err := s.lines.add(contentOf(t)); err != nil {
		return err
	}
	s.known[t.Digest] = struct{}{}
	s.pending = append(s.pending, t.Digest)
	if s.lines.buf.Len() >= frameBytes {
		return s.flush()
	}
	return nil
}

// document adds a document and everything that it refers to.
func (s *storeWriter) document(d Document) (digest.SHA256, error) {
	for _, t := range d.Texts {
		if err := s.put(t); err != nil {
			return digest.SHA256{}, err
		}
	}
	self := d.Digest()
	return self, s.put(Text{self, d.Body})
}

func (s *storeWriter) flush() error {
	if s.lines.count == 0 {
		return nil
	}
	err := s.out.append(s.lines.buf.Bytes())
	if err != nil {
		for _, d := range s.pending {
			delete(s.known, d)
		}
	}
	s.pending = s.pending[:0]
	s.lines.reset()
	return err
}

func contentOf(t Text) Content {
	c := Content{SHA256: t.Digest}
	switch {
	case len(t.Bytes) == 0:
	case utf8.Valid(t.Bytes):
		text := string(t.Bytes)
		c.Text = &text
	default:
		c.Base64 = t.Bytes
	}
	return c
}

// bytesOf is the way back of contentOf.
func bytesOf(c Content) []byte {
	if c.Text != nil {
		return []byte(*c.Text)
	}
	if c.Base64 != nil {
		return c.Base64
	}
	return []byte{}
}
