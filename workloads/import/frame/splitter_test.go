package frame

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/workloads/rawjson"
)

// found walks a text and gives its records, and the faults as LINE CODE.
func found(t *testing.T, r io.ReaderAt, size int64, paths ...string) (records []string, faults []string) {
	t.Helper()
	err := walk(r, size, paths, func(p placed) bool {
		if f, ok := p.fault.(*FaultError); ok {
			faults = append(faults, fmt.Sprintf("%d %s", f.Fault.Line, f.Fault.Code))
			return true
		}
		at := make([]byte, len(p.record.Value))
		if _, err := r.ReadAt(at, p.record.Offset); err != nil || !bytes.Equal(at, p.record.Value) {
			t.Errorf("record %s does not lie at offset %d", p.record.Value, p.record.Offset)
		}
		records = append(records, fmt.Sprintf("%d %s", p.record.Line, p.record.Value))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, faults
}

func TestRecords(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		paths      []string
		want       []string
		faults     []string
	}{
		{"lines", "{\"a\":1}\n\n{\"a\":2}\r\n", []string{""}, []string{`1 {"a":1}`, `3 {"a":2}`}, nil},
		{"byte order mark", "\xEF\xBB\xBF{\"a\":1}\n{}", []string{""}, []string{`1 {"a":1}`, "2 {}"}, nil},
		{"mark before a document", "\xEF\xBB\xBF{\n\"a\":1}", []string{""}, []string{"1 {\n\"a\":1}"}, nil},
		{"list", "[\n{\"a\":1},\n 2, [3]]", []string{"*"}, []string{`2 {"a":1}`, "3 2", "3 [3]"}, nil},
		{"either", `[{"a":1}]`, []string{"", "*"}, []string{`1 {"a":1}`}, nil},
		{"documents after each other", "{\n}\n{\n\"b\":[1]\n}", []string{""}, []string{"1 {\n}", "3 {\n\"b\":[1]\n}"}, nil},
		{"within", "{\"x\":{\"spans\":[9]},\n\"spans\":[1,\n2],\"y\":\"]\"}", []string{"spans/*"}, []string{"2 1", "3 2"}, nil},
		{"itself or within", `{"id":1,"spans":[{"id":2}]} {"id":3}`, []string{"", "spans/*"}, []string{`1 {"id":2}`, `1 {"id":3}`}, nil},
		{"deep", `{"r":[{"s":[{"spans":[1]},{"spans":[]}]},{"s":[{"k":0,"spans":[2,3]}]}]}`, []string{"r/*/s/*/spans/*"}, []string{"1 1", "1 2", "1 3"}, nil},
		{"other kind", `{"spans":7}`, []string{"spans/*"}, nil, nil},
		{"escapes", `{"a\\":"\"]","spans":["x\\","\\\""]}`, []string{"spans/*"}, []string{`1 "x\\"`, `1 "\\\""`}, nil},
		{"escaped key", `{"sp\u0061ns":[1]}`, []string{"spans/*"}, []string{"1 1"}, nil},
		{"broken line", "{\"a\":1}\n{\"a\":\n{\"a\":3}\n", []string{""}, []string{`1 {"a":1}`, `3 {"a":3}`}, []string{"2 broken-json"}},
		{"broken record", "[\n1,\n{\"a\" 2}, 3]", []string{"*"}, []string{"2 1"}, []string{"3 broken-json"}},
		{"cut off", "[\n{\"a\":1},\n{\"a\"", []string{"*"}, []string{`2 {"a":1}`}, []string{"3 broken-json"}},
		{"cut in an escape", "[\n\"a\\", []string{"*"}, nil, []string{"2 broken-json"}},
		{"no JSON", "hello\nworld", []string{""}, nil, []string{"1 broken-json", "2 broken-json"}},
		{"closed too often", "[1]]\n", []string{"*"}, []string{"1 1"}, []string{"1 broken-json"}},
		{"empty", "", []string{""}, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			records, faults := found(t, strings.NewReader(tc.text), int64(len(tc.text)), tc.paths...)
			if diff := cmp.Diff(tc.want, records); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.faults, faults); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWindowBorders walks a document that no window holds as a whole.
func TestWindowBorders(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	text.WriteString("{\"head\":\"x\\\"\",\n\"spans\":[")
	var want []string
	line := 2
	for i := range 400 {
		if i > 0 {
			text.WriteString(",\n")
			line++
		}
		value := fmt.Sprintf(`{"n":%d,"text":"%s\\\"%s"}`, i, strings.Repeat("a\\\\", random.IntN(900)), strings.Repeat("b", random.IntN(3000)))
		want = append(want, fmt.Sprintf("%d %s", line, value))
		text.WriteString(value)
	}
	text.WriteString("]}")
	if text.Len() < 3*windowStep {
		t.Fatalf("only %d bytes: no window ends inside", text.Len())
	}
	records, faults := found(t, bytes.NewReader(text.Bytes()), int64(text.Len()), "spans/*")
	if !slices.Equal(records, want) || faults != nil {
		t.Errorf("%d records, %d wanted, faults %v", len(records), len(want), faults)
	}
}

// FuzzRecords holds that no bytes make the walk fail or run off, that records are JSON and lie where they are said to, and
// that what is one valid document gives no fault.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"spans":[{"a":1},2,"\\"],"x":[[]]}`))
	f.Add([]byte("{\"a\":1}\n{\"b\":\n[1,2"))
	f.Add([]byte("\xEF\xBB\xBF[1 , {\"spans\" : [ null ]}]\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		end := int64(-1)
		err := walk(bytes.NewReader(text), int64(len(text)), []string{"", "*", "spans/*", "*/spans/*"}, func(p placed) bool {
			if p.fault != nil {
				if rawjson.Valid(text) == nil {
					t.Fatalf("a fault in a valid document: %v", p.fault)
				}
				return true
			}
			at, n := p.record.Offset, int64(len(p.record.Value))
			if at < end || at+n > int64(len(text)) || string(text[at:at+n]) != string(p.record.Value) || rawjson.Valid(p.record.Value) != nil {
				t.Fatalf("record %q at %d", p.record.Value, at)
			}
			end = at + n
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
