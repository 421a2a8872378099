package session

import (
	"context"
	"encoding/json"

	"paceline/core/chat"
	"paceline/core/judge"
	"paceline/core/sample"
)

// aroundMessage is what a chat template is taken to add to each message, in tokens.
const aroundMessage = 4

// sizer lets a counter say how many tokens texts have. It is asked about them as about answers, since a prompt of a piece of a
// conversation is none that every template takes.
type sizer struct{ counter judge.Counter }

// Sizes implements sched.Sizer.
func (s sizer) Sizes(ctx context.Context, workload string, lists [][]json.RawMessage) ([]int64, bool) {
	sizes := make([]int64, len(lists))
	var batch []judge.Item
	var places []int
	for i, list := range lists {
		messages := chat.Joined(list)
		if len(messages) == 0 {
			continue
		}
		sizes[i] = aroundMessage * int64(len(messages))
		batch, places = append(batch, spoken(workload, i, messages)), append(places, i)
	}
	counts, err := s.counter.Count(ctx, batch)
	if err != nil || len(counts) != len(batch) {
		return nil, false
	}
	for k, c := range counts {
		if c.Output == nil || *c.Output > 1<<32 {
			return nil, false
		}
		sizes[places[k]] += int64(*c.Output)
	}
	return sizes, true
}

// spoken is an answer that says what messages say.
func spoken(workload string, turn int, messages []json.RawMessage) judge.Item {
	text := []byte(`{"role":"assistant","content":"`)
	for _, m := range messages {
		text = append(text, chat.AnswerInside(m, chat.Keep)...)
		var calls struct {
			Calls json.RawMessage `json:"tool_calls"`
		}
		if json.Unmarshal(m, &calls) == nil && len(calls.Calls) > 0 {
			text = chat.AppendEscaped(text, string(calls.Calls))
		}
	}
	x := &sample.Sample{ID: sample.ID{Workload: workload, Trajectory: "sizes", Turn: uint32(turn)}}
	x.Outcome, x.Timing = sample.OK, sample.NoTiming()
	return judge.Item{Sample: x, Answer: &chat.Answer{Message: append(text, `"}`...), FinishReason: "stop"}}
}
