package checker

import (
	"strings"
	"testing"

	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/python"
	"paceline/workloads/rawjson"
)

func list(t *testing.T, text string) []python.Value {
	t.Helper()
	v, err := python.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.Items()
}

// described is the function of TestValues.
const described = `[{"name":"a.f","parameters":{"type":"dict","required":["s"],"properties":{
	"s":{"type":"string"},"i":{"type":"integer"},"f":{"type":"float"},"b":{"type":"boolean"},"any":{"type":"any"},
	"l":{"type":"array","items":{"type":"string"}},"n":{"type":"tuple","items":{"type":"integer"}},"d":{"type":"dict"},
	"ld":{"type":"array","items":{"type":"dict"}},"ll":{"type":"array","items":{"type":"array"}},"odd":{"type":"number"}}}}]`

func TestValues(t *testing.T) {
	for _, c := range []struct{ stored, given, code string }{
		{`{"s":["April 1, 2024"]}`, `{"s":"april 1 2024"}`, ""},
		{`{"s":["it's"]}`, `{"s":"IT\"S"}`, ""},
		{`{"s":["a"]}`, `{"s":"b"}`, ValueString},
		{`{"s":["a"]}`, `{"s":1}`, TypeSimple},
		{`{"s":["a"]}`, `{}`, MissingRequired},
		{`{"s":["a"]}`, `{"s":"a","t":1}`, UnexpectedParam},
		{`{"s":["a"]}`, `{"s":"a","i":1}`, UnexpectedParam}, // described, and not stored
		{`{"s":["a"],"i":[1]}`, `{"s":"a"}`, MissingOptional},
		{`{"s":["a"],"i":["",1]}`, `{"s":"a"}`, ""},
		{`{"s":["a"],"i":[1]}`, `{"s":"a","i":1}`, ""},
		{`{"s":["a"],"i":[1]}`, `{"s":"a","i":1.0}`, TypeSimple},
		{`{"s":["a"],"i":[1]}`, `{"s":"a","i":true}`, TypeSimple},
		{`{"s":["a"],"i":[1]}`, `{"s":"a","i":2}`, ValueOther},
		{`{"s":["a"],"i":["x"]}`, `{"s":"a","i":"x"}`, ""}, // the name of a variable
		{`{"s":["a"],"i":["x"]}`, `{"s":"a","i":"X"}`, ValueOther},
		{`{"s":["a"],"f":[2.0]}`, `{"s":"a","f":2}`, ""},
		{`{"s":["a"],"f":[2]}`, `{"s":"a","f":2}`, ""},
		{`{"s":["a"],"f":[2.5]}`, `{"s":"a","f":"2.5"}`, TypeSimple},
		{`{"s":["a"],"b":[true]}`, `{"s":"a","b":true}`, ""},
		{`{"s":["a"],"b":[true]}`, `{"s":"a","b":1}`, TypeSimple},
		{`{"s":["a"],"any":[5]}`, `{"s":"a","any":5}`, ""},
		{`{"s":["a"],"any":["5"]}`, `{"s":"a","any":5}`, TypeSimple},
		{`{"s":["a"],"l":[["New York","x"]]}`, `{"s":"a","l":["newyork","X"]}`, ""},
		{`{"s":["a"],"l":[["x","y"]]}`, `{"s":"a","l":["y","x"]}`, ValueList},
		{`{"s":["a"],"l":[["x"]]}`, `{"s":"a","l":[1]}`, TypeNested},
		{`{"s":["a"],"l":[["x"],""]}`, `{"s":"a","l":[]}`, ""}, // an empty list is as good as none
		{`{"s":["a"],"l":["x"]}`, `{"s":"a","l":["x"]}`, ValueOther},
		{`{"s":["a"],"n":[[1,2]]}`, `{"s":"a","n":[1,2]}`, ""},
		{`{"s":["a"],"ll":[[["a b"]]]}`, `{"s":"a","ll":[["a b"]]}`, ""},
		{`{"s":["a"],"ll":[[["a b"]]]}`, `{"s":"a","ll":[["A b"]]}`, ValueList}, // inner lists letter by letter
		{`{"s":["a"],"d":[{"k":["V",""],"n":[1]}]}`, `{"s":"a","d":{"k":"v.","n":1.0}}`, ""},
		{`{"s":["a"],"d":[{"k":["V",""],"n":[1]}]}`, `{"s":"a","d":{"n":1}}`, ""},
		{`{"s":["a"],"d":[{"k":["V"],"n":[1]}]}`, `{"s":"a","d":{"n":1}}`, ValueDictKey},
		{`{"s":["a"],"d":[{"n":[1]}]}`, `{"s":"a","d":{"n":1,"m":2}}`, ValueDictKey},
		{`{"s":["a"],"d":[{"n":[1]}]}`, `{"s":"a","d":{"n":2}}`, ValueDict},
		{`{"s":["a"],"d":[""]}`, `{"s":"a","d":{}}`, DictUnclear},
		{`{"s":["a"],"d":[{"n":1}]}`, `{"s":"a","d":{"n":1}}`, Unjudgeable},
		{`{"s":["a"],"d":[{"n":"1x"}]}`, `{"s":"a","d":{"n":"x"}}`, ""}, // the characters of a text are its values
		{`{"s":["a"],"ld":[[{"n":[1]},{"n":[2]}]]}`, `{"s":"a","ld":[{"n":1},{"n":2}]}`, ""},
		{`{"s":["a"],"ld":[[{"n":[1]},{"n":[2]}]]}`, `{"s":"a","ld":[{"n":2},{"n":1}]}`, ValueDict},
		{`{"s":["a"],"ld":[[{"n":[1]}]]}`, `{"s":"a","ld":[]}`, ValueDictCount},
		{`{"s":["a"],"ld":[]}`, `{"s":"a","ld":[]}`, TypeSimple},
		{`{"s":["a"],"odd":[1]}`, `{"s":"a","odd":1}`, Unjudgeable},
		{`{"s":["a"],"i":7}`, `{"s":"a"}`, Unjudgeable},
	} {
		q := &Question{Category: &category.All[category.Index("simple_python")],
			Functions: list(t, described), Answers: list(t, `[{"a.f":`+c.stored+`}]`)}
		got := q.Check([]Call{{Name: "a_f", Arguments: list(t, "["+c.given+"]")[0]}})
		if got.Code != c.code {
			t.Errorf("%s for %s: %+v, want %q", c.given, c.stored, got, c.code)
		}
	}
}

func call(name, arguments string) string {
	return `{"function":{"name":"` + name + `","arguments":` + string(rawjson.AppendString(nil, arguments)) + `}}`
}

func message(calls string) rawjson.Value { return rawjson.Value(`{"tool_calls":[` + calls + `]}`) }

func TestCalls(t *testing.T) {
	functions := `[{"name":"f","parameters":{"properties":{"i":{"type":"integer"}},"required":[]}},
		{"name":"g.h","parameters":{"properties":{"i":{"type":"integer"}},"required":[]}}]`
	one, two := call("f", `{"i":1}`), call("g_h", `{"i":2}`)
	for _, c := range []struct {
		category, stored string
		message          rawjson.Value
		code             string
	}{
		{"simple_python", `[{"f":{"i":[1]}}]`, message(one), ""},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(two), WrongName},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(one + "," + one), SimpleCount},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(""), SimpleCount},
		{"simple_python", `[{"f":{"i":[1]}}]`, rawjson.Value(`{"content":""}`), SimpleCount},
		{"simple_python", `[{"f":{"i":[1]}}]`, rawjson.Value(`{"content":"f(i=1)"}`), DecoderFailed},
		{"simple_python", `[{"f":{"i":[1]}}]`, rawjson.Value(`{"content":null,"tool_calls":null}`), DecoderFailed},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(call("f", "{")), DecoderFailed},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(call("f", "")), DecoderFailed},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(call("f", "[]")), WrongFormat},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(`{"function":{"name":"f","arguments":{"i":1}}}`), DecoderFailed},
		{"simple_python", `[{"f":{"i":[1]}}]`, message(`{}`), DecoderFailed},
		{"simple_python", `[]`, message(one), Unjudgeable},
		{"multiple", `[{"g.h":{"i":[2]}}]`, message(two), ""},
		{"multiple", `[{"g.h":{"i":[2]}}]`, message(two + "," + two), MultipleCount},
		{"multiple", `[{"k":{"i":[2]}}]`, message(two), Unjudgeable},
		{"parallel", `[{"f":{"i":[1]}},{"g.h":{"i":[2]}}]`, message(two + "," + one), ""},
		{"parallel", `[{"f":{"i":[1]}},{"g.h":{"i":[2]}}]`, message(one + "," + one), ParallelNoMatch},
		{"parallel", `[{"f":{"i":[1]}},{"g.h":{"i":[2]}}]`, message(one), ParallelCount},
		{"parallel", `[{"f":{"i":[1,2]}},{"f":{"i":[1]}}]`, message(one + "," + call("f", `{"i":2}`)), ParallelNoMatch}, // first come, first served
		{"irrelevance", ``, message(one), CalledWhereNot},
		{"irrelevance", ``, message(call("f", "5")), ""}, // no call, as the official checker sees it
		{"irrelevance", ``, message(call("f", "{")), ""},
		{"irrelevance", ``, rawjson.Value(`{"content":"no"}`), ""},
		{"irrelevance", ``, nil, ""},
		{"live_relevance", ``, message(two), ""},
		{"live_relevance", ``, message(""), NotCalled},
		{"live_relevance", ``, rawjson.Value(`{"content":"no"}`), NotCalled},
	} {
		q := &Question{Category: &category.All[category.Index(c.category)], Functions: list(t, functions)}
		if c.stored != "" {
			q.Answers = list(t, c.stored)
		}
		if got := q.Message(c.message); got.Code != c.code {
			t.Errorf("%s %s for %s: %+v, want %q", c.category, c.message, c.stored, got, c.code)
		}
	}
}

func TestLongArguments(t *testing.T) {
	q := &Question{Category: &category.All[category.Index("irrelevance")]}
	half := call("f", `{"x":"`+strings.Repeat("a", MaxArguments/2)+`"}`)
	if got := q.Message(message(half + "," + half)); got.Code != TooLong {
		t.Errorf("%+v", got)
	}
	if got := q.Message(message(half)); got.Code != CalledWhereNot {
		t.Errorf("%+v", got)
	}
}
