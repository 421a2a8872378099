package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes report.json. Equal results give equal bytes.
func WriteJSON(w io.Writer, r *Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write report.json: %w", err)
	}
	return nil
}
