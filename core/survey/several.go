package survey

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Reports are those of all targets that were asked for their own sake. One alone is written as it is.
type Reports []*Report

// Differences tell in what targets differ that are to be measured in one run.
func (list Reports) Differences() []string {
	var texts []string
	for _, r := range list[1:] {
		first := list[0]
		for _, c := range []struct{ what, a, b string }{{"model", first.Model, r.Model}, {"engine", first.engine(), r.engine()}} {
			if c.a != c.b {
				texts = append(texts, fmt.Sprintf("%s: %s at %s, %s at %s", c.what, c.a, first.Endpoint, c.b, r.Endpoint))
			}
		}
	}
	return texts
}

// Missing says what each target lacks, and that they do not serve one model: no run takes them together then.
func (list Reports) Missing() []string {
	var texts []string
	for _, r := range list {
		who := "the target"
		if len(list) > 1 {
			who = r.Endpoint
		}
		if missing := r.Missing(); len(missing) > 0 {
			texts = append(texts, who+" lacks "+strings.Join(missing, ", "))
		}
	}
	for _, r := range list[1:] {
		if r.Model != list[0].Model {
			texts = append(texts, "the targets serve different models")
			break
		}
	}
	return texts
}

// WriteText writes the reports for people.
func (list Reports) WriteText(w io.Writer) error {
	for i, r := range list {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"+strings.Repeat("-", 40)+"\n\n"); err != nil {
				return err
			}
		}
		if err := r.WriteText(w); err != nil {
			return err
		}
	}
	for i, text := range list.Differences() {
		head := ""
		if i == 0 {
			head = "\nthe targets differ\n"
		}
		if _, err := fmt.Fprintf(w, "%s- %s\n", head, text); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes one report as the member target of an object, several as the list targets, with their differences.
func (list Reports) WriteJSON(w io.Writer) error {
	if len(list) == 1 {
		return list[0].WriteJSON(w)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	differences := list.Differences()
	if differences == nil {
		differences = []string{}
	}
	return enc.Encode(map[string]any{"targets": []*Report(list), "differences": differences})
}
