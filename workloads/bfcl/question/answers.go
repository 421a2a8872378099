package question

import (
	"strconv"

	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

// maxAnswers bounds the calls that one question asks for: the work for an answer grows with their square.
const maxAnswers = 64

// answer checks a row of the answers.
func (c *Checker) answer(r *rowCheck, v rawjson.Value) {
	at, known := c.index.byID[r.id]
	switch {
	case !known:
		r.add("/id", "question-missing", "a row with this id in the input "+QuestionsInput, "there is no such question")
		return
	case c.index.Entries[at].answer.Line != r.line:
		r.add("/id", "id-repeated", "each id once", "the id stands on line %d too", c.index.Entries[at].answer.Line)
		return
	}
	e := &c.index.Entries[at]
	group := &category.All[e.Category]
	if !group.Judged() {
		r.add("/ground_truth", "answer-unexpected", "no stored answer in the category "+group.Name, "nothing is held against it")
		return
	}
	raw := v.Get("ground_truth")
	n, most := count(raw), maxAnswers
	if group.Calls != category.Several {
		most = 1
	}
	if n < 1 || n > most {
		r.add("/ground_truth", "answer-calls", "a list of calls, at least 1 and at most "+strconv.Itoa(most), "there are %d", n)
		return
	}
	text, err := e.question.read(c.files.Questions)
	if err != nil {
		return // told with the questions
	}
	functions := values(text.Get("function"))
	for i, call := range values(raw) {
		r.call("/ground_truth/"+strconv.Itoa(i), call, functions, group.Calls == category.One)
	}
}

// call checks one stored call: an object of one function's name, with a list of values for each parameter.
func (r *rowCheck) call(at string, call python.Value, functions []python.Value, first bool) {
	if call.Kind != python.Dict || len(call.Keys()) != 1 || call.Items()[0].Kind != python.Dict {
		r.add(at, "answer-call", "an object with one function's name, and its parameters in an object", "the stored call is none")
		return
	}
	name := call.Keys()[0]
	at += "/" + escape(name)
	var function python.Value
	for i, f := range functions {
		if f.Get("name").Text == name || first && i == 0 {
			function = f
			break
		}
	}
	if function.Kind == python.Absent {
		r.add(at, "answer-function", "a function of the question", "the stored call is of %q", name)
		return
	}
	for i, key := range call.Items()[0].Keys() {
		if call.Items()[0].Items()[i].Kind != python.List {
			r.add(at+"/"+escape(key), "answer-values", "a list of the values that are right", "parameter %q has no list", key)
		}
	}
}
