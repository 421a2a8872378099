package normal

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"unicode/utf8"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// Schema is the value of the first key of each line.
const Schema = "paceline/trajectory/v1"

// scopes are the names of filler's scopes.
var scopes = map[sdk.Scope]string{sdk.ScopeTrajectory: "trajectory", sdk.ScopeRun: "run", sdk.ScopeWorkload: "workload"}

// Append appends a trajectory as one line with its end. It fails where a part is no JSON or no UTF-8, and for live
// trajectories, which have no turns on record.
func Append(dst []byte, t *sdk.Trajectory) ([]byte, error) {
	w := writer{out: dst}
	w.trajectory(t)
	if w.err != nil {
		return dst, fmt.Errorf("write trajectory %q: %w", t.Id, w.err)
	}
	return append(w.out, '\n'), nil
}

// writer writes JSON with fixed key order; err is the first thing that went wrong.
type writer struct {
	out []byte
	err error
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// key begins a member of the object that is being written.
func (w *writer) key(name string) {
	if c := w.out[len(w.out)-1]; c != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, name...)
	w.out = append(w.out, '"', ':')
}

func (w *writer) text(name, value string) {
	if value == "" {
		return
	}
	w.key(name)
	w.str(value)
}

func (w *writer) str(value string) {
	if !utf8.ValidString(value) {
		w.fail("a text is not valid UTF-8")
	}
	w.out = rawjson.AppendString(w.out, value)
}

// number writes a member unless it is 0.
func (w *writer) number(name string, n uint64) {
	if n == 0 {
		return
	}
	w.key(name)
	w.out = strconv.AppendUint(w.out, n, 10)
}

// optional writes a member unless it is missing.
func (w *writer) optional(name string, n *uint32) {
	if n != nil {
		w.key(name)
		w.out = strconv.AppendUint(w.out, uint64(*n), 10)
	}
}

func (w *writer) json(name string, doc []byte) {
	if len(doc) == 0 {
		return
	}
	w.key(name)
	w.raw(name, doc)
}

func (w *writer) raw(name string, doc []byte) {
	if err := rawjson.Valid(doc); err != nil {
		w.fail("%s: byte %d: %s", name, err.Offset, err.Reason)
	}
	w.out = rawjson.AppendCompact(w.out, doc)
}

func (w *writer) labels(list []sdk.Label) {
	if len(list) == 0 {
		return
	}
	w.key("labels")
	w.out = append(w.out, '{')
	for i, l := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.str(l.Key)
		w.out = append(w.out, ':')
		w.str(l.Value)
	}
	w.out = append(w.out, '}')
}

func (w *writer) trajectory(t *sdk.Trajectory) {
	w.out = append(w.out, '{')
	w.text("schema", Schema)
	w.text("id", t.Id)
	w.text("domain", t.Domain)
	w.labels(t.Labels)
	if t.StartOffsetNs != nil {
		w.key("start_offset_ns")
		w.out = strconv.AppendUint(w.out, *t.StartOffsetNs, 10)
	}
	if t.Defaults != nil {
		w.json("params", t.Defaults.Params)
		w.json("tools", t.Defaults.Tools)
	}
	if len(t.State) > 0 {
		w.fail("it is live, and the normal form holds recorded turns only")
	}
	w.json("truth", t.Truth)
	w.key("turns")
	w.out = append(w.out, '[')
	for i := range t.Turns {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.turn(&t.Turns[i])
	}
	w.out = append(w.out, ']', '}')
}

func (w *writer) turn(t *sdk.Turn) {
	w.out = append(w.out, '{')
	w.key("index")
	w.out = strconv.AppendUint(w.out, uint64(t.Index), 10)
	w.number("branch", uint64(t.Branch))
	w.optional("fork_of", t.ForkOf)
	w.after(t.After)
	w.number("delay_ns", t.DelayNs)
	w.labels(t.Labels)
	w.json("params", t.Params)
	w.number("max_tokens", uint64(t.MaxTokens))
	w.number("exact_tokens", uint64(t.ExactTokens))
	if t.Final {
		w.key("final")
		w.out = append(w.out, "true"...)
	}
	w.json("truth", t.Truth)
	if len(t.Append) > 0 {
		w.key("append")
		w.out = append(w.out, '[')
		for i := range t.Append {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.message(&t.Append[i])
		}
		w.out = append(w.out, ']')
	}
	if t.Recorded != nil {
		w.key("recorded")
		w.message(t.Recorded)
	}
	w.out = append(w.out, '}')
}

func (w *writer) after(a *sdk.After) {
	if a == nil {
		return
	}
	w.key("after")
	w.out = append(w.out, '[')
	for i, n := range a.Turns {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = strconv.AppendUint(w.out, uint64(n), 10)
	}
	w.out = append(w.out, ']')
}

func (w *writer) message(m *sdk.Message) {
	if m.Composed == nil {
		w.raw("message", m.Json)
		return
	}
	w.out = append(w.out, `{"composed":{`...)
	w.text("role", m.Composed.Role)
	w.text("tool_call_id", m.Composed.ToolCallId)
	w.key("pieces")
	w.out = append(w.out, '[')
	for i := range m.Composed.Pieces {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.piece(&m.Composed.Pieces[i])
	}
	w.out = append(w.out, `]}}`...)
}

func (w *writer) piece(p *sdk.Piece) {
	w.out = append(w.out, '{')
	switch {
	case p.Filler != nil:
		w.key("filler")
		w.filler(p.Filler)
	case p.AnswerOfTurn != nil:
		w.optional("answer_of_turn", p.AnswerOfTurn)
	default:
		w.key("text")
		w.str(string(p.Text))
	}
	w.out = append(w.out, '}')
}

func (w *writer) filler(f *sdk.Filler) {
	w.out = append(w.out, '{')
	w.key("tokens")
	w.out = strconv.AppendUint(w.out, uint64(f.Tokens), 10)
	if utf8.Valid(f.Key) {
		w.text("key", string(f.Key))
	} else {
		w.text("key_base64", base64.StdEncoding.EncodeToString(f.Key))
	}
	name, ok := scopes[f.Scope]
	if !ok {
		w.fail("filler has no scope with the number %d", f.Scope)
	}
	w.text("scope", name)
	w.out = append(w.out, '}')
}
