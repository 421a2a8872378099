// Package pieces finds pieces of original texts where there should be none: it is what holds anonymous files to their promise.
package pieces

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Length is how many bytes in a row are a piece.
const Length = 12

// Schema are the texts of at least Length bytes that the normal form and the chat API themselves have: names of fields, and
// the name of the schema. They are of no file, though files in the same formats have them too.
var Schema = []string{
	"paceline/trajectory/v1", "start_offset_ns", "exact_tokens", "tool_call_id", "reasoning_content", "answer_of_turn", "input_tokens",
	"output_tokens", "cached_tokens", "reasoning_tokens", "presence_penalty", "frequency_penalty", "repetition_penalty",
}

// Set is all pieces of some texts.
type Set struct {
	held   map[[Length]byte]struct{}
	schema map[string]bool
}

// Of gives the pieces of every text of a file of JSON: of strings, keys and numbers, and of those in strings that are JSON
// themselves.
func Of(r io.Reader) (*Set, error) {
	s := &Set{held: map[[Length]byte]struct{}{}, schema: map[string]bool{}}
	for _, word := range Schema {
		s.schema[word] = true
	}
	err := Texts(r, func(text string, _ bool) { s.Add(text) })
	return s, err
}

// Add adds the pieces of a text that is no word of the schema.
func (s *Set) Add(text string) {
	for i := 0; i+Length <= len(text) && !s.schema[text]; i++ {
		s.held[[Length]byte([]byte(text[i:i+Length]))] = struct{}{}
	}
}

// Len is how many pieces there are.
func (s *Set) Len() int { return len(s.held) }

// In gives the first piece that a text holds, unless it is a word of the schema; empty: none.
func (s *Set) In(text string) string {
	for i := 0; i+Length <= len(text) && !s.schema[text]; i++ {
		if _, ok := s.held[[Length]byte([]byte(text[i:i+Length]))]; ok {
			return text[i : i+Length]
		}
	}
	return ""
}

// Texts calls yield for every string, key and number of a file of JSON values, and for those in strings that are JSON.
func Texts(r io.Reader, yield func(text string, number bool)) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read texts: %w", err)
		}
		each(v, yield)
	}
}

func each(v any, yield func(string, bool)) {
	switch v := v.(type) {
	case string:
		yield(v, false)
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil {
			switch inner.(type) {
			case map[string]any, []any:
				each(inner, yield)
			}
		}
	case []any:
		for _, e := range v {
			each(e, yield)
		}
	case map[string]any:
		for key, e := range v {
			yield(key, false)
			each(e, yield)
		}
	case json.Number:
		yield(v.String(), true)
	}
}
