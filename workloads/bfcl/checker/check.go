package checker

import (
	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

// Question is what an answer is held against.
type Question struct {
	Category  *category.Category
	Functions []python.Value // the descriptions as they stand in the question, not as they were sent
	Answers   []python.Value // the stored ones, each an object of one function's name and its parameters
}

// Message judges an assistant message.
func (q *Question) Message(message rawjson.Value) Verdict {
	calls, fault := Decode(message)
	if fault.Code == TooLong {
		return fault
	}
	switch q.Category.Calls {
	case category.NoCall, category.SomeCall:
		return q.presence(fault.Valid() && wellFormed(calls) && len(calls) > 0)
	}
	if !fault.Valid() {
		return fault
	}
	return q.Check(calls)
}

// presence judges where only counts whether there is a call at all. A call whose arguments are no object is none, as in the
// official checker.
func (q *Question) presence(called bool) Verdict {
	switch {
	case q.Category.Calls == category.NoCall && called:
		return fail(CalledWhereNot, "a function is called, and none fits the question")
	case q.Category.Calls == category.SomeCall && !called:
		return fail(NotCalled, "no function is called")
	}
	return Verdict{}
}

// Check judges calls against the stored answers.
func (q *Question) Check(calls []Call) Verdict {
	if !wellFormed(calls) {
		return fail(WrongFormat, "the arguments of a call are no object")
	}
	switch q.Category.Calls {
	case category.Several:
		return q.anyOrder(calls)
	case category.Chosen:
		if len(calls) != len(q.Answers) {
			return fail(MultipleCount, "%d calls, and %d are asked for", len(calls), len(q.Answers))
		}
		if len(calls) == 0 {
			return fail(Unjudgeable, "the question has no stored answer")
		}
		return q.one(calls[0], q.Answers[0], q.function(q.Answers[0]))
	}
	if len(calls) != 1 {
		return fail(SimpleCount, "%d calls, and one is asked for", len(calls))
	}
	if len(q.Functions) == 0 || len(q.Answers) == 0 {
		return fail(Unjudgeable, "the question has no function or no stored answer")
	}
	return q.one(calls[0], q.Answers[0], q.Functions[0])
}

// function finds the description of the function that a stored answer names.
func (q *Question) function(answer python.Value) python.Value {
	if len(answer.Keys()) > 0 {
		for _, f := range q.Functions {
			if f.Get("name").Text == answer.Keys()[0] {
				return f
			}
		}
	}
	return python.Value{}
}

// anyOrder gives each stored answer the first call that fits it and is not given away.
func (q *Question) anyOrder(calls []Call) Verdict {
	if len(calls) != len(q.Answers) {
		return fail(ParallelCount, "%d calls, and %d are asked for", len(calls), len(q.Answers))
	}
	given := make([]bool, len(calls))
	for i, answer := range q.Answers {
		function, found := q.function(answer), false
		for j := range calls {
			if given[j] {
				continue
			}
			fault := q.one(calls[j], answer, function)
			if fault.Code == Unjudgeable {
				return fault
			}
			if fault.Valid() {
				given[j], found = true, true
				break
			}
		}
		if !found {
			return fail(ParallelNoMatch, "no call that is left fits stored answer %d", i)
		}
	}
	return Verdict{}
}
