package conformance

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func sampleReport() *Report {
	return &Report{Plugin: "./a.wasm", Version: "1.0.0", Results: []Result{
		{Check: "manifest", State: OK, Took: 3 * time.Millisecond},
		{Component: "work", Check: "plan", State: Failed, Text: `expected <a> & "b", found ` + "]]> \u0000\u001b[31m", Took: time.Second},
		{Component: "work", Check: "arm64", State: Skipped, Text: "there is no emulator"},
	}}
}

func TestLines(t *testing.T) {
	r := sampleReport()
	var lines []string
	for _, one := range r.Results {
		lines = append(lines, one.Line())
	}
	want := []string{
		"ok       plugin           manifest",
		`FAILED   work             plan: expected <a> & "b", found ` + "]]> \u0000\u001b[31m",
		"skipped  work             arm64: there is no emulator",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
	var b strings.Builder
	if err := r.WriteSummary(&b); err != nil || !strings.HasSuffix(b.String(), ": 3 checks, 1 ok, 1 failed, 1 skipped\n") {
		t.Errorf("summary %q, error %v", b.String(), err)
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a\n  b\tc":                      "a b c",
		"\x1b[31mred\xff":                "?[31mred\uFFFD",
		"x: y | wasm stack trace: | .$1": "x: y",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", text, got, want)
		}
	}
	if got := oneLine(strings.Repeat("é", longest)); len(got) > longest+4 || !strings.HasSuffix(got, "é ...") {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-8:])
	}
}

// junitChildren are the elements that the common JUnit schema allows below each one that is written, and the attributes that it
// asks for.
var (
	junitChildren = map[string][]string{"": {"testsuites"}, "testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "skipped"}, "failure": {}, "skipped": {}}
	junitNeeds    = map[string][]string{"testsuite": {"name", "tests", "failures", "errors", "skipped", "time"}, "testcase": {"name", "classname", "time"}, "failure": {"message", "type"}, "skipped": {"message"}}
)

func TestJUnit(t *testing.T) {
	var b, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&b, &again} {
		if err := sampleReport().WriteJUnit(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("two reports of the same results differ")
	}
	d := xml.NewDecoder(&b)
	open, seen := []string{""}, map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			if !slices.Contains(junitChildren[open[len(open)-1]], name) {
				t.Errorf("a %s inside of a %q", name, open[len(open)-1])
			}
			for _, need := range junitNeeds[name] {
				if !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == need }) {
					t.Errorf("a %s without %s", name, need)
				}
			}
			open = append(open, name)
			seen[name]++
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	if seen["testcase"] != 3 || seen["failure"] != 1 || seen["skipped"] != 1 {
		t.Errorf("elements %v", seen)
	}
}
