package checker

import (
	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/literal"
	"paceline/workloads/bfcl/python"
)

// pythonKinds gives the type in Python of a type in BFCL's function descriptions.
var pythonKinds = map[string]python.Kind{
	"string": python.Str, "integer": python.Int, "float": python.Float, "boolean": python.Bool, "array": python.List,
	"tuple": python.List, "dict": python.Dict, "any": python.Str,
}

// KnownType reports whether functions of that language may have parameters of that type, and whether such a parameter must
// tell the type of its elements.
func KnownType(language category.Language, kind string) (known, nested bool) {
	switch language {
	case category.Java:
		_, known = literal.JavaKinds[kind]
		return known, kind == "Array" || kind == "ArrayList"
	case category.JavaScript:
		_, known = literal.JavaScriptKinds[kind]
		return known, kind == "array"
	}
	_, known = pythonKinds[kind]
	return known, kind == "array" || kind == "tuple"
}

// parameter is what a function's description says of one parameter.
type parameter struct {
	name string
	kind string // as it is written there
	want python.Kind
	// Of the elements of a list; Absent where none is told.
	inner     string
	wantInner python.Kind
}

func kindOf(language category.Language, kind string) python.Kind {
	switch language {
	case category.Java:
		return literal.JavaKinds[kind]
	case category.JavaScript:
		return literal.JavaScriptKinds[kind]
	}
	return pythonKinds[kind]
}

func describe(language category.Language, name string, details python.Value) (parameter, bool) {
	p := parameter{name: name, kind: details.Get("type").Text}
	known, nested := KnownType(language, p.kind)
	if !known {
		return p, false
	}
	p.want = kindOf(language, p.kind)
	if nested {
		p.inner = details.Get("items").Get("type").Text
		if known, _ := KnownType(language, p.inner); !known {
			return p, false
		}
		p.wantInner = kindOf(language, p.inner)
	}
	return p, true
}

// read turns what a model gave into the value to compare.
func (p *parameter) read(language category.Language, v python.Value) (python.Value, Verdict) {
	if language == category.Python {
		if p.kind == "float" && v.Kind == python.Int {
			f, ok := python.ToFloat(v)
			if !ok {
				return v, fail(Unjudgeable, "parameter %q: an int beyond every float", p.name)
			}
			return f, Verdict{}
		}
		return v, Verdict{}
	}
	code, readAs := TypeJava, literal.Java
	if language == category.JavaScript {
		code, readAs = TypeJavaScript, literal.JavaScript
	}
	if v.Kind != python.Str {
		return v, fail(code, "parameter %q: source as a text is asked for, and it is %s", p.name, v.Kind)
	}
	out, err := readAs(v.Text, p.kind, p.inner)
	if err != nil {
		return v, fail(Unjudgeable, "parameter %q: %v", p.name, err)
	}
	return out, Verdict{}
}

// storedKind is the type of the first stored answer that is more than a mark of leaving out.
func storedKind(answers []python.Value) python.Kind {
	for i := range answers {
		if !answers[i].IsEmptyText() {
			return answers[i].Kind
		}
	}
	return python.Absent
}

// checkType holds a value's type against the description. variable tells that the answer stands for a value of another type,
// as the name of a variable does.
func checkType(v python.Value, answers []python.Value, want, inner python.Kind) (variable bool, fault Verdict) {
	stored := storedKind(answers)
	if v.Kind == want {
		variable = stored != python.Absent && stored != want
		if inner == python.Absent || someTypesFit(v.Items(), answers, inner) {
			return variable, Verdict{}
		}
		if v.Kind == stored {
			return true, fail(TypeNested, "no stored answer has elements of these types; elements of type %s are asked for", inner)
		}
		return false, fail(TypeSimple, "no stored answer has elements of these types; elements of type %s are asked for", inner)
	}
	if stored != python.Absent && v.Kind == stored {
		return true, Verdict{}
	}
	return false, fail(TypeSimple, "type %s is asked for, and it is %s", want, v.Kind)
}

// someTypesFit reports whether the elements have the types that one of the stored answers allows.
func someTypesFit(items, answers []python.Value, inner python.Kind) bool {
	for i := range answers {
		if answers[i].Kind != python.List || allTypesFit(items, answers[i].Items(), inner) {
			return true
		}
	}
	return false
}

func allTypesFit(items, answers []python.Value, inner python.Kind) bool {
	for _, item := range items {
		if _, fault := checkType(item, answers, inner, python.Absent); !fault.Valid() {
			return false
		}
	}
	return true
}
