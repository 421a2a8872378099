package checker

import (
	"strings"

	"paceline/workloads/bfcl/python"
)

// ToolName is a function's name as it is sent: OpenAI's format has no dots.
func ToolName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// one holds one call against one stored answer.
func (q *Question) one(call Call, answer, function python.Value) Verdict {
	parameters := function.Get("parameters")
	properties, required := parameters.Get("properties"), parameters.Get("required")
	if len(answer.Items()) == 0 || properties.Kind != python.Dict || required.Kind != python.List {
		return fail(Unjudgeable, "the question does not describe the function of its stored answer")
	}
	stored := answer.Items()[0]
	if name := ToolName(function.Get("name").Text); call.Name != name {
		return fail(WrongName, "function %q is called, and %q is asked for", call.Name, name)
	}
	for _, name := range required.Items() {
		if !call.Arguments.Has(name.Text) {
			return fail(MissingRequired, "parameter %q is missing", name.Text)
		}
	}
	for i, name := range call.Arguments.Keys() {
		if !properties.Has(name) || !stored.Has(name) {
			return fail(UnexpectedParam, "parameter %q is unexpected", name)
		}
		fault := q.parameter(name, call.Arguments.Items()[i], properties.Get(name), stored.Get(name))
		if !fault.Valid() {
			return fault
		}
	}
	return leftOut(call, stored)
}

// leftOut checks the parameters that the call does not give.
func leftOut(call Call, stored python.Value) Verdict {
	for i, name := range stored.Keys() {
		if call.Arguments.Has(name) {
			continue
		}
		may, ok := optional(stored.Items()[i])
		if !ok {
			return fail(Unjudgeable, "parameter %q: the stored answers are no list", name)
		}
		if !may {
			return fail(MissingOptional, "parameter %q is missing, and may not be left out here", name)
		}
	}
	return Verdict{}
}

// parameter holds one argument against the stored answers for it.
func (q *Question) parameter(name string, given, details, stored python.Value) Verdict {
	p, ok := describe(q.Category.Language, name, details)
	if !ok || stored.Kind != python.List {
		return fail(Unjudgeable, "parameter %q: its description or its stored answers cannot be meant", name)
	}
	v, fault := p.read(q.Category.Language, given)
	if !fault.Valid() {
		return fault
	}
	variable, fault := checkType(v, stored.Items(), p.want, p.wantInner)
	if fault.Valid() {
		fault = p.value(v, stored.Items(), variable)
	}
	if !fault.Valid() {
		fault.Message = "parameter " + name + ": " + fault.Message
	}
	return fault
}

// value compares; the name of a variable is taken letter by letter.
func (p *parameter) value(v python.Value, answers []python.Value, variable bool) Verdict {
	switch {
	case variable:
	case p.want == python.Dict:
		return checkDict(v, answers)
	case p.want == python.List && p.wantInner == python.Dict:
		return checkDicts(v, answers)
	case p.want == python.Str:
		return checkString(v, answers)
	case p.want == python.List:
		return checkList(v, answers)
	}
	if !v.In(answers) {
		return fail(ValueOther, "none of the %d stored answers", len(answers))
	}
	return Verdict{}
}
