package agentic

import (
	"bytes"
	"fmt"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/mlperf/domain"
	"paceline/workloads/rawjson"
)

// trajectory makes the plan of one conversation. The rows passed the check.
func trajectory(id string, rows []dataset.Row, c calls) (*sdk.Trajectory, error) {
	p := planner{shared: firstUser(rows), calls: c}
	t := &sdk.Trajectory{Id: id, Domain: domain.Of(id)}
	if tools := p.shared.Tools; !tools.Empty() {
		t.Defaults = &sdk.Defaults{Tools: rawjson.AppendCompact(nil, tools)}
	}
	if system := systemText(rows); system != nil {
		p.pending = append(p.pending, systemMessage(system))
	}
	for i := range rows {
		if !rows[i].IsClient() {
			continue // the answer to the row before, and there already
		}
		var answer *dataset.Row
		if i+1 < len(rows) && !rows[i+1].IsClient() {
			answer = &rows[i+1]
		}
		turn, err := p.turn(&rows[i], answer, uint32(len(t.Turns)))
		if err != nil {
			return nil, fmt.Errorf("plan conversation %q: %w", id, err)
		}
		t.Turns = append(t.Turns, turn)
	}
	if n := len(t.Turns); n > 0 {
		t.Turns[n-1].Final = true
	}
	return t, nil
}

// planner carries what one turn hands to the next.
type planner struct {
	shared  *dataset.Row  // the first user row: its limits and tools hold for later rows that lack them
	pending []sdk.Message // the system message, until the first turn took it
	calls   calls
}

// turn makes the request of one client row. The answers between requests are put into the history by the host.
func (p *planner) turn(row, answer *dataset.Row, index uint32) (sdk.Turn, error) {
	delay, ok := row.DelayNS()
	if !ok {
		return sdk.Turn{}, fmt.Errorf("turn %s: the delay is too long", row.Turn)
	}
	limit, err := p.limit(row)
	if err != nil {
		return sdk.Turn{}, err
	}
	role, _ := row.Role.Text()
	turn := sdk.Turn{
		Index: index, DelayNs: uint64(delay), MaxTokens: limit, Params: p.params(row),
		Labels: []sdk.Label{{Key: "request", Value: role}},
	}
	turn.Append, p.pending = p.pending, nil
	if role == "tool" {
		turn.Append = append(turn.Append, resultMessages(row)...)
	} else {
		turn.Append = append(turn.Append, p.calls.message(row))
	}
	if answer != nil {
		recorded := p.calls.message(answer)
		turn.Recorded, turn.Truth = &recorded, truth(answer)
	}
	return turn, nil
}

// limit gives the row's limit of output tokens in the reference's order; 0 where none is said.
func (p *planner) limit(row *dataset.Row) (uint32, error) {
	for _, v := range [...]rawjson.Value{
		either(row.MaxNewTokens, p.shared.MaxNewTokens),
		either(row.MaxCompletionTokens, p.shared.MaxCompletionTokens),
		row.MaxTokens,
	} {
		if n, ok := dataset.Limit(v); !ok {
			return 0, fmt.Errorf("turn %s: the limit of output tokens is %s", row.Turn, v)
		} else if n > 0 {
			return n, nil
		}
	}
	return 0, nil
}

func either(own, shared rawjson.Value) rawjson.Value {
	if own.Missing() {
		return shared
	}
	return own
}

// params gives the row's own sampling fields as an object, nil where it has none. Tools that differ from those of the
// first user row go with them.
func (p *planner) params(row *dataset.Row) []byte {
	var out []byte
	add := func(name string, v rawjson.Value) {
		if v.Missing() {
			return
		}
		if out == nil {
			out = []byte{'{'}
		} else {
			out = append(out, ',')
		}
		out = rawjson.AppendString(out, name)
		out = append(out, ':')
		out = rawjson.AppendCompact(out, v)
	}
	for i, v := range row.Params {
		add(dataset.ParamName(i), v)
	}
	if !row.Tools.Empty() && !bytes.Equal(rawjson.AppendCompact(nil, row.Tools), rawjson.AppendCompact(nil, p.shared.Tools)) {
		add("tools", row.Tools)
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}

func firstUser(rows []dataset.Row) *dataset.Row {
	for i := range rows {
		if role, _ := rows[i].Role.Text(); role == "user" {
			return &rows[i]
		}
	}
	return new(dataset.Row)
}

// systemText gives the first system string of the conversation that is not empty.
func systemText(rows []dataset.Row) rawjson.Value {
	for i := range rows {
		if v := rows[i].System; v.Kind() == rawjson.String && len(v) > len(`""`) {
			return v
		}
	}
	return nil
}

// truth is what judges learn of the recorded answer beside its message: its turn, and the intents of a workflow.
func truth(answer *dataset.Row) []byte {
	n, _ := answer.TurnNumber()
	out := append([]byte(nil), `{"turn":`...)
	out = strconv.AppendInt(out, n, 10)
	if !answer.IntentCodes.Missing() {
		out = append(out, `,"intent_codes":`...)
		out = rawjson.AppendCompact(out, answer.IntentCodes)
	}
	return append(out, '}')
}
