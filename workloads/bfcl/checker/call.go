package checker

import (
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

// MaxArguments bounds the arguments of all calls of one answer in bytes. The longest stored answer has a few hundred.
const MaxArguments = 256 << 10

// Call is one function call of an answer.
type Call struct {
	Name      string // empty where none is told, which is no function's name
	Arguments python.Value
}

// Decode takes the calls out of an assistant message in the form of OpenAI's chat completions. An answer in words has none:
// the official decoder fails on it, as on arguments that are no JSON, and so does this.
func Decode(message rawjson.Value) ([]Call, Verdict) {
	list := message.Get("tool_calls")
	if list.Missing() || list.Kind() != rawjson.Array {
		if content, ok := message.Get("content").Text(); ok && content == "" {
			return nil, Verdict{} // the official decoder takes no text at all for no calls
		}
		return nil, fail(DecoderFailed, "the answer has no tool calls")
	}
	var calls []Call
	var fault Verdict
	size := 0
	list.Each(func(i int, raw rawjson.Value) bool {
		function := raw.Get("function")
		name, _ := function.Get("name").Text()
		text, ok := function.Get("arguments").Text()
		if size += len(text); size > MaxArguments {
			fault = fail(TooLong, "the arguments have more than %d bytes", MaxArguments)
			return false
		}
		arguments, err := python.Parse(text)
		if !ok || err != nil {
			fault = fail(DecoderFailed, "call %d: the arguments are no JSON: %v", i, err)
			return false
		}
		calls = append(calls, Call{Name: name, Arguments: arguments})
		return true
	})
	return calls, fault
}

// wellFormed reports that the arguments of every call are an object.
func wellFormed(calls []Call) bool {
	for i := range calls {
		if calls[i].Arguments.Kind != python.Dict {
			return false
		}
	}
	return true
}
