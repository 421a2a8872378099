package question

import (
	"fmt"
	"io"

	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

// Row is one question as it stands in its file.
type Row struct {
	ID        string
	Messages  []rawjson.Value // the first turn's
	Functions rawjson.Value
}

// place is where a row lies in its file.
type place struct {
	Line   uint64
	Offset int64
	Length int64
}

func (p place) read(src io.ReaderAt) (rawjson.Value, error) {
	text := make([]byte, p.Length)
	if n, err := src.ReadAt(text, p.Offset); n < len(text) {
		return nil, fmt.Errorf("line %d: %w", p.Line, err)
	}
	if err := rawjson.Valid(text); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.Line, err)
	}
	return rawjson.Value(text[rawjson.Space(text, 0):]), nil
}

// parseRow takes a question apart; what is not there is nil.
func parseRow(v rawjson.Value) Row {
	row := Row{Functions: v.Get("function")}
	row.ID, _ = v.Get("id").Text()
	v.Get("question").Each(func(turn int, messages rawjson.Value) bool {
		messages.Each(func(_ int, m rawjson.Value) bool {
			row.Messages = append(row.Messages, m)
			return true
		})
		return false
	})
	return row
}

// values parses a list; nil where it is none, or holds what Python could not read.
func values(v rawjson.Value) []python.Value {
	list, err := python.Parse(string(v))
	if err != nil || list.Kind != python.List {
		return nil
	}
	return list.Items()
}

// Question is one question with its stored answers, as source text.
type Question struct {
	Row
	Category *category.Category
	Answers  rawjson.Value // nil in categories that have none
}

// Read reads the question of an entry.
func (e *Entry) Read(files Files) (*Question, error) {
	text, err := e.question.read(files.Questions)
	if err != nil {
		return nil, fmt.Errorf("read question %q: %w", e.ID, err)
	}
	q := &Question{Row: parseRow(text), Category: &category.All[e.Category]}
	if q.Category.Judged() {
		if text, err = e.answer.read(files.Answers); err != nil {
			return nil, fmt.Errorf("read the answers to question %q: %w", e.ID, err)
		}
		q.Answers = text.Get("ground_truth")
	}
	return q, nil
}

// FunctionValues parses the descriptions of the functions.
func (q *Question) FunctionValues() []python.Value { return values(q.Functions) }
