package agent

import (
	"fmt"

	"paceline/sdk"
	"paceline/workloads/codeqa/reply"
	"paceline/workloads/codeqa/tools"
	"paceline/workloads/rawjson"
)

// Outcomes of a conversation.
const (
	answered = "answered" // an answer without tool calls
	gaveUp   = "gave-up"  // the last step that the configuration allows still called tools
	empty    = "empty"    // two answers with neither text nor calls
	failed   = "failed"   // the target failed
)

// Bounds of one answer's calls.
const (
	maxCalls  = 8 // further calls of one answer are not carried out
	maxRepeat = 2 // a call that was made so often already is not carried out again
)

const (
	nudge    = "Your answer was empty. Use a tool, or give the final answer."
	lastCall = "\n[No further tool calls are possible: answer now.]"
)

// Next implements sdk.Live.
func (w *workload) Next(raw []byte, turn uint32, answer *sdk.Answer) (*sdk.NextResponse, error) {
	s, err := decodeState(raw)
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeInvalidArgument, "step after turn %d: %w", turn, err)
	}
	if w.byID[s.task] == nil {
		return nil, sdk.Errorf(sdk.CodeInvalidArgument, "step after turn %d: there is no task %q", turn, s.task)
	}
	s.steps++
	if answer.Outcome != "" && answer.Outcome != "ok" {
		return s.end(failed), nil
	}
	m := reply.Read(answer.Message)
	last := s.steps >= uint64(w.maxSteps)
	switch {
	case len(m.Calls) == 0 && m.Text != "":
		return s.end(answered), nil
	case len(m.Calls) == 0 && (s.nudged || last):
		return s.end(empty), nil
	case len(m.Calls) == 0:
		s.nudged = true
		return s.goOn(turn, "user", 0, message("user", nudge)), nil
	case last:
		return s.end(gaveUp), nil
	}
	results, delay := w.carryOut(s, m.Calls)
	return s.goOn(turn, "tool", delay, results...), nil
}

// carryOut answers the calls of one answer in their order. They run one after another, so their times add up.
func (w *workload) carryOut(s *state, calls []reply.Call) (results []sdk.Message, delay uint64) {
	for i, c := range calls {
		var r tools.Result
		before := s.again(c.Name, c.Arguments)
		switch {
		case i >= maxCalls:
			r = tools.Failure(fmt.Sprintf("more than %d calls in one answer; this one was not carried out", maxCalls))
		case before >= maxRepeat:
			r = tools.Failure(fmt.Sprintf("this very call was made %d times before; the files do not change", before))
		default:
			r = tools.Call(w.tree, c.Name, c.Arguments)
			delay += w.toolTime(s, i)
		}
		s.calls++
		if r.Failed {
			s.failed++
		}
		if before > 0 {
			s.repeated++
		}
		if i == len(calls)-1 && s.steps+1 >= uint64(w.maxSteps) {
			r.Text += lastCall
		}
		results = append(results, result(c.ID, r.Text))
	}
	return results, delay
}

// result makes the message of one call's result. The host pairs results and calls by position, and fills in an id that is
// missing here.
func result(id, text string) sdk.Message {
	b := []byte(`{"role":"tool"`)
	if id != "" {
		b = rawjson.AppendString(append(b, `,"tool_call_id":`...), id)
	}
	b = rawjson.AppendString(append(b, `,"content":`...), text)
	return sdk.Message{Json: append(b, '}')}
}

// toolTime draws how long a call takes, in ns: from half of the mean to one and a half times the mean.
func (w *workload) toolTime(s *state, call int) uint64 {
	if w.delay == 0 {
		return 0
	}
	h := newHash().add(w.seed, []byte(s.task), []byte{byte(s.steps), byte(call)})
	// FNV's low bits are the well mixed ones; the remainder's bias is below one in a million.
	return uint64(w.delay)/2 + uint64(h)%uint64(w.delay)
}

func (s *state) goOn(turn uint32, request string, delay uint64, messages ...sdk.Message) *sdk.NextResponse {
	return &sdk.NextResponse{State: s.encode(), Turns: []sdk.Turn{{
		Index: turn + 1, Append: messages, DelayNs: delay, Labels: []sdk.Label{{Key: "request", Value: request}},
	}}}
}

// end ends the conversation and tells the scorer how it went.
func (s *state) end(outcome string) *sdk.NextResponse {
	b := rawjson.AppendString([]byte(`{"task":`), s.task)
	b = rawjson.AppendString(append(b, `,"outcome":`...), outcome)
	b = fmt.Appendf(b, `,"steps":%d,"calls":%d,"failed_calls":%d,"repeated_calls":%d}`, s.steps, s.calls, s.failed, s.repeated)
	return &sdk.NextResponse{State: s.encode(), End: &sdk.End{Outcome: outcome, Result: b}}
}
