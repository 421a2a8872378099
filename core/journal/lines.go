package journal

import (
	"bytes"
	"encoding/json"
)

// lines collects JSON lines for one frame.
type lines struct {
	buf   bytes.Buffer
	count int64
}

// add appends v as one line; after an error nothing was added.
func (l *lines) add(v any) error {
	enc := json.NewEncoder(&l.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	l.count++
	return nil
}

func (l *lines) reset() {
	const keep = 4 << 20
	if l.buf.Cap() > keep {
		l.buf = bytes.Buffer{}
	}
	l.buf.Reset()
	l.count = 0
}
