package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"paceline/core/verdict"
)

// WriteJudgements replaces the judgements of a run by list, one a line. The file appears whole: on an error the judgements
// that were there before stay.
func WriteJudgements(dir string, list []verdict.Judgement) error {
	return WriteWhole(filepath.Join(dir, JudgementsFile), func(w io.Writer) error {
		f, err := newFrames(JudgementsFile, onlyWriter{w})
		if err != nil {
			return err
		}
		var l lines
		for i := range list {
			if err := l.add(&list[i]); err != nil {
				return errors.Join(fmt.Errorf("encode judgement of %s: %w", list[i].Name, err), f.enc.Close())
			}
			if err := f.append(l.buf.Bytes()); err != nil {
				return errors.Join(err, f.enc.Close())
			}
			l.reset()
		}
		return f.enc.Close()
	})
}

// onlyWriter is a file that only ever is written to.
type onlyWriter struct{ io.Writer }

func (onlyWriter) Truncate(int64) error { return nil }
func (onlyWriter) Sync() error          { return nil }
func (onlyWriter) Close() error         { return nil }

// ReadJudgements reads the judgements of a run; a run that was not judged has none. The file is written whole, so any
// damage is an error.
func ReadJudgements(dir string) ([]verdict.Judgement, error) {
	path := filepath.Join(dir, JudgementsFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []verdict.Judgement
	for r, err := range Lines(path) {
		if err != nil {
			return nil, fmt.Errorf("read judgements: %w", err)
		}
		var j verdict.Judgement
		if err := json.Unmarshal(r.Line, &j); err != nil {
			return nil, fmt.Errorf("read judgements: %s at byte %d: %w", r.File, r.Offset, err)
		}
		list = append(list, j)
	}
	return list, nil
}
