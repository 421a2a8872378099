package rawjson

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestValid(t *testing.T) {
	for _, tc := range []struct {
		text string
		at   int // -1: valid
	}{
		{`{}`, -1},
		{` [1, -0.5e+3, true,false , null, "a\u00e9\n"] `, -1},
		{`{"a":{"b":[[],{}]},"c":"` + strings.Repeat("x", 40) + `"}`, -1},
		{`"π and emoji 😀"`, -1},
		{``, 0},
		{`{`, 1},
		{`{"a" 1}`, 5},
		{`{"a":1,}`, 7},
		{`[1 2]`, 3},
		{`[1,]`, 3},
		{`01`, 0},
		{`1.`, 2},
		{`-`, 1},
		{`tru`, 0},
		{`"ab`, 0},
		{"\"a\nb\"", 2},
		{`"\x"`, 1},
		{`"\u12g4"`, 1},
		{"\"\xff\"", 1},
		{`{} {}`, 3},
		{`NaN`, 0},
		{`]`, 0},
	} {
		got := -1
		if err := Valid([]byte(tc.text)); err != nil {
			got = err.Offset
		}
		if got != tc.at {
			t.Errorf("Valid(%q) fails at %d, want %d", tc.text, got, tc.at)
		}
	}
}

func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if err := Valid([]byte(deep)); err != nil {
		t.Errorf("depth %d: %v", MaxDepth, err)
	}
	if err := Valid([]byte("[" + deep + "]")); err == nil {
		t.Errorf("depth %d is accepted", MaxDepth+1)
	}
}

func TestMembers(t *testing.T) {
	var got []string
	end, err := Members([]byte(`x{ "a" : [1, 2] , "b\u0063":null,"":"}" }y`), 1, func(key []byte, value Value) bool {
		got = append(got, string(key), string(value))
		return true
	})
	if err != nil || end != 41 {
		t.Errorf("Members ends at %d with %v", end, err)
	}
	if diff := cmp.Diff([]string{"a", "[1, 2]", "bc", "null", "", `"}"`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		`"plain"`:             "plain",
		`"a\"\\\/\b\f\n\r\t"`: "a\"\\/\b\f\n\r\t",
		`"\u0041\u00e9"`:      "Aé",
		`"\ud83d\ude00!"`:     "😀!",
		`"\ud83dx"`:           "\ufffdx",
	} {
		if got, ok := Value(text).Text(); !ok || got != want {
			t.Errorf("Text(%s) = %q, %v; want %q", text, got, ok, want)
		}
	}
	if _, ok := Value("null").Text(); ok {
		t.Error("null has a text")
	}
}

func TestWrite(t *testing.T) {
	const in = "{ \"z\" : 9007199254740993 ,\r\n\"a\": \"< x & \\u0041 \\\" >\", \"r\": 1.0 }"
	const want = `{"z":9007199254740993,"a":"< x & \u0041 \" >","r":1.0}`
	if got := string(AppendCompact(nil, Value(in))); got != want {
		t.Errorf("AppendCompact gives %s", got)
	}
	if got, want := string(AppendString(nil, "a\"\\\n\t\r\x01é<&>")), `"a\"\\\n\t\r\u0001é<&>"`; got != want {
		t.Errorf("AppendString gives %s, want %s", got, want)
	}
}

func TestScaled(t *testing.T) {
	for _, tc := range []struct {
		text  string
		scale int
		want  int64
		ok    bool
	}{
		{"0.25", 9, 250_000_000, true},
		{"0.1", 9, 100_000_000, true},
		{"1e-3", 9, 1_000_000, true},
		{"-1.5", 1, -15, true},
		{"0", 9, 0, true},
		{"-0.0", 9, 0, true},
		{"0.0000000004", 9, 0, true},
		{"0.0000000005", 9, 1, true},
		{"1E400", 9, 0, false},
		{"1e-999999999999999", 9, 0, true},
		{"9223372036854775807", 0, 9223372036854775807, true},
		{"9223372036854775808", 0, 0, false},
		{"abc", 0, 0, false},
		{"", 0, 0, false},
		{"1.2.3", 0, 0, false},
	} {
		if got, ok := Scaled([]byte(tc.text), tc.scale); got != tc.want || ok != tc.ok {
			t.Errorf("Scaled(%q, %d) = %d, %v; want %d, %v", tc.text, tc.scale, got, ok, tc.want, tc.ok)
		}
	}
	for text, want := range map[string]int64{"7": 7, "7.0": 7, "70e-1": 7, "7e2": 700, "0.0": 0} {
		if got, ok := Integer([]byte(text)); !ok || got != want {
			t.Errorf("Integer(%q) = %d, %v", text, got, ok)
		}
	}
	if _, ok := Integer([]byte("7.5")); ok {
		t.Error("7.5 is whole")
	}
}

// FuzzValid holds the scanner against encoding/json, which is laxer only about UTF-8.
func FuzzValid(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"c"}]}`, `"\ud800"`, `[[]`, `{"a":}`, `-0.0e-1`, "\"\xc3\"", `{"":{},"x":[[],[]]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		touch(data)
		err := Valid(data)
		want := json.Valid(data) && utf8.Valid(data)
		if (err == nil) != want {
			t.Fatalf("Valid(%q) = %v, want valid %v", data, err, want)
		}
		if err != nil {
			if err.Offset < 0 || err.Offset > len(data) {
				t.Fatalf("offset %d of %d bytes", err.Offset, len(data))
			}
			return
		}
		v := Value(bytes.TrimSpace(data))
		var compact bytes.Buffer
		if e := json.Compact(&compact, data); e == nil && !bytes.Equal(compact.Bytes(), AppendCompact(nil, v)) {
			t.Fatalf("AppendCompact(%q) = %q", data, AppendCompact(nil, v))
		}
		if end := pass(v, 0); end != len(v) {
			t.Fatalf("pass(%q) ends at %d", v, end)
		}
		sameParts(t, v)
		if text, ok := v.Text(); ok {
			var want string
			if json.Unmarshal(data, &want) == nil && text != want {
				t.Fatalf("Text(%q) = %q, want %q", data, text, want)
			}
			if back, _ := Value(AppendString(nil, text)).Text(); back != text {
				t.Fatalf("AppendString does not come back: %q", text)
			}
		}
		if n, ok := Scaled(v, 9); ok && len(v) < 40 {
			checkScaled(t, string(v), n)
		}
	})
}

// touch calls what must not panic on texts that nobody checked.
func touch(v Value) {
	v.Text()
	v.Each(func(_ int, e Value) bool { return e.Kind() != Bool })
	v.Fields(func(_ []byte, e Value) { e.Empty() })
	AppendCompact(nil, v)
	Integer(v)
}

// sameParts holds the parts that the walkers give against those of encoding/json.
func sameParts(t *testing.T, v Value) {
	t.Helper()
	var list []json.RawMessage
	if v.Kind() == Array && json.Unmarshal(v, &list) == nil {
		n := 0
		v.Each(func(i int, e Value) bool {
			if i >= len(list) || !bytes.Equal(e, list[i]) {
				t.Fatalf("element %d of %q is %q", i, v, e)
			}
			n++
			return true
		})
		if n != len(list) || v.Empty() != (n == 0) {
			t.Fatalf("%q has %d elements", v, n)
		}
	}
	var object map[string]json.RawMessage
	if v.Kind() == Object && json.Unmarshal(v, &object) == nil {
		for key, want := range object {
			if got := v.Get(key); !bytes.Equal(got, want) {
				t.Fatalf("%q of %q is %q", key, v, got)
			}
		}
	}
}

func checkScaled(t *testing.T, text string, n int64) {
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 4 {
		return // exponents that big.Rat would take long for
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return
	}
	exact.Mul(exact, big.NewRat(1_000_000_000, 1))
	diff := exact.Sub(exact, new(big.Rat).SetInt64(n))
	if diff.Abs(diff).Cmp(big.NewRat(1, 2)) > 0 {
		t.Fatalf("Scaled(%q, 9) = %d", text, n)
	}
}

func BenchmarkValid(b *testing.B) {
	row := []byte(`{"conversation_id":"c","turn":1,"role":"user","content":"` + strings.Repeat("words that go on \\n ", 500) + `"}`)
	b.SetBytes(int64(len(row)))
	for b.Loop() {
		if err := Valid(row); err != nil {
			b.Fatal(err)
		}
	}
}
