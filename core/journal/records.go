package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// ErrNoSegments is why a folder cannot be read as a run.
var ErrNoSegments = errors.New("folder holds no journal")

// Lines yields the lines of one file of JSON Lines in zstd frames, and what is damaged in it as *Damage errors in between.
// Any other error is the last thing that it yields.
func Lines(path string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		data, err := os.ReadFile(path)
		if err != nil {
			yield(Record{}, fmt.Errorf("read journal file: %w", err))
			return
		}
		s, err := newScanner(filepath.Base(path), data)
		if err != nil {
			yield(Record{}, err)
			return
		}
		s.each(
			func(r Record) bool { return yield(r, nil) },
			func(d *Damage) bool { return yield(Record{}, d) },
		)
	}
}

// Records yields the lines of all segments of a run, in the order of segments, as Lines does.
func Records(dir string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		list, err := segments(dir)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("read %s: %w", dir, ErrNoSegments)
		}
		if err != nil {
			yield(Record{}, err)
			return
		}
		for _, n := range list {
			for r, err := range Lines(filepath.Join(dir, SegmentFile(n))) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// withEvaluations yields what Records does, and the records of the run's evaluations behind it.
func withEvaluations(dir string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range Records(dir) {
			if !yield(r, err) {
				return
			}
		}
		list, err := evaluations(dir)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for _, n := range list {
			for r, err := range Lines(filepath.Join(dir, EvaluationFile(n))) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// Cat writes the records of a run, those of its evaluations last, as plain JSON Lines. What is damaged is left out and returned as an error at the end,
// after everything that could be read was written.
func Cat(w io.Writer, dir string) error {
	out := bufio.NewWriter(w)
	var hurt []error
	for r, err := range withEvaluations(dir) {
		var d *Damage
		switch {
		case errors.As(err, &d):
			hurt = append(hurt, d)
			continue
		case err != nil:
			return errors.Join(err, out.Flush())
		}
		if _, err := out.Write(append(r.Line, '\n')); err != nil { // the newline is already there
			return fmt.Errorf("write records: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	return errors.Join(hurt...)
}
