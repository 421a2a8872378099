package conformance

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"paceline/core/digest"
)

// State says how a check ended.
type State string

// States of a check.
const (
	OK      State = "ok"
	Failed  State = "failed"
	Skipped State = "skipped"
)

// Result is how one check ended.
type Result struct {
	Component string        `json:"component,omitempty"` // empty: the plugin as a whole
	Check     string        `json:"check"`
	State     State         `json:"state"`
	Text      string        `json:"text,omitempty"` // failed: what was expected and found; skipped: the reason
	Took      time.Duration `json:"-"`
}

// Report is the outcome of all checks, in the order in which they ran: it is the same for the same plugin.
type Report struct {
	Plugin  string        `json:"plugin"`
	Version string        `json:"version,omitempty"` // empty: its manifest could not be read
	SHA256  digest.SHA256 `json:"sha256"`
	Results []Result      `json:"results"`
}

// Count is the number of checks that ended so.
func (r *Report) Count(s State) (n int) {
	for i := range r.Results {
		if r.Results[i].State == s {
			n++
		}
	}
	return n
}

// Line shows one result: its state, the component, the check, and what was expected and found, or the reason.
func (r Result) Line() string {
	state := string(r.State)
	if r.State == Failed {
		state = "FAILED"
	}
	of := r.Component
	if of == "" {
		of = "plugin"
	}
	line := fmt.Sprintf("%-8s %-16s %s", state, of, r.Check)
	if r.Text != "" {
		line += ": " + r.Text
	}
	return line
}

// WriteSummary writes how many checks ended how.
func (r *Report) WriteSummary(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s (sha256 %s): %d checks, %d ok, %d failed, %d skipped\n", strings.TrimSpace(r.Plugin+" "+r.Version), r.SHA256,
		len(r.Results), r.Count(OK), r.Count(Failed), r.Count(Skipped))
	return err
}

// longest bounds the text of a result in bytes.
const longest = 1000

// oneLine makes an error's text fit for a line of a report, without the stack of a guest.
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, " | wasm stack trace:")
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
	if len(text) <= longest {
		return text
	}
	cut := longest
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + " ..."
}
