package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"paceline/core/digest"
)

// MemoryContents holds texts in memory.
type MemoryContents map[digest.SHA256][]byte

// Get implements Contents.
func (m MemoryContents) Get(d digest.SHA256) ([]byte, bool) {
	b, ok := m[d]
	return b, ok
}

// Add puts a document and its texts in and returns the document's digest.
func (m MemoryContents) Add(d Document) digest.SHA256 {
	for _, t := range d.Texts {
		m[t.Digest] = t.Bytes
	}
	self := d.Digest()
	m[self] = d.Body
	return self
}

// place is where a text lies: a frame in the file, and a line in it.
type place struct{ offset, line int }

// fileContents finds texts in the bytes of a content store. It keeps those compressed bytes and the frames that were used
// last, not the texts, and is safe for concurrent use.
type fileContents struct {
	data  []byte
	index map[digest.SHA256]place

	mu     sync.Mutex
	frames []openFrame // most recent first
}

type openFrame struct {
	offset int
	lines  []byte
}

// recentFrames is how many decoded frames stay at hand.
const recentFrames = 8

// readContents indexes the content store of dir; a missing store is an empty one. Its damage is no error: what is missing
// is missed by who asks for it.
func readContents(dir string) (*fileContents, []Damage, error) {
	c := &fileContents{index: map[digest.SHA256]place{}}
	var hurt []Damage
	data, err := os.ReadFile(filepath.Join(dir, ContentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c.data = data
	s, err := newScanner(ContentFile, data)
	if err != nil {
		return nil, nil, err
	}
	s.each(func(r Record) bool {
		d, ok := digestOfLine(r.Line)
		if _, have := c.index[d]; ok && !have {
			c.index[d] = place{int(r.Offset), r.Place}
		}
		return true
	}, func(d *Damage) bool {
		hurt = append(hurt, *d)
		return true
	})
	return c, hurt, nil
}

// digestOfLine reads the digest of a line of the store without reading its text, where the line is as this package wrote it.
func digestOfLine(line []byte) (d digest.SHA256, ok bool) {
	const head = `{"sha256":"`
	if rest, found := bytes.CutPrefix(line, []byte(head)); found && len(rest) > 2*len(d) && rest[2*len(d)] == '"' {
		_, err := hex.Decode(d[:], rest[:2*len(d)])
		return d, err == nil
	}
	var c struct {
		SHA256 digest.SHA256 `json:"sha256"`
	}
	err := json.Unmarshal(line, &c)
	return c.SHA256, err == nil
}

// Get implements Contents: it gives a text only where its bytes have that digest.
func (c *fileContents) Get(d digest.SHA256) ([]byte, bool) {
	at, ok := c.index[d]
	if !ok {
		return nil, false
	}
	lines := c.frame(at.offset)
	if at.line >= len(lines) {
		return nil, false
	}
	line, _, _ := bytes.Cut(lines[at.line:], []byte("\n"))
	var record Content
	if err := json.Unmarshal(line, &record); err != nil {
		return nil, false
	}
	b := bytesOf(record)
	return b, digest.Of(b) == d
}

// frame returns the decoded frame at offset. Its decoder is made here, for this one frame, so that none is shared.
func (c *fileContents) frame(offset int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, f := range c.frames {
		if f.offset == offset {
			copy(c.frames[1:i+1], c.frames[:i])
			c.frames[0] = f
			return f.lines
		}
	}
	n, err := extent(c.data[offset:])
	if err != nil {
		return nil
	}
	dec, err := newDecoder()
	if err != nil {
		return nil
	}
	defer dec.Close()
	lines, err := dec.DecodeAll(c.data[offset:offset+n], nil)
	if err != nil {
		return nil
	}
	if len(c.frames) < recentFrames {
		c.frames = append(c.frames, openFrame{})
	}
	copy(c.frames[1:], c.frames)
	c.frames[0] = openFrame{offset, lines}
	return lines
}

// storedDigests lists what the content store of dir holds.
func storedDigests(dir string) (map[digest.SHA256]struct{}, error) {
	c, _, err := readContents(dir)
	if err != nil {
		return nil, err
	}
	known := make(map[digest.SHA256]struct{}, len(c.index))
	for d := range c.index {
		known[d] = struct{}{}
	}
	return known, nil
}
