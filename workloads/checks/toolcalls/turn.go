package toolcalls

import (
	"fmt"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// turn is what one answered turn comes to.
type turn struct {
	offered  bool // tools
	calls    int
	badCalls int
	partly   int // calls whose schema uses keywords outside of the subset
	unknown  []string
	faults   []fault

	compared bool // a reference says whether a call was due
	due      bool
}

func (t *turn) fault(c class, call int, name, format string, args ...any) {
	t.faults = append(t.faults, fault{class: c, call: call, name: name, message: fmt.Sprintf(format, args...)})
}

// document gives checked JSON without white space in front; nil where there is none.
func document(text []byte) rawjson.Value {
	if len(text) == 0 || rawjson.Valid(text) != nil {
		return nil
	}
	return rawjson.Value(text[rawjson.Space(text, 0):])
}

// judgeTurn judges one answered turn.
func judgeTurn(s *sdk.Sample, offered *tools) turn {
	t := turn{offered: len(offered.list) > 0}
	message := document(s.Answer.Message)
	calls := message.Get("tool_calls")
	choice := document(s.Params).Get("tool_choice")
	cut := s.Answer.FinishReason == "length"
	last := -1
	calls.Each(func(int, rawjson.Value) bool { last++; return true })
	seen := map[string]bool{}
	calls.Each(func(i int, call rawjson.Value) bool {
		t.calls++
		before := len(t.faults)
		t.call(i, call, offered, cut && i == last, seen)
		if len(t.faults) > before {
			t.badCalls++
		}
		return true
	})
	t.choice(choice)
	if t.offered || t.calls > 0 {
		t.markup(message.Get("content"), offered)
		t.finish(s.Answer.FinishReason, choice)
	}
	t.reference(s)
	return t
}

func (t *turn) call(i int, call rawjson.Value, offered *tools, cut bool, seen map[string]bool) {
	function := call.Get("function")
	if call.Kind() != rawjson.Object || function.Kind() != rawjson.Object {
		t.fault(callObject, i, "", "call %d is no object with a function", i)
		return
	}
	name, _ := function.Get("name").Text()
	if kind, _ := call.Get("type").Text(); kind != "function" {
		t.fault(callType, i, name, "call %d has the type %s, not \"function\"", i, clip(shown(call.Get("type"))))
	}
	id, _ := call.Get("id").Text()
	switch {
	case id == "":
		t.fault(idMissing, i, name, "call %d has no id", i)
	case seen[id]:
		t.fault(idRepeated, i, name, "call %d has the id %q of an earlier one", i, clip(id))
	}
	seen[id] = true
	var known *tool
	switch known = offered.find(name); {
	case name == "":
		t.fault(nameMissing, i, "", "call %d names no function", i)
	case !t.offered: // choice tells it
	case known == nil:
		t.fault(nameUnknown, i, name, "call %d is of %q, which was not offered", i, clip(name))
	}
	t.arguments(i, name, function.Get("arguments"), known, cut)
}

func shown(v rawjson.Value) string {
	if v == nil {
		return "none"
	}
	return string(v)
}

func (t *turn) arguments(i int, name string, v rawjson.Value, known *tool, cut bool) {
	if v.Missing() {
		t.fault(argumentsMissing, i, name, "call %d has no arguments", i)
		return
	}
	text, ok := v.Text()
	if !ok {
		t.fault(argumentsNotString, i, name, "the arguments of call %d are no string", i)
		return
	}
	raw := []byte(text)
	if err := rawjson.Valid(raw); err != nil {
		if cut {
			t.fault(callCutOff, i, name, "the limit on tokens cut the arguments of call %d", i)
			return
		}
		t.fault(argumentsNotJSON, i, name, "the arguments of call %d are no JSON: %s at byte %d", i, err.Reason, err.Offset)
		return
	}
	arguments := document(raw)
	if arguments.Kind() != rawjson.Object {
		t.fault(argumentsNotObject, i, name, "the arguments of call %d are no object", i)
		return
	}
	keys := map[string]bool{}
	arguments.Fields(func(key []byte, _ rawjson.Value) {
		if keys[string(key)] {
			t.fault(argumentsRepeatedKey, i, name, "the arguments of call %d have %q twice", i, clip(string(key)))
		}
		keys[string(key)] = true
	})
	t.fit(i, name, arguments, known)
}

// fit holds arguments against the tool's schema.
func (t *turn) fit(i int, name string, arguments rawjson.Value, known *tool) {
	if known == nil || known.schema == nil {
		return
	}
	r := known.schema.Check(arguments)
	for _, f := range r.Faults {
		at := "the arguments"
		if f.Pointer != "" {
			at = clip(f.Pointer)
		}
		t.faults = append(t.faults, fault{class: classOf(f.Class), call: i, name: name, pointer: f.Pointer,
			message: fmt.Sprintf("call %d, %s: %s", i, at, f.Message)})
	}
	if len(r.Unknown) > 0 {
		t.partly++
		t.unknown = append(t.unknown, r.Unknown...)
	}
}

// choice holds the number of calls against what the request asked for.
func (t *turn) choice(choice rawjson.Value) {
	word, _ := choice.Text()
	switch {
	case t.calls > 0 && !t.offered:
		t.fault(callWithoutTools, -1, "", "the answer calls tools, and none were offered")
	case t.calls > 0 && word == "none":
		t.fault(callNotAllowed, -1, "", "the answer calls tools, and tool_choice is none")
	case t.calls == 0 && t.offered && (word == "required" || choice.Kind() == rawjson.Object && namesTool(choice)):
		t.fault(callMissing, -1, "", "tool_choice asks for a call, and the answer has none")
	}
}

// namesTool reports whether a tool_choice asks for one function.
func namesTool(choice rawjson.Value) bool { return choice.Get("function").Kind() == rawjson.Object }

// finish holds the finish reason against the calls. Length agrees with both: the answer was cut. A server that was told which
// function to call may say stop, as OpenAI's does.
func (t *turn) finish(reason string, choice rawjson.Value) {
	switch {
	case reason == "length" || reason == "content_filter":
	case t.calls > 0 && reason != "tool_calls" && (reason != "stop" || !namesTool(choice)):
		t.fault(finishNotToolCalls, -1, "", "the answer calls tools, and its finish reason is %q", clip(reason))
	case t.calls == 0 && reason == "tool_calls":
		t.fault(finishWithoutCalls, -1, "", "the finish reason is tool_calls, and the answer calls none")
	}
}

// reference finds out whether a call was due: what the turn's truth says, else what the recorded answer did.
func (t *turn) reference(s *sdk.Sample) {
	if !t.offered {
		return
	}
	if v := document(s.Truth).Get("tool_call_expected"); v.Kind() == rawjson.Bool {
		t.compared, t.due = true, v[0] == 't'
		return
	}
	if recorded := document(s.Recorded); recorded.Kind() == rawjson.Object {
		t.compared, t.due = true, !recorded.Get("tool_calls").Empty()
	}
}
