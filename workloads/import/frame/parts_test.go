package frame

import (
	"reflect"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// parted is a format of records {"id": ..., "parts": [...]}, whose trajectories tell the ids of their records.
type parted struct{}

func (parted) Detect(*Record) bool { return true }

func (parted) Scan(r *Record, s *Scan) error {
	id, ok := r.Value.Get("id").Text()
	if !ok {
		return r.Fault("/id", "id", "a text", "there is none")
	}
	s.Part(id, NoTime)
	r.Value.Get("parts").Each(func(_ int, v rawjson.Value) bool {
		part, _ := v.Text()
		s.Holds(id, part)
		return true
	})
	return nil
}

func (parted) Build(*Trace) (*sdk.Trajectory, error) { return nil, nil }

// wholes gives for each trajectory the keys of all it holds.
func wholes(t *testing.T, text string, skip bool) (out []string, faults sdk.Faults, losses []string) {
	t.Helper()
	f := &Format{Name: "parted", Paths: []string{""}, Reader: parted{}}
	r, err := scan(f, strings.NewReader(text), int64(len(text)), skip, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.faults) > 0 {
		return nil, r.faults, nil
	}
	data, err := r.encode("x", int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	x, err := DecodeIndex(data, "x", int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Roots {
		var keys []string
		for _, e := range x.whole(uint64(i)) {
			keys = append(keys, string(e.key))
			if spans, err := x.spans(&e); err != nil || !strings.Contains(text[spans[0].offset:], `"id":"`+string(e.key)) {
				t.Errorf("%s: %+v, %v", e.key, spans, err)
			}
		}
		out = append(out, strings.Join(keys, " "))
	}
	return out, nil, x.Losses
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`{"id":"a"}{"id":"b"}`, []string{"a", "b"}},
		{`{"id":"c"}{"id":"a","parts":["b","c"]}{"id":"b","parts":["c"]}{"id":"d"}`, []string{"a b c", "d"}},
		{`{"id":"a","parts":["x"]}{"id":"b","parts":["x"]}{"id":"x","parts":["y","y"]}{"id":"y"}`, []string{"a x y", "b x y"}},
	} {
		got, faults, _ := wholes(t, strings.ReplaceAll(c.text, "}{", "}\n{")+"\n", false)
		if !reflect.DeepEqual(got, c.want) || faults != nil {
			t.Errorf("%s: %q, %+v", c.text, got, faults)
		}
	}
}

func TestPartsFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"a","parts":["b"]}`: `trace "a" holds trace "b", which is not in the file`,
		`{"id":"a","parts":["a"]}`: "a > a",
		`{"id":"r","parts":["a"]}{"id":"a","parts":["b"]}{"id":"b","parts":["a"]}`: "a > b > a",
	} {
		_, faults, _ := wholes(t, strings.ReplaceAll(text, "}{", "}\n{")+"\n", false)
		if len(faults) != 1 || !strings.Contains(faults[0].Message, want) || faults[0].Line == 0 {
			t.Errorf("%s: %+v", text, faults)
		}
	}
	got, _, losses := wholes(t, `{"id":"a","parts":["b","c"]}`+"\n{\"di\":\"b\"}\n"+`{"id":"c"}`+"\n", true)
	if !reflect.DeepEqual(got, []string{"a c"}) || !reflect.DeepEqual(losses, []string{"broken records, skipped as asked for: 2"}) {
		t.Errorf("%q, %q", got, losses)
	}
}
