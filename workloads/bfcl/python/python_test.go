package python

import (
	"strings"
	"testing"
)

func parse(t *testing.T, text string) Value {
	t.Helper()
	v, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestEqual(t *testing.T) {
	for _, group := range [][]string{ // equal within a group, different from all others
		{`1`, `1.0`, `true`, `10e-1`, `0.1e1`},
		{`0`, `-0`, `-0.0`, `false`},
		{`"1"`, `"\u0031"`},
		{`[1,"a",{}]`, ` [ true , "a" , { } ] `},
		{`[1,{},"a"]`},
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`, `{"b":0,"a":true,"b":[2]}`},
		{`{"a":1}`}, {`{"a":1,"c":[2]}`},
		{`null`}, {`""`}, {`[]`}, {`{}`},
		{`100000000000000000000`, `1e20`}, {`100000000000000000001`},
		{`9007199254740993`}, {`9007199254740992`, `9007199254740993.0`},
		{`Infinity`, `1e400`}, {`-Infinity`},
		{`"\ud83d\ude00"`, `"😀"`}, {`"\ud83d"`}, {`"\ude00"`},
	} {
		for _, a := range group {
			for _, b := range group {
				if !Equal(parse(t, a), parse(t, b)) {
					t.Errorf("%s is not %s", a, b)
				}
			}
			for _, other := range []string{`2`, `"x"`, `[1]`, `NaN`} {
				if Equal(parse(t, a), parse(t, other)) || Equal(parse(t, other), parse(t, a)) {
					t.Errorf("%s is %s", a, other)
				}
			}
		}
	}
	if Equal(parse(t, `NaN`), parse(t, `NaN`)) || Equal(parse(t, `100000000000000000001`), parse(t, `1e20`)) ||
		Equal(parse(t, `"\ud83d"`), parse(t, `"\ude00"`)) {
		t.Error("different values are equal")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		``, ` `, `{`, `[1,]`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `01`, `+1`, `.5`, `1 2`, `'a'`, `"a`, "\"\x01\"", "\"\\n\x01\"", `"\x"`, `"\u12"`, `tru`,
		"\ufeff1", `-`, `nan`, strings.Repeat("[", 2000), strings.Repeat("9", MaxDigits+1),
	} {
		if v, err := Parse(text); err == nil {
			t.Errorf("%.20q is read as %s", text, v.Dumps())
		}
	}
	if v := parse(t, `1.`+"5"); v.Kind != Float {
		t.Errorf("1.5 is %s", v.Kind)
	}
}

func TestNumbersInTexts(t *testing.T) {
	for text, want := range map[string]string{
		" 7\n": "7", "+07": "7", "1_000": "1000", "-0": "0", "٣": "3", "\u00a05": "5",
		"": "", "1__0": "", "_1": "", "1_": "", "--1": "", "0x1": "", "1.0": "", "- 1": "",
	} {
		if v, err := ReadInt(text); v.Text != want || (err == nil) != (want != "") {
			t.Errorf("int(%q) is %q, %v", text, v.Text, err)
		}
	}
	for text, want := range map[string]string{
		"5.": "5.0", ".5": "0.5", "1e3": "1000.0", "-1_0.5": "-10.5", " inf ": "Infinity", "-Infinity": "-Infinity", "1e999": "Infinity",
		"": "", "e5": "", "0x1p2": "", "1e": "", "1._5": "", "infin": "", "1_e5": "",
	} {
		v, err := ReadFloat(text)
		if err != nil {
			if want != "" {
				t.Errorf("float(%q): %v", text, err)
			}
			continue
		}
		if !Equal(v, parse(t, or(want, "null"))) {
			t.Errorf("float(%q) is %v", text, v.Float())
		}
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func TestLower(t *testing.T) {
	for text, want := range map[string]string{
		"ABC": "abc", "İ": "i\u0307", "ΑΣ": "ας", "ΑΣΑ": "ασα", "Σ": "σ", "Α'Σ.": "α'ς.", "ΑΣ1": "ας1", "É": "é", "ẞ": "ß",
	} {
		if got := Lower(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	v := parse(t, `{"b":[1,2.50,1e22,0.00001,-0],"a":"é\n\"😀\u007f","c":{},"d":null,"e":true}`)
	if got, want := v.Dumps(), `{"b": [1, 2.5, 1e+22, 1e-05, 0], "a": "\u00e9\n\"\ud83d\ude00`+"\x7f"+`", "c": {}, "d": null, "e": true}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := string(v.Append(nil)), `{"b":[1,2.5,1e+22,1e-05,0],"a":"é\n\"😀`+"\x7f"+`","c":{},"d":null,"e":true}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := parse(t, "[NaN,1e999,-1e999]").Dumps(); got != "[NaN, Infinity, -Infinity]" {
		t.Error(got)
	}
	c := v.Clone()
	c.Set("a", Text("x"))
	c.Set("z", Truth(false))
	c.Delete("b")
	if got := string(c.Append(nil)); got != `{"a":"x","c":{},"d":null,"e":true,"z":false}` || v.Get("a").Text == "x" || v.Has("z") || !v.Has("b") {
		t.Errorf("the copy is %s, the original %s", got, v.Dumps())
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"a":[1,-2.5e3,"x\ud800",NaN,{"b":null}],"a":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(v.Dumps())
		if err != nil {
			t.Fatalf("%s is written as %s: %v", text, v.Dumps(), err)
		}
		if again.Kind != v.Kind {
			t.Fatalf("%s becomes %s", v.Kind, again.Kind)
		}
	})
}
