package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/verdict"
)

// A counter's reasons come with the number of their turns, most first, and no more of them than a report can hold.
func TestRemarksOfACounter(t *testing.T) {
	counts := []verdict.Count{{Reason: "b"}, {}, {Reason: "a"}, {Reason: "c"}, {Reason: "c"}}
	want := []Remark{{"c", 2}, {"a", 1}, {"b", 1}}
	if diff := cmp.Diff(want, remarks(counts)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 30 {
		counts = append(counts, verdict.Count{Reason: fmt.Sprint(i)})
	}
	if got := remarks(counts); len(got) != maxRemarks || got[0].Text != "c" {
		t.Errorf("%d remarks, %v first", len(got), got[0])
	}
}

func TestCounterInTheReport(t *testing.T) {
	in := small()
	counts := make([]verdict.Count, len(in.Run.Samples))
	counts[3].Reason = "input counted as plain text: the template raised TemplateError"
	in.Judgements = append(in.Judgements, verdict.Judgement{About: verdict.About{Name: "hf/tokens/count", Kind: "counter", Version: "0.1.0"}, Counts: counts})
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Counters) != 1 || len(r.Counters[0].Remarks) != 1 {
		t.Fatalf("counters %+v", r.Counters)
	}
	var text strings.Builder
	if err := WriteText(&text, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "1 turns: input counted as plain text") {
		t.Errorf("the text lacks the remark:\n%s", text.String())
	}
}
