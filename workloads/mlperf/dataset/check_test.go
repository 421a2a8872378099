package dataset

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
)

const faulty = `{"conversation_id":"a","turn":1,"role":"user","content":5,"max_new_tokens":0,"delay_seconds":1e300,"tools":{}}
not json

{"conversation_id":"a","turn":3,"role":"assistant","tool_calls":[{"id":"x","type":"tool","function":{"name":"","arguments":[]}},7]}
{"conversation_id":"a","turn":4,"role":"tool","tool_results":[{"tool_call_id":"y"},null]}
{"conversation_id":"a","turn":6,"role":"tool"}
{"conversation_id":"b","turn":"1","role":"system","content":"x","content":"y"}
{"conversation_id":1.5,"turn":1,"role":"user","content":"x"}
{"conversation_id":"caf\u00e9","turn":1,"role":"user","content":"x"}
{"conversation_id":"a","turn":7,"role":"assistant","content":""}
[1,2]
` + "{\"conversation_id\":\"c\",\"turn\":1,\"role\":\"user\",\"content\":\"\xff\"}\n" + `{"turn":1}`

func TestAllFaults(t *testing.T) {
	_, faults := check(t, []byte(faulty))
	type short struct {
		Line    uint64
		Pointer string
		Code    string
	}
	var got []short
	for _, f := range faults {
		got = append(got, short{f.Line, f.Pointer, f.Code})
		if f.Message == "" || f.Expected == "" {
			t.Errorf("%+v says too little", f)
		}
	}
	want := []short{
		{1, "/content", "content-type"},
		{1, "/tools", "tools-type"},
		{1, "/delay_seconds", "delay-range"},
		{1, "/max_new_tokens", "max-tokens"},
		{2, "", "broken-json"},
		{4, "/tool_calls/0/type", "tool-call-type"},
		{4, "/tool_calls/0/function/name", "tool-call-name"},
		{4, "/tool_calls/0/function/arguments", "tool-call-arguments"},
		{4, "/tool_calls/1", "tool-call-object"},
		{5, "/tool_results/0/content", "tool-result-content"},
		{5, "/tool_results/1", "tool-result-object"},
		{6, "/turn", "turn-gap"},
		{6, "/role", "role-order"},
		{6, "/tool_results", "tool-results-missing"},
		{7, "/content", "repeated-key"},
		{7, "/role", "role-unknown"},
		{8, "/conversation_id", "conversation-id-type"},
		{7, "/role", "no-user-turn"},
		{9, "/conversation_id", "conversation-id-characters"},
		{10, "/conversation_id", "conversation-split"},
		{10, "/content", "assistant-empty"},
		{11, "", "not-an-object"},
		{12, "", "invalid-utf8"},
		{13, "/conversation_id", "conversation-id-missing"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStepsGiveTheSameFaults(t *testing.T) {
	src := bytes.NewReader([]byte(faulty))
	index, err := Scan(src, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	want, err := CheckAll(src, src.Size(), index)
	if err != nil {
		t.Fatal(err)
	}
	for _, limits := range []struct {
		faults int
		bytes  int64
	}{{1, 1}, {1, 1 << 30}, {2, 200}, {3, 1 << 30}, {1000, 1}} {
		var got []sdk.Fault
		var cursor []byte
		for done := false; !done; {
			c, err := NewChecker(src, src.Size(), index, cursor)
			if err != nil {
				t.Fatal(err)
			}
			var faults []sdk.Fault
			if faults, done, err = c.Step(limits.faults, limits.bytes); err != nil {
				t.Fatal(err)
			}
			if len(faults) > limits.faults {
				t.Fatalf("%d faults in a step of %d", len(faults), limits.faults)
			}
			got, cursor = append(got, faults...), c.Cursor()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("steps of %+v: %s", limits, diff)
		}
	}
}

func TestSameInstanceGoesOn(t *testing.T) {
	src := bytes.NewReader([]byte(faulty))
	index, _ := Scan(src, src.Size())
	want, _ := CheckAll(src, src.Size(), index)
	c, err := NewChecker(src, src.Size(), index, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []sdk.Fault
	for done := false; !done; {
		var faults []sdk.Fault
		if faults, done, err = c.Step(2, 1<<30); err != nil {
			t.Fatal(err)
		}
		got = append(got, faults...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongRow(t *testing.T) {
	var file strings.Builder
	file.WriteString(`{"conversation_id":"b","turn":1,"role":"user","content":"short"}` + "\n")
	file.WriteString(`{"conversation_id":"a","turn":1,"role":"user","content":"`)
	file.WriteString(strings.Repeat("x", MaxRow))
	file.WriteString("\"}\n")
	index, faults := check(t, []byte(file.String()))
	if len(faults) != 1 || faults[0].Code != "row-too-long" || faults[0].Line != 2 {
		t.Errorf("faults %+v", faults)
	}
	if len(index.Entries) != 1 || index.Entries[0].Line != 1 {
		t.Errorf("index %+v", index.Entries)
	}
}

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, iotest.ErrTimeout }

func TestReadError(t *testing.T) {
	if _, err := Scan(broken{}, 10); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("error %v", err)
	}
	if _, err := Rows(bytes.NewReader(nil), Entry{ID: "a", Length: 5}); err == nil {
		t.Error("a short file is no error")
	}
}

func TestIndexRoundTrip(t *testing.T) {
	x := &Index{Size: 100, ModelRows: 1, StreamRows: 2, Entries: []Entry{{"a", 1, 0, 50}, {"b c", 4, 60, 40}}}
	data := x.Append(nil)
	back, err := DecodeIndex(data, 100)
	if diff := cmp.Diff(x, back); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for n := range data {
		if _, err := DecodeIndex(data[:n], 100); err == nil {
			t.Errorf("an index cut to %d bytes is accepted", n)
		}
	}
	if _, err := DecodeIndex(data, 101); err == nil {
		t.Error("an index of another file is accepted")
	}
}

func TestRealData(t *testing.T) {
	const path = "../../../../shared/data/mlperf_edge_agentic_coding.jsonl"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skip("the real data set is not beside this checkout: ", err)
	}
	index, faults := check(t, text)
	if len(faults) > 0 || len(index.Entries) != 20 {
		t.Fatalf("%d conversations, faults %+v", len(index.Entries), faults)
	}
	turns := 0
	for _, e := range index.Entries {
		rows, err := Rows(bytes.NewReader(text), e)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if rows[i].IsClient() {
				turns++
			}
		}
	}
	if turns != 1007 {
		t.Errorf("%d client turns", turns)
	}
}

// FuzzCheck holds that no bytes make the checker fail, and that a file which passes can be planned.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(faulty))
	f.Add(bytes.ReplaceAll([]byte(`{"conversation_id":"a","turn":1,"role":"user","content":"x"}|{"conversation_id":"b","turn":1.0,"role":"user","content":[]}`), []byte("|"), []byte("\n")))
	f.Add([]byte("\xef\xbb\xbf\r\n{\"conversation_id\":7,\"turn\":\"1\",\"role\":\"user\",\"content\":\"x\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		src := bytes.NewReader(text)
		index, err := Scan(src, src.Size())
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeIndex(index.Append(nil), src.Size())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(index, back); diff != "" {
			t.Fatal(diff)
		}
		faults, err := CheckAll(src, src.Size(), index)
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) > 0 {
			return
		}
		if len(index.Entries) == 0 {
			t.Fatal("an empty file passes")
		}
		for _, e := range index.Entries {
			rows, err := Rows(src, e)
			if err != nil || len(rows) == 0 || !rows[0].IsClient() {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	text, err := os.ReadFile("../../../../shared/data/mlperf_edge_agentic_coding.jsonl")
	if err != nil {
		b.Skip("the real data set is not beside this checkout: ", err)
	}
	src := bytes.NewReader(text)
	b.SetBytes(src.Size())
	for b.Loop() {
		index, err := Scan(src, src.Size())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := CheckAll(src, src.Size(), index); err != nil {
			b.Fatal(err)
		}
	}
}
