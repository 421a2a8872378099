package frame

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/rawjson"
)

// rows is a format for tests: {trace, time, text} a line, or {whole}; a record that says "bad" is broken.
type rows struct{}

func format() Format {
	return Format{Name: "rows", Summary: "rows of a test", Paths: []string{""}, ByTime: true, Losses: []Loss{{"color", "colors"}}, Reader: rows{}}
}

func (rows) Detect(r *Record) bool { return r.Value.Get("trace") != nil }

func (rows) Scan(r *Record, s *Scan) error {
	if v := r.Value.Get("color"); v != nil {
		s.Lose("color", 1)
	}
	if r.Value.Get("shape") != nil {
		s.Strange("shape")
	}
	if r.Value.Get("bad") != nil {
		return r.Fault("/bad", "bad", "no such field", "the record is bad")
	}
	time := int64(NoTime)
	if n, ok := rawjson.Integer(r.Value.Get("time")); ok {
		time = n
	}
	if id, ok := r.Value.Get("whole").Text(); ok {
		s.Whole(id, time)
		return nil
	}
	key, _ := r.Value.Get("trace").Text()
	s.Part(key, time)
	return nil
}

func (rows) Build(t *Trace) (*sdk.Trajectory, error) {
	out := &sdk.Trajectory{}
	for i := range t.Records {
		r := &t.Records[i]
		if r.Value.Get("unbuilt") != nil {
			return nil, r.Fault("/unbuilt", "unbuilt", "no such field", "the record cannot be built")
		}
		if text := r.Value.Get("text"); text != nil {
			out.Turns = append(out.Turns, sdk.Turn{Index: uint32(i), Append: []sdk.Message{{Json: text}}})
		}
	}
	return out, nil
}

func try(t *testing.T, text, config string) (*sdktest.Component, error) {
	t.Helper()
	p := &sdk.Plugin{Name: "import", Version: "1.0.0", Components: []sdk.Component{Component(format())}}
	return sdktest.TryOpen(t, p, "rows", sdktest.Options{Config: config, Inputs: []sdktest.Input{{Name: Input, Data: []byte(text)}}})
}

func mustOpen(t *testing.T, text, config string) *sdktest.Component {
	t.Helper()
	c, err := try(t, text, config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// texts gives a trajectory as its id, start and messages.
func texts(t *testing.T, c *sdktest.Component, index uint64) string {
	t.Helper()
	plan, err := c.Plan(index, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{plan.Id}
	if plan.StartOffsetNs != nil {
		out = append(out, fmt.Sprint(*plan.StartOffsetNs))
	}
	for i := range plan.Turns {
		out = append(out, string(plan.Turns[i].Append[0].Json))
	}
	return strings.Join(out, " ")
}

func TestInterleaved(t *testing.T) {
	c := mustOpen(t, `{"trace":"a","time":30,"text":3}
{"trace":"b/\u00e9 %","time":20,"text":10}
{"trace":"a","time":10,"text":1,"color":"red"}
{"whole":"","time":50,"text":100}
{"trace":"a","time":20,"text":2,"shape":1}
{"trace":"b/\u00e9 %","time":20,"text":11}
{"whole":"a","text":200}
`, "")
	for i, want := range []string{"a 0 1 2 3", "b/%C3%A9 %25 10 10 11", "trace-3 40 100", "a~2 200"} {
		if got := texts(t, c, uint64(i)); got != want {
			t.Errorf("trajectory %d: %s, want %s", i, got, want)
		}
	}
	want := []string{"colors: 1", `field "shape", which this importer does not know: 1`}
	if fmt.Sprint(c.Opened.Losses) != fmt.Sprint(want) {
		t.Errorf("losses %q", c.Opened.Losses)
	}
	if _, err := c.Plan(4, 0, nil); sdktest.Code(err) != sdk.CodeOutOfRange {
		t.Errorf("a trajectory beyond the last: %v", err)
	}
}

func TestBrokenRecords(t *testing.T) {
	text := "{\"trace\":\"a\",\"text\":1}\n{\"bad\":1}\n{\"trace\"\n{\"trace\":\"a\",\"text\":2}\n"
	_, err := try(t, text, "")
	faults, ok := err.(sdk.Faults)
	if !ok || len(faults) != 2 || faults[0].Line != 2 || faults[0].Pointer != "/bad" || faults[0].Offset != 23 || faults[1].Line != 3 || faults[1].Code != "broken-json" {
		t.Fatalf("%+v", err)
	}
	c := mustOpen(t, text, `{"broken":"skip"}`)
	if got := texts(t, c, 0); got != "a 1 2" {
		t.Error(got)
	}
	if want := "broken records, skipped as asked for: 2"; len(c.Opened.Losses) != 1 || c.Opened.Losses[0] != want {
		t.Errorf("losses %q", c.Opened.Losses)
	}
}

func TestFaults(t *testing.T) {
	many := strings.Repeat("{\"bad\":1}\n", maxFaults+7)
	_, err := try(t, many, "")
	if faults, _ := err.(sdk.Faults); len(faults) != maxFaults+1 || faults[maxFaults].Message != "7 more faults follow" {
		t.Errorf("%d faults: %v", len(faults), err)
	}
	for _, text := range []string{"", "\n\n"} {
		if _, err := try(t, text, ""); err == nil || !strings.Contains(err.Error(), "holds no trace") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := try(t, `{"trace":"a","text":1}`, `{"brokn":"skip"}`); err == nil {
		t.Error("an unknown option is no fault")
	}
}

func TestCheckInputsBuildsEachTrace(t *testing.T) {
	c := mustOpen(t, "{\"trace\":\"a\",\"text\":1}\n{\"trace\":\"b\",\"unbuilt\":1}\n{\"trace\":\"c\"}\n", "")
	faults, items, err := c.CheckInputs()
	if err != nil || items != 3 || len(faults) != 2 {
		t.Fatalf("%d items, %+v, %v", items, faults, err)
	}
	if f := faults[0]; f.Line != 2 || f.Pointer != "/unbuilt" || f.Message != `build trajectory "b": the record cannot be built` {
		t.Errorf("%+v", f)
	}
	if f := faults[1]; f.Line != 3 || f.Code != "no-turns" {
		t.Errorf("%+v", f)
	}
}

func TestFirst(t *testing.T) {
	c := mustOpen(t, "{\"trace\":\"a\",\"text\":1}\n{\"trace\":\"b\",\"text\":1}\n", `{"first":1}`)
	if c.Opened.Workload.Trajectories != 1 {
		t.Errorf("%d trajectories", c.Opened.Workload.Trajectories)
	}
}

func TestDamagedIndex(t *testing.T) {
	b := newBuilder()
	for i := range 5 {
		b.add(b.trace(fmt.Sprint("t", i%2)), &Record{Value: make(rawjson.Value, 3), Line: uint64(i), Offset: int64(10 * i)}, int64(1000-i))
	}
	data, ok := b.encode("f", 100, []string{"what is lost"})
	if !ok {
		t.Fatal("the index is too large")
	}
	x, err := DecodeIndex(data, "f", 100)
	if err != nil {
		t.Fatal(err)
	}
	first := x.trace(0)
	spans, err := x.spans(&first)
	if err != nil || len(spans) != 3 || spans[2] != (span{line: 4, offset: 40, length: 3, time: 996}) || x.Origin != 996 || x.trace(1).first != 997 {
		t.Errorf("%+v %+v %v", x, spans, err)
	}
	if _, err := DecodeIndex(data, "g", 100); err == nil {
		t.Error("an index of another format is taken")
	}
	if _, err := DecodeIndex(data, "f", 101); err == nil {
		t.Error("an index of another file is taken")
	}
	for n := range data {
		damaged := append([]byte(nil), data...)
		damaged[n] ^= 0x55
		for _, data := range [][]byte{data[:n], damaged} {
			if x, err := DecodeIndex(data, "f", 100); err == nil {
				for i := range x.count {
					trace := x.trace(uint64(i))
					_, _ = x.spans(&trace) // an error, or other places inside the file
				}
			}
		}
	}
}

// TestManyTraces reads traces of every kind of time back from an index, across its marks.
func TestManyTraces(t *testing.T) {
	b := newBuilder()
	const traces, size = 3*pageItems + 7, 1 << 30
	for n := range 3 * traces {
		time := int64(n - traces)
		if n%5 == 0 {
			time = NoTime
		}
		b.add(b.trace(fmt.Sprint("t", n%traces)), &Record{Value: make(rawjson.Value, n%9), Line: uint64(n), Offset: int64(10 * n)}, time)
	}
	data, ok := b.encode("f", size, nil)
	x, err := DecodeIndex(data, "f", size)
	if !ok || err != nil || x.count != traces || x.Roots != traces {
		t.Fatal(ok, err)
	}
	for i := range traces {
		trace := x.trace(uint64(i))
		spans, err := x.spans(&trace)
		if err != nil || len(spans) != 3 || string(trace.key) != fmt.Sprint("t", i) {
			t.Fatalf("trace %d: %+v, %v", i, trace, err)
		}
		for k, got := range spans {
			n := i + k*traces
			want := span{line: uint64(n), offset: int64(10 * n), length: int64(n % 9), time: int64(n - traces)}
			if n%5 == 0 {
				want.time = NoTime
			}
			if got != want {
				t.Fatalf("trace %d, record %d: %+v, want %+v", i, k, got, want)
			}
		}
	}
}

// TestIndexLimit fills an index with traces of long names, and by what is only known at the end.
func TestIndexLimit(t *testing.T) {
	b := newBuilder()
	r := &Record{Value: make(rawjson.Value, 1)}
	key := strings.Repeat("k", 1<<20)
	for i := 0; b.err == nil && i < 100; i++ {
		b.add(b.trace(key+fmt.Sprint(i)), r, math.MaxInt64)
	}
	faults, ok := b.err.(sdk.Faults)
	if !ok || faults[0].Code != "index-too-large" || !strings.Contains(faults[0].Message, "the 64 records of 64 traces up to here takes 64 MiB") {
		t.Errorf("%v", b.err)
	}
	late := &result{index: newBuilder(), losses: []string{strings.Repeat("l", MaxIndex)}}
	late.index.add(late.index.trace("a"), &Record{Value: make(rawjson.Value, 1), Line: 9}, NoTime)
	if _, err := late.encode("f", 100); err == nil || err.(sdk.Faults)[0].Line != 9 {
		t.Errorf("an index that is too large at its end: %v", err)
	}
}

func TestIDs(t *testing.T) {
	long := strings.Repeat("x", 5000)
	c := mustOpen(t, `{"trace":"`+long+`1","text":1}
{"trace":"`+long+`2","text":2}
{"trace":"","text":3}
`, "")
	seen := map[string]bool{}
	for i := range c.Opened.Workload.Trajectories {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Id == "" || len(plan.Id) > maxID || seen[plan.Id] {
			t.Errorf("id %q", plan.Id)
		}
		seen[plan.Id] = true
	}
}
