package question

import (
	"errors"
	"fmt"
	"strconv"

	"paceline/sdk"
	"paceline/sdk/lines"
	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/checker"
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

// rowCheck gathers the faults of one row.
type rowCheck struct {
	line   uint64
	offset uint64
	id     string
	faults []sdk.Fault
}

func (r *rowCheck) add(pointer, code, expected, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if r.id != "" {
		message = fmt.Sprintf("question %q: ", r.id) + message
	}
	r.faults = append(r.faults, sdk.Fault{
		Line: r.line, Offset: r.offset, Pointer: pointer, Code: code, Message: message, Expected: expected})
}

// row checks the row that the scanner stands at.
func (c *Checker) row(scan *lines.Scanner) []sdk.Fault {
	r := &rowCheck{line: scan.Line(), offset: uint64(scan.Offset())}
	text := scan.Bytes()
	if err := rawjson.Valid(text); err != nil {
		r.offset += uint64(err.Offset)
		r.add("", "broken-json", "one JSON object per line; files without a newline at their end are joined by awk 1", "%v", err)
		return r.faults
	}
	v := rawjson.Value(text[rawjson.Space(text, 0):])
	if v.Kind() != rawjson.Object {
		r.add("", "not-an-object", "a JSON object", "the row is no object")
		return r.faults
	}
	id, _ := v.Get("id").Text()
	if id == "" {
		r.add("/id", "id", "a string", "the row has no id")
		return r.faults
	}
	r.id = id
	if c.at.answers {
		c.answer(r, v)
	} else {
		c.question(r, v)
	}
	return r.faults
}

// question checks a row of the questions.
func (c *Checker) question(r *rowCheck, v rawjson.Value) {
	at, known := c.index.byID[r.id]
	switch {
	case !known:
		r.add("/id", "category-unknown", "an id of a single-turn category of BFCL v4, as simple_python_0", "the id names no such category")
		return
	case c.index.Entries[at].question.Line != r.line:
		r.add("/id", "id-repeated", "each id once", "the id stands on line %d too", c.index.Entries[at].question.Line)
		return
	}
	e := &c.index.Entries[at]
	group := &category.All[e.Category]
	for i, b := range []byte(r.id) {
		if b < ' ' || b > '~' {
			r.add("/id", "id-characters", "printable ASCII", "byte %d of the id is another one", i)
			break
		}
	}
	r.messages(v.Get("question"))
	r.functions(v.Get("function"), group)
	if group.Judged() && e.answer.Length == 0 {
		r.add("", "answer-missing", "a row with this id in the input "+AnswersInput, "it has no stored answer")
	}
}

func (r *rowCheck) messages(question rawjson.Value) {
	turns := count(question)
	if turns != 1 {
		r.add("/question", "question-turns", "a list of one list of messages", "there are %d turns", turns)
		return
	}
	row := parseRow(append(append([]byte(`{"question":`), question...), '}'))
	if len(row.Messages) == 0 {
		r.add("/question/0", "question-empty", "one message at least", "there is no message")
	}
	for i, m := range row.Messages {
		at := "/question/0/" + strconv.Itoa(i)
		switch role, _ := m.Get("role").Text(); role {
		case "system", "user", "assistant":
		default:
			r.add(at+"/role", "message-role", "system, user or assistant", "message %d has another role", i)
		}
		if m.Get("content").Kind() != rawjson.String {
			r.add(at+"/content", "message-content", "a string", "message %d has no text", i)
		}
	}
}

// count is the number of elements of a list; -1 where it is none.
func count(v rawjson.Value) int {
	if v.Kind() != rawjson.Array {
		return -1
	}
	n := 0
	v.Each(func(int, rawjson.Value) bool { n++; return true })
	return n
}

// functions checks that the descriptions become tools, and that answers can be held against them.
func (r *rowCheck) functions(raw rawjson.Value, group *category.Category) {
	if raw.Kind() != rawjson.Array {
		r.add("/function", "function-list", "a list", "there is no list of functions")
		return
	}
	list := values(raw)
	if len(list) == 0 && group.Judged() {
		r.add("/function", "function-list", "one function at least", "there is no function to call")
	}
	if _, err := Tools(list, group.Language, true); err != nil {
		at, _ := errors.AsType[*misfit](err)
		r.add(at.pointer, "function-tool", at.want, "the function cannot become a tool")
		return
	}
	seen := map[string]bool{}
	for i, f := range list {
		at := "/function/" + strconv.Itoa(i)
		name := f.Get("name").Text
		if seen[checker.ToolName(name)] {
			r.add(at+"/name", "function-repeated", "each name once, with dots taken for underscores", "the function %q stands twice", name)
		}
		seen[checker.ToolName(name)] = true
		if group.Judged() {
			r.judgeable(at+"/parameters", f.Get("parameters"), group.Language)
		}
	}
}

// judgeable checks what the checker of answers wants of a function's parameters.
func (r *rowCheck) judgeable(at string, parameters python.Value, language category.Language) {
	required := parameters.Get("required")
	if required.Kind != python.List {
		r.add(at+"/required", "function-required", "a list of names", "there is no list of required parameters")
	}
	for i, name := range required.Items() {
		if name.Kind != python.Str {
			r.add(at+"/required/"+strconv.Itoa(i), "function-required", "a string", "a required parameter has no name")
		}
	}
	properties := parameters.Get("properties")
	for i, key := range properties.Keys() {
		here := at + "/properties/" + escape(key)
		kind := properties.Items()[i].Get("type").Text
		known, nested := checker.KnownType(language, kind)
		if !known {
			r.add(here+"/type", "parameter-type", "a type that BFCL's checker knows for the language", "parameter %q has the type %q", key, kind)
		} else if inner := properties.Items()[i].Get("items").Get("type").Text; nested {
			if known, _ := checker.KnownType(language, inner); !known {
				r.add(here+"/items/type", "parameter-type", "a type that BFCL's checker knows for the language",
					"the elements of parameter %q have the type %q", key, inner)
			}
		}
	}
}
