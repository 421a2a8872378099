// Package reference holds what published traces look like, measured over whole files: what drawn traces are held against
// where the file is not at hand.
package reference

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"

	"paceline/profile/measure"
)

//go:generate go run ./gen -out coding.json ../../../shared/data/applied_compute_agentic_coding_8k.jsonl

//go:embed *.json
var files embed.FS

// Of gives the summary of a profile's traces; nil where there is none.
func Of(profile string) (*measure.Summary, error) {
	text, err := files.ReadFile(profile + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := &measure.Summary{}
	return s, errors.Join(err, json.Unmarshal(text, s))
}
