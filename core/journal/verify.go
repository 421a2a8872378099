package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"paceline/core/digest"
)

// Verify checks that the files of a run belong together and are whole: segments are numbered without gaps and each one's
// head carries the digest of the file before it, run.json and the lock have the digests that the heads tell, each text has
// its digest, and every plan's texts are there unless the whole store was left out. It returns everything that is wrong.
func Verify(dir string) error {
	list, err := segments(dir)
	if err != nil {
		return fmt.Errorf("verify run: %w", err)
	}
	if len(list) == 0 {
		return fmt.Errorf("verify %s: %w", dir, ErrNoSegments)
	}
	v := verifier{dir: dir}
	v.segments(list)
	v.contents()
	if len(v.errs) > 0 {
		return fmt.Errorf("verify %s: %w", dir, errors.Join(v.errs...))
	}
	return nil
}

type verifier struct {
	dir   string
	plans []digest.SHA256
	errs  []error
}

func (v *verifier) wrong(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

func (v *verifier) segments(list []int) {
	var previous *digest.SHA256
	for i, n := range list {
		file := SegmentFile(n)
		if n != i+1 {
			v.wrong("%s: the segment before it is missing", file)
		}
		data, err := os.ReadFile(filepath.Join(v.dir, file))
		if err != nil {
			v.wrong("%w", err)
			continue
		}
		s, err := readSegment(file, data)
		if err != nil {
			v.wrong("%w", err)
			continue
		}
		for k := range s.damage {
			v.errs = append(v.errs, &s.damage[k])
		}
		if s.head != nil {
			v.head(file, n, s.head, previous)
		}
		for k := range s.plans {
			v.plans = append(v.plans, s.plans[k].Content)
		}
		sum := digest.Of(data)
		previous = &sum
	}
}

func (v *verifier) head(file string, n int, h *Head, previous *digest.SHA256) {
	if h.Segment != n {
		v.wrong("%s: its head tells segment %d", file, h.Segment)
	}
	switch {
	case previous == nil && h.Previous != nil:
		v.wrong("%s: its head tells of a segment before it, and there is none", file)
	case previous != nil && h.Previous == nil:
		v.wrong("%s: its head tells no digest of the segment before it", file)
	case previous != nil && *previous != *h.Previous:
		v.wrong("%s: the segment before it has digest %s, its head tells %s", file, previous, h.Previous)
	}
	v.file(file, RunFile, &h.RunConfig)
	v.file(file, LockFile, h.Lock)
}

// file compares a file of the run with the digest that a head tells.
func (v *verifier) file(segment, name string, want *digest.SHA256) {
	if want == nil || *want == (digest.SHA256{}) {
		return
	}
	data, err := os.ReadFile(filepath.Join(v.dir, name))
	if err != nil {
		v.wrong("%w", err)
		return
	}
	if got := digest.Of(data); got != *want {
		v.wrong("%s has digest %s, the head of %s tells %s", name, got, segment, want)
	}
}

func (v *verifier) contents() {
	path := filepath.Join(v.dir, ContentFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	for r, err := range Lines(path) {
		if err != nil {
			v.errs = append(v.errs, err)
			continue
		}
		var c Content
		if err := json.Unmarshal(r.Line, &c); err != nil {
			v.wrong("%s at byte %d: %w", r.File, r.Offset, err)
			continue
		}
		if got := digest.Of(bytesOf(c)); got != c.SHA256 {
			v.wrong("%s at byte %d: a text has digest %s, its record tells %s", r.File, r.Offset, got, c.SHA256)
		}
	}
	store, _, err := readContents(v.dir)
	if err != nil {
		v.wrong("%w", err)
		return
	}
	for _, d := range v.plans {
		if _, err := DecodeTrajectory(store, d); err != nil {
			v.errs = append(v.errs, err)
		}
	}
}
