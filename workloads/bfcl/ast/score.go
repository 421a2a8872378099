package ast

import (
	"strings"
	"unicode/utf8"

	"paceline/sdk"
	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/checker"
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

// Outcomes and causes of samples that this scorer tells apart.
const (
	outcomeOK       = "ok"
	outcomeNotSent  = "not_sent"
	causeRunEnded   = "run_ended"
	causeRunnerDied = "runner_died"
	phaseWarmup     = "warmup"
)

// scoreSample scores one answer and notes it in the account.
func scoreSample(a *account, s *sdk.Sample) sdk.ItemScore {
	turn := s.Turn
	item := sdk.ItemScore{Trajectory: s.Trajectory, Repeat: s.Repeat, Turn: &turn}
	if s.Phase == phaseWarmup {
		item.Reason = "warm-up"
		return item
	}
	if s.Outcome == outcomeNotSent && (s.Cause == causeRunEnded || s.Cause == causeRunnerDied) {
		a.notIssued++
		item.Reason = "not issued: " + s.Cause
		return item
	}
	q, at := readTruth(s.Truth)
	if q == nil {
		a.excluded++
		item.Reason = checker.NoTruth
		return item
	}
	item.Group, item.Scored = q.Category.Name, true
	t := &a.of[at]
	t.scored++
	if s.Outcome != outcomeOK || s.Answer == nil {
		t.missing++
		item.Reason = "no answer: " + s.Outcome
		return item
	}
	verdict := q.Message(trim(s.Answer.Message))
	if verdict.Valid() {
		t.right++
		item.Micro = 1_000_000
		return item
	}
	if verdict.Code == checker.Unjudgeable {
		a.unjudgeable++
	}
	item.Reason, item.Detail = verdict.Code, detail(verdict)
	return item
}

// readTruth takes apart what the workload put there; nil where it is something else.
func readTruth(text []byte) (*checker.Question, int) {
	v := trim(text)
	name, _ := v.Get("category").Text()
	at := category.Index(name)
	if at < 0 {
		return nil, 0
	}
	q := &checker.Question{Category: &category.All[at]}
	if q.Category.Judged() {
		q.Functions, q.Answers = list(v.Get("function")), list(v.Get("ground_truth"))
		if q.Functions == nil || q.Answers == nil {
			return nil, 0
		}
	}
	return q, at
}

func list(v rawjson.Value) []python.Value {
	parsed, err := python.Parse(string(v))
	if err != nil {
		return nil
	}
	return parsed.Items()
}

// trim cuts white space off both ends of a JSON text; nil where it is none.
func trim(text []byte) rawjson.Value {
	start := rawjson.Space(text, 0)
	end, err := rawjson.Skip(text, start)
	if err != nil || rawjson.Space(text, end) != len(text) {
		return nil
	}
	return text[start:end]
}

// maxMessage bounds what an item says in words, which may hold what a model wrote.
const maxMessage = 300

func detail(v checker.Verdict) []byte {
	message := strings.ToValidUTF8(v.Message, "\uFFFD")
	if len(message) > maxMessage {
		end := maxMessage
		for !utf8.RuneStart(message[end]) {
			end--
		}
		message = message[:end] + "..."
	}
	out := append([]byte(nil), `{"error_type":`...)
	out = rawjson.AppendString(out, v.Code)
	out = append(out, `,"message":`...)
	return append(rawjson.AppendString(out, message), '}')
}
