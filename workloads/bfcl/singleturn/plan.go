package singleturn

import (
	"fmt"

	"paceline/sdk"
	"paceline/workloads/bfcl/question"
	"paceline/workloads/rawjson"
)

// trajectory makes the one request of a question. The rows passed the check.
func trajectory(q *question.Question, hinted bool) (*sdk.Trajectory, error) {
	tools, err := question.Tools(q.FunctionValues(), q.Category.Language, hinted)
	if err != nil {
		return nil, fmt.Errorf("plan question %q: %w", q.ID, err)
	}
	turn := sdk.Turn{Final: true, Truth: truth(q)}
	for _, m := range q.Messages {
		turn.Append = append(turn.Append, sdk.Message{Json: rawjson.AppendCompact(nil, m)})
	}
	t := &sdk.Trajectory{
		Id: q.ID, Domain: q.Category.Name, Labels: []sdk.Label{{Key: "group", Value: string(q.Category.Group)}}, Turns: []sdk.Turn{turn}}
	if tools != nil {
		t.Defaults = &sdk.Defaults{Tools: tools}
	}
	return t, nil
}

// truth is what the scorer needs of the question: its category, the functions as they stand in the file, the stored answers.
func truth(q *question.Question) []byte {
	out := append([]byte(nil), `{"category":`...)
	out = rawjson.AppendString(out, q.Category.Name)
	if q.Category.Judged() {
		out = append(out, `,"function":`...)
		out = rawjson.AppendCompact(out, q.Functions)
		out = append(out, `,"ground_truth":`...)
		out = rawjson.AppendCompact(out, q.Answers)
	}
	return append(out, '}')
}
