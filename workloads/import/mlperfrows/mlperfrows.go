// Package mlperfrows reads the rows of MLPerf Endpoints' agentic data sets, one chat message a row, where the rows of a
// conversation may lie anywhere in the file. The strict reader of that data set is std/mlperf/agentic; this one turns such
// files into the normal form, and makes the same requests of a file that the strict one accepts.
package mlperfrows

import (
	"strconv"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/mlperf/domain"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "mlperf",
		Summary: "rows of MLPerf Endpoints' agentic data sets: {conversation_id, turn, role, content, ...}, one message a line",
		Paths:   []string{""},
		Losses: []frame.Loss{
			{Code: "model", Text: "client rows that name a model: the run names it"},
			{Code: "stream", Text: "client rows that ask for a stream or against it: the run decides"},
			{Code: "metadata", Text: "metadata rows"},
		},
		ByTime: true, Numbers: true, Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("conversation_id") != nil && r.Value.Get("turn") != nil && r.Value.Get("role") != nil
}

func parse(r *frame.Record) (dataset.Row, error) {
	row, fault := dataset.ParseRow(r.Value)
	if fault != nil {
		return row, r.Fault("", "broken-json", "one JSON object", "%s", fault.Reason)
	}
	return row, nil
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	row, err := parse(r)
	if err != nil {
		return err
	}
	if row.Metadata {
		s.Lose("metadata", 1)
		return nil
	}
	id, ok := row.ID()
	if !ok {
		return r.Fault("/conversation_id", "conversation-id", "a text or a whole number", "the row has no conversation_id")
	}
	n, ok := row.TurnNumber()
	if !ok || n < 0 {
		return r.Fault("/turn", "turn", "a whole number from 1", "the turn is %s", frame.Clip(row.Turn))
	}
	if row.IsClient() {
		if !row.Model.Missing() {
			s.Lose("model", 1)
		}
		if !row.Stream.Missing() {
			s.Lose("stream", 1)
		}
	}
	s.Part(id, n) // the turn is what orders the rows
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	b := builder{}
	for i := range t.Records {
		if err := b.row(&t.Records[i]); err != nil {
			return nil, err
		}
	}
	if turn := b.list.Tail(); turn != nil {
		b.shape(turn)
	}
	out := &sdk.Trajectory{Domain: domain.Of(t.Key), Turns: b.list.Turns()}
	if b.tools != nil {
		out.Defaults = &sdk.Defaults{Tools: b.tools}
	}
	return out, nil
}

type builder struct {
	list   history.Linear
	tools  []byte
	system bool
	shared dataset.Row // the first user row: its limits hold where later rows have none
	user   bool
	next   *sdk.Turn // what the first client row of the next request says of it; nil: none came yet
}

func (b *builder) row(r *frame.Record) error {
	row, err := parse(r)
	if err != nil {
		return err
	}
	if text, _ := row.System.Text(); text != "" && !b.system {
		b.list.Client(history.Text("system", text), "user", frame.NoTime)
		b.system = true
	}
	m, role, err := history.Chat(r, "", r.Value)
	if err != nil {
		return err
	}
	switch role {
	case "assistant":
		turn := b.list.Answer(m, frame.NoTime)
		turn.Truth = truth(&row)
		b.shape(turn)
	case "tool":
		row.ToolResults.Each(func(_ int, result rawjson.Value) bool {
			id, _ := result.Get("tool_call_id").Text()
			text, _ := history.Content(result.Get("content"))
			b.list.Client(history.Result(id, text), role, frame.NoTime)
			return true
		})
		return b.client(r, &row)
	case "user", "system":
		b.list.Client(m, role, frame.NoTime)
		if role == "user" && !b.user {
			b.user, b.shared = true, row
			if !row.Tools.Empty() {
				b.tools = rawjson.AppendCompact(nil, row.Tools)
			}
		}
		return b.client(r, &row)
	default:
		return r.Fault("/role", "role", "user, assistant or tool", "the role is %s", frame.Clip(row.Role))
	}
	return nil
}

// client keeps what one request takes from its row.
func (b *builder) client(r *frame.Record, row *dataset.Row) error {
	delay, ok := row.DelayNS()
	if !ok {
		return r.Fault("/delay_seconds", "delay", "seconds from 0", "the delay is too long")
	}
	limit := uint32(0)
	for _, v := range [...]rawjson.Value{row.MaxNewTokens, b.shared.MaxNewTokens, row.MaxCompletionTokens, b.shared.MaxCompletionTokens, row.MaxTokens} {
		n, ok := dataset.Limit(v)
		if !ok {
			return r.Fault("", "limit", "a whole number of tokens", "the limit of output tokens is %s", frame.Clip(v))
		}
		if n > 0 && limit == 0 {
			limit = n
		}
	}
	var params []byte
	for i, v := range row.Params {
		params = history.WithMember(params, dataset.ParamName(i), v)
	}
	if tools := rawjson.AppendCompact(nil, row.Tools); !row.Tools.Empty() && string(tools) != string(b.tools) {
		params = history.WithMember(params, "tools", tools)
	}
	if b.next == nil { // several client rows make one request, which the first of them shapes
		b.next = &sdk.Turn{DelayNs: uint64(delay), Params: params, MaxTokens: limit}
	}
	return nil
}

// shape gives a turn what its client row said.
func (b *builder) shape(turn *sdk.Turn) {
	if b.next != nil {
		turn.DelayNs, turn.Params, turn.MaxTokens = b.next.DelayNs, b.next.Params, b.next.MaxTokens
	}
	b.next = nil
}

// truth is what std/mlperf/inline wants to know of an answer beside its message.
func truth(answer *dataset.Row) []byte {
	n, _ := answer.TurnNumber()
	return history.WithMember(history.WithMember(nil, "turn", strconv.AppendInt(nil, n, 10)), "intent_codes", answer.IntentCodes)
}
