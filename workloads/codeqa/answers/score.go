package answers

import (
	"slices"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/codeqa/reply"
	"paceline/workloads/codeqa/task"
	"paceline/workloads/rawjson"
)

// solvedMicro is the score of a solved task.
const solvedMicro = 1_000_000

// endings are the causes and outcomes by which the run's end, not the target, broke a conversation off.
var endings = []string{"run_ended", "runner_died", "cancelled", "unfinished"}

// scoreConversation scores the samples of one conversation, in the order of their turns, and notes it in the account.
func scoreConversation(a *account, samples []sdk.Sample) sdk.ItemScore {
	first, last := &samples[0], &samples[len(samples)-1]
	item := sdk.ItemScore{Trajectory: first.Trajectory, Repeat: first.Repeat}
	truth := trimmed(first.TrajectoryTruth)
	kind, _ := truth.Get("kind").Text()
	at := slices.Index(task.Kinds(), task.Kind(kind))
	end := trimmed(last.EndResult)
	outcome, _ := end.Get("outcome").Text()
	item.Group = kind
	switch {
	case first.Phase == "warmup":
		a.excluded++
		item.Reason = "warm-up"
		return item
	case at < 0:
		a.excluded++
		item.Reason = "no question of this plugin"
		return item
	case outcome == "" && slices.ContainsFunc(endings, func(e string) bool { return e == last.Outcome || e == last.Cause }):
		a.cut++
		item.Reason = "the run ended first"
		return item
	}
	a.counted++
	a.kinds[at].counted++
	a.steps += whole(end.Get("steps"))
	a.calls += whole(end.Get("calls"))
	a.failed += whole(end.Get("failed_calls"))
	a.repeated += whole(end.Get("repeated_calls"))
	item.Scored = true
	item.Reason = judge(a, outcome, truth, samples)
	if item.Reason == "" {
		a.solved++
		a.kinds[at].solved++
		item.Micro = solvedMicro
	}
	item.Detail = detail(end, outcome, truth)
	return item
}

// judge tells why a conversation did not solve its task; "" where it did.
func judge(a *account, outcome string, truth rawjson.Value, samples []sdk.Sample) string {
	last := &samples[len(samples)-1]
	switch outcome {
	case "answered":
	case "gave-up":
		a.gaveUp++
		return "no answer within the steps allowed"
	case "empty":
		a.empty++
		return "empty answers"
	default: // the agent was not asked, or was told that the target failed
		a.missing++
		return "failed: " + failure(samples)
	}
	if last.Answer == nil {
		a.missing++
		return "no answer was recorded"
	}
	text := reply.Read(last.Answer.Message).Text
	if len(text) > maxAnswer {
		return "the answer is longer than " + strconv.Itoa(maxAnswer) + " bytes"
	}
	var accepted []string
	truth.Get("answers").Each(func(_ int, v rawjson.Value) bool {
		s, _ := v.Text()
		accepted = append(accepted, s)
		return true
	})
	form, _ := truth.Get("form").Text()
	if !Holds(task.Form(form), accepted, Said(text)) {
		return "another answer"
	}
	return ""
}

// failure names the first outcome of a conversation that was not ok.
func failure(samples []sdk.Sample) string {
	for i := range samples {
		if o := samples[i].Outcome; o != "ok" {
			return o
		}
	}
	return "no end"
}

func detail(end rawjson.Value, outcome string, truth rawjson.Value) []byte {
	b := rawjson.AppendString([]byte(`{"outcome":`), outcome)
	for _, name := range []string{"steps", "calls", "failed_calls", "repeated_calls"} {
		b = rawjson.AppendString(append(b, ','), name)
		b = strconv.AppendUint(append(b, ':'), whole(end.Get(name)), 10)
	}
	b = rawjson.AppendCompact(append(b, `,"accepted":`...), truth.Get("answers"))
	return append(b, '}')
}

// trimmed cuts a JSON text to its value; nil where it is none.
func trimmed(text []byte) rawjson.Value {
	if len(text) == 0 || rawjson.Valid(text) != nil {
		return nil
	}
	return rawjson.Value(text[rawjson.Space(text, 0):])
}

func whole(v rawjson.Value) uint64 {
	n, err := strconv.ParseUint(string(v), 10, 32)
	if err != nil {
		return 0
	}
	return n
}
