package dataset

import (
	"fmt"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// rowCheck gathers the faults of one row.
type rowCheck struct {
	line   Line
	row    Row
	where  string // the conversation's id, which begins every message; empty: not known
	faults []sdk.Fault
}

func (r *rowCheck) add(pointer, code, expected, format string, args ...any) {
	r.faults = append(r.faults, sdk.Fault{
		Line: r.line.Number, Offset: uint64(r.line.Offset), Pointer: pointer, Code: code,
		Message: r.place() + fmt.Sprintf(format, args...), Expected: expected,
	})
}

// place begins a message with conversation and turn, as far as they are known.
func (r *rowCheck) place() string {
	switch {
	case r.where == "":
		return ""
	case r.row.Turn.Kind() == rawjson.Number:
		return fmt.Sprintf("conversation %q, turn %s: ", r.where, r.row.Turn)
	default:
		return fmt.Sprintf("conversation %q: ", r.where)
	}
}

// row checks one row and moves the state behind it.
func (s *state) row(line Line, first map[string]uint64) []sdk.Fault {
	r := &rowCheck{line: line}
	s.rows++
	row, err := ParseRow(line.Text)
	if err != nil {
		s.loose = true
		return r.broken(err)
	}
	r.row = row
	if row.Metadata {
		s.rows--
		return nil
	}
	s.noteColumns(&row)
	id, ok := r.id()
	if !ok {
		s.loose = true
		return r.faults
	}
	var ended []sdk.Fault
	if id != s.id || s.conversations == 0 {
		ended = s.endConversation()
		s.begin(id, line, first[id])
	}
	r.where = id
	if s.resumed && s.firstLine == line.Number {
		r.add("/conversation_id", "conversation-split", "all rows of a conversation next to each other, and each id once",
			"the conversation goes on or begins again on line %d; its rows began on line %d", line.Number, first[id])
	}
	if row.repeated != "" {
		r.add("/"+row.repeated, "repeated-key", "each key once", "the key %q stands twice", row.repeated)
	}
	s.turn(r)
	s.message(r)
	r.settings()
	return append(ended, r.faults...)
}

func (s *state) begin(id string, line Line, firstLine uint64) {
	s.conversations++
	s.id, s.firstLine, s.firstOffset = id, line.Number, line.Offset
	s.expect, s.role, s.calls, s.users = 1, "", nil, 0
	s.resumed = firstLine != 0 && firstLine != line.Number
	s.loose, s.callsBad = s.resumed, s.resumed
}

func (s *state) noteColumns(row *Row) {
	for i, v := range [...]rawjson.Value{row.ConversationID, row.Turn, row.Role, row.Content} {
		if v != nil {
			s.columns |= 1 << i
		}
	}
}

func (r *rowCheck) broken(err *rawjson.SyntaxError) []sdk.Fault {
	code, expected := "broken-json", "one JSON object on one line"
	text := r.line.Text[rawjson.Space(r.line.Text, 0):]
	switch {
	case err.UTF8:
		code, expected = "invalid-utf8", "text in UTF-8"
	case rawjson.Value(text).Kind() != rawjson.Object && rawjson.Valid(text) == nil:
		code = "not-an-object"
	}
	r.add("", code, expected, "byte %d of the row: %s", err.Offset+1, err.Reason)
	r.faults[0].Offset += uint64(err.Offset)
	return r.faults
}

// id checks the conversation's id. ok is false where the row can be put to no conversation.
func (r *rowCheck) id() (id string, ok bool) {
	const pointer, expected = "/conversation_id", "a string of printable ASCII characters, such as \"task-17\""
	v := r.row.ConversationID
	id, ok = r.row.ID()
	switch {
	case v.Missing() || string(v) == `""` || id == "nan":
		r.add(pointer, "conversation-id-missing", expected, "the row has no conversation id")
		return "", false
	case !ok:
		r.add(pointer, "conversation-id-type", expected, "the conversation id is neither a string nor a whole number")
		return "", false
	}
	for _, c := range id {
		if c < 32 || c > 126 {
			r.add(pointer, "conversation-id-characters", expected,
				"the conversation id %s holds %s, and it is sent as a header value", strconv.QuoteToASCII(id), strconv.QuoteRuneToASCII(c))
			break
		}
	}
	return id, true
}

// turn checks that turns are exactly 1, 2, 3 and so on, in the order of the file.
func (s *state) turn(r *rowCheck) {
	const pointer = "/turn"
	expected := strconv.FormatInt(s.expect, 10)
	n, ok := r.row.TurnNumber()
	switch {
	case r.row.Turn.Missing():
		r.add(pointer, "turn-missing", expected, "the row has no turn")
	case !ok:
		r.add(pointer, "turn-type", expected, "the turn is %s, which is no whole number", clip(r.row.Turn))
	case s.loose && n > 0:
		s.expect = n
	case n == s.expect-1 && n > 0:
		r.add(pointer, "turn-repeated", expected, "turn %d stands twice", n)
		return
	case n < s.expect:
		r.add(pointer, "turn-order", expected, "turn %d comes after turn %d", n, s.expect-1)
		return
	case n > s.expect:
		r.add(pointer, "turn-gap", expected, "turn %d comes where turn %d should", n, s.expect)
		s.expect = n
	}
	s.expect++
}

// clip shortens a value for a message.
func clip(v rawjson.Value) string {
	if len(v) > 40 {
		return string(v[:40]) + "..."
	}
	return string(v)
}

// settings checks the fields that shape a request of the client.
func (r *rowCheck) settings() {
	if !r.row.IsClient() {
		return
	}
	if v := r.row.Tools; !v.Missing() && v.Kind() != rawjson.Array {
		r.add("/tools", "tools-type", "a list of tools", "tools is no list")
	}
	if _, ok := r.row.DelayNS(); !ok {
		pointer := "/delay_ms"
		if _, ok := delay(r.row.DelaySeconds, 9); !ok {
			pointer = "/delay_seconds"
		}
		r.add(pointer, "delay-range", "less than 292 years", "the delay is too long")
	}
	for _, limit := range [...]struct {
		name  string
		value rawjson.Value
	}{
		{"max_new_tokens", r.row.MaxNewTokens},
		{"max_completion_tokens", r.row.MaxCompletionTokens},
		{"max_tokens", r.row.MaxTokens},
	} {
		if _, ok := Limit(limit.value); !ok {
			r.add("/"+limit.name, "max-tokens", "a whole number from 1 to 4294967295", "%s is %s", limit.name, clip(limit.value))
		}
	}
}

// Limit reads a number of tokens. It is 0 where v is missing; ok is false where v is no such number.
func Limit(v rawjson.Value) (tokens uint32, ok bool) {
	if v.Missing() {
		return 0, true
	}
	n, ok := rawjson.Integer(v)
	if !ok || n < 1 || n > 1<<32-1 {
		return 0, false
	}
	return uint32(n), true
}
