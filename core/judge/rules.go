package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"paceline/core/digest"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/verdict"
)

func checkAccount(account []byte) error {
	if len(account) > MaxAccount {
		return &replyError{"oversized", fmt.Sprintf("account of %d bytes is above the limit of %d", len(account), MaxAccount)}
	}
	return nil
}

func checkFindings(list []verdict.Finding) error {
	for i := range list {
		if err := checkDetail("finding "+list[i].Code, list[i].Detail); err != nil {
			return err
		}
	}
	return nil
}

func checkItems(list []verdict.ItemScore) error {
	for i := range list {
		if err := checkDetail("item of trajectory "+list[i].Trajectory, list[i].Detail); err != nil {
			return err
		}
	}
	return nil
}

// checkSubjects refuses findings about a conversation that was not in the batch; those about the whole run are fine.
func checkSubjects(list []verdict.Finding, batch []Item) error {
	known := subjectsOf(batch)
	for i := range list {
		if f := &list[i]; f.Trajectory != "" && !known[subject{f.Trajectory, f.Repeat, -1}] {
			return &replyError{"malformed", fmt.Sprintf("finding %s is about trajectory %q, repeat %d, which is not in the batch", f.Code, f.Trajectory, f.Repeat)}
		}
	}
	return nil
}

// checkScored refuses scores of a turn or a conversation that was not in the batch.
func checkScored(list []verdict.ItemScore, batch []Item) error {
	known := subjectsOf(batch)
	for i := range list {
		s := &list[i]
		turn, text := int64(-1), ""
		if s.Turn != nil {
			turn, text = int64(*s.Turn), fmt.Sprintf(", turn %d", *s.Turn)
		}
		if !known[subject{s.Trajectory, s.Repeat, turn}] {
			return &replyError{"malformed", fmt.Sprintf("an item is about trajectory %q, repeat %d%s, which is not in the batch", s.Trajectory, s.Repeat, text)}
		}
	}
	return nil
}

// subject is what a reply may speak of: a turn of a batch, or with turn -1 a conversation of it.
type subject struct {
	trajectory string
	repeat     uint32
	turn       int64
}

func subjectsOf(batch []Item) map[subject]bool {
	known := make(map[subject]bool, len(batch)+1)
	for i := range batch {
		s := batch[i].Sample
		known[subject{s.Trajectory, s.Repeat, int64(s.Turn)}] = true
		known[subject{s.Trajectory, s.Repeat, -1}] = true
	}
	return known
}

// checkDetail refuses what could not be kept as JSON.
func checkDetail(where string, detail json.RawMessage) error {
	if len(detail) > 0 && !json.Valid(detail) {
		return &replyError{"malformed", where + ": its detail is not JSON"}
	}
	return nil
}

// facts returns what the judge's own probes of a target gave, in the journal's order: those of before the run, and all.
func (h *hearing) facts(target string) (before, all []verdict.Fact) {
	for _, f := range h.m.c.Run.Facts {
		i := slices.IndexFunc(h.about.Probes, func(p verdict.Probe) bool { return p.ID == f.Probe })
		if i < 0 || f.Target != target {
			continue
		}
		all = append(all, f.Fact)
		if !h.about.Probes[i].After {
			before = append(before, f.Fact)
		}
	}
	return before, all
}

func (h *hearing) conclusion(metrics json.RawMessage, facts []verdict.Fact) Conclusion {
	c := Conclusion{Account: h.account, Metrics: metrics, RunConfig: h.m.c.RunConfig, Facts: facts}
	if slices.Contains(h.about.Needs, verdict.NeedTelemetry) {
		c.Telemetry = h.m.telemetry()
	}
	return c
}

// telemetry is what the target told about itself, as a JSON array in the order of the journal. A body that is no text is
// base64; one that the content store lacks is left out and its digest stays.
func (m *Material) telemetry() json.RawMessage {
	if m.c.Telemetry != nil {
		return m.c.Telemetry
	}
	type told struct {
		At      sample.Offset   `json:"at_ns"`
		Source  string          `json:"source"`
		SHA256  digest.SHA256   `json:"sha256,omitzero"`
		Text    *string         `json:"text,omitempty"`
		Base64  []byte          `json:"base64,omitempty"`
		Reading *engine.Reading `json:"reading,omitempty"`
		Missing journal.Missing `json:"missing,omitempty"`
	}
	list := []told{}
	for _, t := range m.c.Run.Telemetry {
		x := told{At: t.At, Source: t.Source, SHA256: t.Body}
		if t.Reading != nil || t.Missing != "" {
			list = append(list, told{At: t.At, Source: t.Source, Reading: t.Reading, Missing: t.Missing})
			continue
		}
		if body, ok := m.c.Run.Content.Get(t.Body); ok && utf8.Valid(body) {
			text := string(body)
			x.Text = &text
		} else if ok {
			x.Base64 = body
		}
		list = append(list, x)
	}
	b, err := json.Marshal(list)
	if err != nil {
		return nil // a list of these types always encodes
	}
	return b
}
