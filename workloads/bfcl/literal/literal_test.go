package literal

import (
	"errors"
	"strings"
	"testing"
)

func TestJava(t *testing.T) {
	for _, c := range []struct{ source, kind, inner, want string }{
		{"12", "integer", "", "12"},
		{"-7\n", "short", "", "-7"},
		{"1.0", "integer", "", `"1.0"`},
		{"5L", "long", "", "5"},
		{"5", "long", "", `"5"`},
		{"5.5f", "float", "", "5.5"},
		{"5.5", "float", "", `"5.5"`},
		{"3e-3F", "float", "", "0.003"},
		{"2.50", "double", "", "2.5"},
		{"1_0", "double", "", `"1_0"`},
		{"true", "boolean", "", "true"},
		{"True", "boolean", "", `"True"`},
		{"'a'", "char", "", `"'a'"`},
		{`"a"`, "String", "", `"\"a\""`},
		{"new int[]{1, 2}", "Array", "integer", "[1, 2]"},
		{"x = new int [ ] {1}", "Array", "integer", `"x = new int [ ] {1}"`},
		{"new  long[] {1L, 2, }", "Array", "long", `[1, "2"]`},
		{"new ArrayList<>(Arrays.asList(\"a\", 'b'))", "ArrayList", "String", `["a", "b"]`},
		{"new ArrayList<Integer>() {{ add(1); add( 2 ); }}", "ArrayList", "integer", "[1, 2]"},
		{"new ArrayList<String>() {{\n  add(\"x\");\n}}", "ArrayList", "String", `["x"]`},
		{"List.of(1)", "ArrayList", "integer", `"List.of(1)"`},
		{"new ArrayList<>()", "ArrayList", "any", "[]"},
		{"new ArrayList<>(Arrays.asList(1, 1.5, true, \"x\", y))", "ArrayList", "", `[1, 1.5, true, "x", "y"]`},
		{`new HashMap<String, Object>() {{ put("a", 1); put("b", "x"); put("a", 2L); }}`, "HashMap", "", `{"a": 2, "b": "x"}`},
		{"new HashMap<>() {{}}", "HashMap", "", "{}"},
		{"new HashMap<>()", "HashMap", "", "{}"},
		{"new HashMap<>().put(1)", "HashMap", "", "{}"},
		{"Map.of()", "HashMap", "", `"Map.of()"`},
	} {
		v, err := Java(c.source, c.kind, c.inner)
		if err != nil || v.Dumps() != c.want {
			t.Errorf("%s %q is %s, %v, want %s", c.kind, c.source, v.Dumps(), err, c.want)
		}
	}
	for _, kind := range []string{"Set", "Queue", "Stack", "Hashtable", "Object"} {
		if _, err := Java("x", kind, ""); !errors.Is(err, ErrUnread) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestJavaScript(t *testing.T) {
	for _, c := range []struct{ source, kind, inner, want string }{
		{"'a'", "String", "", `"a"`},
		{`"`, "String", "", `""`},
		{"a", "String", "", `"a"`},
		{"12", "integer", "", "12"},
		{"1.5", "float", "", "1.5"},
		{"1e5", "float", "", `"1e5"`},
		{"12n", "Bigint", "", "12"},
		{"12", "Bigint", "", `"12"`},
		{"true", "Boolean", "", "true"},
		{"x", "any", "", `"x"`},
		{"[1, 'two', true]", "array", "", `[1, "two", true]`},
		{" new  Array(1, 2)", "array", "integer", "[1, 2]"},
		{"[]", "array", "String", "[]"},
		{"['a', \"b\", c]", "array", "String", `["a", "b", "c"]`},
		{"['a,b']", "array", "String", `["'a", "b'"]`},
		{"[ [1, 2], [3] ]", "array", "array", "[[1, 2], [3]]"},
		{"new Array([1], [ 2 ])", "array", "array", "[[1], [2]]"},
		{"[[1, 2], 3]", "array", "", `["[1", 2]`},
		{"[1\n, 2]", "array", "", `"[1\n, 2]"`},
		{"x[1]", "array", "", `"x[1]"`},
		{"{}", "dict", "", "{}"},
		{"{a: 1, 'b': \"x\", c: [1, 2], d: true}", "dict", "", `{"a": 1, "b": "x", "c": [1, 2], "d": true}`},
		{"{a: f(1, 2), b: 3}", "dict", "", `{"a": "f(1, 2)", "b": 3}`},
		{"{a: {b: 1}, c: 2}", "dict", "", `{"a": "{b: 1"}`},
		{"{: 1}", "dict", "", "{}"},
		{"{a: 1,  : 2}", "dict", "", `{"a": 1, "": 2}`},
		{"{a 1}", "dict", "", "{}"},
		{"a: 1", "dict", "", `"a: 1"`},
	} {
		v, err := JavaScript(c.source, c.kind, c.inner)
		if err != nil || v.Dumps() != c.want {
			t.Errorf("%s %q is %s, %v, want %s", c.kind, c.source, v.Dumps(), err, c.want)
		}
	}
	if _, err := JavaScript("12n\n", "Bigint", ""); !errors.Is(err, ErrUnread) {
		t.Errorf("a bigint before a newline: %v", err)
	}
}

// TestHostile reads what a backtracking matcher would never come to an end with.
func TestHostile(t *testing.T) {
	const n = 20_000
	for _, source := range []string{
		strings.Repeat("[", n), "[[" + strings.Repeat("[],", n), strings.Repeat("[[1],", n) + strings.Repeat("]", n), "{" + strings.Repeat("a:", n) + "}",
		"{" + strings.Repeat(" ", n) + "}", "{a:" + strings.Repeat(", ", n) + "}", "{" + strings.Repeat("a:1,", n) + "}", strings.Repeat("new ", n),
		strings.Repeat("new HashMap<", n), "new HashMap<>() {" + strings.Repeat(" { ", n), strings.Repeat("new ArrayList<>() {{", n),
		"new HashMap<>() {{ " + strings.Repeat(`put("a",`, n) + "}}", "new ArrayList<>() {{ " + strings.Repeat("add(", n) + "}}",
		"new ArrayList<>(Arrays.asList(" + strings.Repeat(")", n), "new int[]{" + strings.Repeat(",", n), "[" + strings.Repeat("[ ", n) + strings.Repeat("] ,", n),
	} {
		for kind := range JavaKinds {
			if v, err := Java(source, kind, "String"); err == nil && v.Kind == 0 {
				t.Errorf("%s of %.20s: nothing", kind, source)
			}
		}
		for kind := range JavaScriptKinds {
			if v, err := JavaScript(source, kind, "String"); err == nil && v.Kind == 0 {
				t.Errorf("%s of %.20s: nothing", kind, source)
			}
		}
	}
}

func FuzzLiterals(f *testing.F) {
	f.Add("new ArrayList<String>(Arrays.asList(\"a\"))")
	f.Add("{a: [1, 2], b: 'c'}")
	f.Fuzz(func(_ *testing.T, source string) {
		for kind := range JavaKinds {
			_, _ = Java(source, kind, "any")
		}
		for kind := range JavaScriptKinds {
			_, _ = JavaScript(source, kind, "any")
		}
	})
}
