package lax

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestPlainScalars holds the words of YAML 1.1, found by asking the reader behind the official checker.
func TestPlainScalars(t *testing.T) {
	for text, want := range map[string]string{
		"no": "false", "No": "false", "NO": "false", "on": "true", "ON": "true", "true": "true", "off": "false", "yes": "true",
		"n": `"n"`, "y": `"y"`, "Y": `"Y"`, "oN": `"oN"`, "nO": `"nO"`,
		"~": "null", "null": "null", "Null": "null", "": "null", "nULL": `"nULL"`,
		"2026-10-21": "the date 2026-10-21", "2026-10-21 10:00:00": "the date 2026-10-21 10:00:00", "2001-12-14t21:59:43.10-05:00": "the date 2001-12-14t21:59:43.10-05:00",
		"2026-1-1": `"2026-1-1"`, "2026-1-1T1:1:1Z": `"2026-1-1T1:1:1Z"`,
		"4": "4", "+4": "4", "-0": "0", "04": "4", "017": "15", "0x1f": "31", "0b100": "4", "1_000": "1000", "4_": "4", "1__0": "10", "1:30": "90", "12:30:45": "45045",
		"0:4": `"0:4"`, "0o4": `"0o4"`, "08": `"08"`, "4e0": `"4e0"`, "1e3": `"1e3"`, "1E3": `"1E3"`, "1e+3": `"1e+3"`, "1.0E3": `"1.0E3"`, "--1": `"--1"`, "0b": `"0b"`, "0x": `"0x"`,
		"1.5": "1.5", "4.0e+0": "4", "1.e+3": "1000", ".5": "0.5", "5.": "5", "0.": "0", ".inf": "+Inf", "+.inf": "+Inf", "-.INF": "-Inf", ".nan": "NaN", "190:20:30.15": "685230.15", "685.230_15e+03": "685230.15",
		"._": `"._"`, ".__1": `".__1"`, `"no"`: `"no"`, "'on'": `"on"`, "!!str no": `"no"`, "!!int 4": "4", "!!int '4'": "4", "!!float 4": "4", "!!bool no": "false", "|\n  no": `"no"`,
		"10487924139932647040": "10487924139932647040", "1.0487924139932647e+19": "1.0487924139932647e+19",
	} {
		v, err := YAML([]byte("k: " + text))
		if got := v.Get("k").String(); err != nil || got != want {
			t.Errorf("%q: got %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestYAMLFaults(t *testing.T) {
	for text, want := range map[string]string{
		"k: =":                   "stands for nothing",
		"k: <<":                  "stands for nothing",
		"k: 2001-13-14":          "no date",
		"k: 2001-02-30":          "no date",
		"k: !foo a":              "tag",
		"k: !!python/object:a b": "tag",
		"k: !!int x":             "tag",
		"k: !!set [a]":           "tag",
		"a: 1\n---\nb: 2":        "more than one document",
		"a: [":                   "line",
		"\ta: 1":                 "",
		"k: \"\x07\"":            "",
		"k: \xe9":                "UTF-8",
		"a: &a [*a]":             "",
		"<<: 5":                  "<< wants",
		"[1]: 2":                 "key",
		strings.Repeat("[", 200) + strings.Repeat("]", 200): "deep",
		bomb():                            "values",
		"k: " + strings.Repeat("9", 5000): "digits",
	} {
		if v, err := YAML([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, %v; want an error with %q", text, v, err, want)
		}
	}
}

// bomb is small and stands for very much.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestYAMLMaps(t *testing.T) {
	v, err := YAML([]byte("\ufeffbase: &b {x: 1, y: 2}\nmine: {<<: *b, y: 3}\ntwice: 1\ntwice: 2\n1: a\n"))
	if err != nil {
		t.Fatal(err)
	}
	if v.At("mine", "x").String() != "1" || v.At("mine", "y").String() != "3" || v.Get("twice").String() != "2" || v.Get("(1)").Words() != "a" {
		t.Error(v.Fields)
	}
}

func TestJSON(t *testing.T) {
	v, err := JSON([]byte(`{"a": NaN, "b": [1, -0.5e3, Infinity, -Infinity, null, true], "c": "\u00e9\ud83d\ude00\n", "a": 10487924139932647040}`))
	if err != nil {
		t.Fatal(err)
	}
	if v.Get("a").String() != "10487924139932647040" || v.Get("b").List[1].Float != -500 || !math.IsInf(v.Get("b").List[3].Float, -1) || v.Get("c").Text != "é😀\n" {
		t.Error(v.Fields)
	}
	for text, want := range map[string]string{
		"\ufeff{}": "byte order mark", "{": "field name", "": "value is missing", "[1,]": "value is missing", "{}x": "follows", `{"a" 1}`: "colon", `[1 2]`: "comma",
		"\"\t\"": "control", `"\x"`: "escape", `"\u12"`: "cut off", `"\uzzzz"`: "hexadecimal", `"a`: "does not end", "\"\xff\"": "UTF-8", "01": "follows", "1.": "follows", "+1": "value",
		strings.Repeat("[", 101) + strings.Repeat("]", 101): "deep", strings.Repeat("9", 4400): "digits", "{1: 2}": "field name", "[" + strings.Repeat("1,", maxValues) + "1]": "values",
	} {
		if v, err := JSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, %v; want an error with %q", text, v, err, want)
		}
	}
}

func TestConversions(t *testing.T) {
	whole := map[string]string{"4": "4", "true": "1", "4.0": "4", `"4"`: "4", `"4.0"`: "4", `" 4 "`: "4", `"+4"`: "4", `"4_0"`: "40", `"0_4"`: "4", `"4\n"`: "4", `"-0"`: "0",
		"4.5": "", "1e30": "", "NaN": "", `"4."`: "", `"1e0"`: "", `"_4"`: "", `"4_"`: "", `"4__0"`: "", `"٤"`: "", `"+ 4"`: "", `""`: "", "null": "", "[]": "", `"0x4"`: ""}
	for text, want := range whole {
		n, ok := parsed(t, text).Whole()
		if got := fmt.Sprint(n); ok != (want != "") || ok && got != want {
			t.Errorf("%s as a whole number: %s %t", text, got, ok)
		}
	}
	number := map[string]float64{"4": 4, "true": 1, `"5"`: 5, `" 5 "`: 5, `"1e3"`: 1000, `"1."`: 1, `".5"`: .5, `"1_0"`: 10, `"inf"`: math.Inf(1), `"-Infinity"`: math.Inf(-1), `"1e400"`: math.Inf(1)}
	for text, want := range number {
		if f, ok := parsed(t, text).Number(); !ok || f != want {
			t.Errorf("%s as a number: %g %t", text, f, ok)
		}
	}
	for _, text := range []string{`"x"`, `"0x10"`, `""`, `"--inf"`, "null", "[]", `"5d"`, `"++nan"`} {
		if f, ok := parsed(t, text).Number(); ok {
			t.Errorf("%s is taken for the number %g", text, f)
		}
	}
	truth := map[string]string{"true": "true", `"yEs"`: "true", `"T"`: "true", "1": "true", "1.0": "true", "0": "false", `"no"`: "false", "2": "", `"1.0"`: "", `" yes"`: "", "0.5": "", "null": "", "NaN": ""}
	for text, want := range truth {
		b, ok := parsed(t, text).Truth()
		if got := fmt.Sprint(b); ok != (want != "") || ok && got != want {
			t.Errorf("%s as a truth: %s %t", text, got, ok)
		}
	}
}

func parsed(t *testing.T, text string) *Value {
	t.Helper()
	v, err := JSON([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"1", "1.0", true}, {"1", "true", true}, {"NaN", "NaN", true}, {"NaN", "1", false}, {`"1"`, "1", false}, {"[1,2]", "[1,2.0]", true}, {"[1]", "[1,2]", false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true}, {`{"a":1}`, `{"b":1}`, false}, {"null", "null", true}, {"null", "0", false}} {
		if got := Equal(parsed(t, c.a), parsed(t, c.b)); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

func TestShape(t *testing.T) {
	s := Object(Named{"n", WholeNumber().From(1).UpTo(5), Required}, Named{"t", Choice("a", "b"), Nullable}, Named{"l", ListOf(Object(Named{"x", TruthValue(), Optional})), Optional}).Closed()
	for text, want := range map[string]string{
		`{"n": 3}`:                           "",
		`{"n": "3", "t": null, "l": []}`:     "",
		`{}`:                                 "field n: found nothing, want a whole number of at least 1 and at most 5",
		`{"n": 6}`:                           "field n: found 6, want a whole number of at least 1 and at most 5",
		`{"n": 1, "t": "c"}`:                 `field t: found "c", want one of a, b`,
		`{"n": 1, "l": null}`:                "field l: found null, want a list",
		`{"n": 1, "l": [{"x": 1}, {"x":2}]}`: "field l.1.x: found 2, want true or false",
		`{"n": 1, "z": 1}`:                   "field z: found 1, want no such field",
		`[]`:                                 "found a list of 0, want a map",
	} {
		var got []string
		for _, f := range s.Faults(parsed(t, text)) {
			got = append(got, f.String())
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	bent := s.Bent(parsed(t, `{"n": "3", "l": [{"x": 1}, {"x": true}]}`))
	if len(bent) != 2 || bent[0].Field != "n" || bent[1].Field != "l.0.x" {
		t.Error(bent)
	}
}

// FuzzJSON compares with encoding/json where both read a document.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5, "x\u00e9", null, true]}`, `NaN`, `"\ud800"`, `{"a":1,"a":2}`, `[-0, 1e5, 1E-5]`, `{`, "\ufeff{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := JSON(data)
		var other any
		otherErr := json.Unmarshal(data, &other)
		if err == nil && otherErr == nil && !reflect.DeepEqual(simple(v), other) {
			t.Errorf("%q: %#v and %#v", data, simple(v), other)
		}
		if err != nil && otherErr == nil && !strings.Contains(err.Error(), "deep") && !strings.Contains(err.Error(), "digits") && !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q: %v", data, err)
		}
	})
}

func simple(v *Value) any {
	switch v.Kind {
	case Bool:
		return v.Bool
	case Int, Float:
		n, _ := v.Number()
		return n
	case Text:
		return v.Text
	case List:
		all := []any{}
		for _, e := range v.List {
			all = append(all, simple(e))
		}
		return all
	case Map:
		all := map[string]any{}
		for _, f := range v.Fields {
			all[f.Key] = simple(f.Value)
		}
		return all
	}
	return nil
}

// FuzzYAML: no document makes the reader fail otherwise than by an error.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, 2026-10-21, no]", "&a [*a]", "<<: {a: 1}", "? [1]\n: 2", "!!int 0b", "k: 0x_", "k: 1:2:3", "{", "--- a\n--- b", "k: -0x1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("larger documents only cost time")
		}
		v, err := YAML(data)
		if err != nil {
			return
		}
		_ = Object(Named{"a", WholeNumber(), Optional}).Faults(v)
		v.Walk(func(_ string, v *Value) { _, _ = v.Number(); _, _ = v.Whole(); _ = v.String() })
	})
}
