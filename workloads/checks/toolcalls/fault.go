package toolcalls

import (
	"strconv"
	"strings"

	"paceline/workloads/checks/schema"
	"paceline/workloads/rawjson"
)

// class is one kind of fault; its name is stable.
type class int

// Classes of faults of an answer. Those of package schema follow.
const (
	callObject class = iota
	callType
	callWithoutTools
	callNotAllowed
	callMissing
	callCutOff
	idMissing
	idRepeated
	nameMissing
	nameUnknown
	argumentsMissing
	argumentsNotString
	argumentsNotJSON
	argumentsNotObject
	argumentsRepeatedKey
	markupInContent
	finishNotToolCalls
	finishWithoutCalls
	schemaType // the first of package schema's
)

const classCount = int(schemaType) + 9

// classes are the names by class.
var classes = [classCount]string{
	"call-not-object", "call-type", "call-without-tools", "call-not-allowed", "call-missing", "call-cut-off",
	"id-missing", "id-repeated", "name-missing", "name-unknown",
	"arguments-missing", "arguments-not-string", "arguments-not-json", "arguments-not-object", "arguments-repeated-key",
	"markup-in-content", "finish-not-tool-calls", "finish-without-calls",
	schema.Type, schema.Choice, schema.Required, schema.Unexpected, schema.Size, schema.Range, schema.Pattern, schema.Unique,
	schema.Combination,
}

func classOf(name string) class {
	for i := int(schemaType); i < classCount; i++ {
		if classes[i] == name {
			return class(i)
		}
	}
	return schemaType
}

// fault is one thing wrong with an answer.
type fault struct {
	class   class
	call    int    // of the answer; -1: about the answer as a whole
	name    string // of the tool, as it was called
	pointer string // into the arguments
	message string
}

// detail is the finding's JSON.
func (f *fault) detail() []byte {
	out := []byte{'{'}
	member := func(key string) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, key), ':')
	}
	if f.call >= 0 {
		member("call")
		out = strconv.AppendInt(out, int64(f.call), 10)
	}
	if f.name != "" {
		member("name")
		out = rawjson.AppendString(out, clip(f.name))
	}
	if f.pointer != "" {
		member("pointer")
		out = rawjson.AppendString(out, clip(f.pointer))
	}
	return append(out, '}')
}

// clip shortens what a model said for a finding.
func clip(text string) string {
	const most = 100
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
