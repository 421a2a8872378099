package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/core/sim"
	"paceline/workloads/codeqa/task"
	"paceline/workloads/smalltasks"
)

// TestShare asks every task at once, with all results that its policy could wish for, and counts who knows.
func TestShare(t *testing.T) {
	tasks := task.All()
	for percent, want := range map[string]int{"0": 0, "50": len(tasks) / 2, "100": len(tasks), "1": 0, "25": len(tasks) / 4} {
		chosen := map[bool]int{}
		other := 0
		p, err := Parse("codeqa:"+percent, 7)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse("codeqa:"+percent, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range tasks {
			knows, knowsToo := asked(p, x), asked(q, x)
			chosen[knows]++
			if knows != knowsToo {
				other++
			}
		}
		if chosen[true] != want || percent == "50" && other == 0 {
			t.Errorf("%s %%: %d of %d, and %d others with another seed", percent, chosen[true], len(tasks), other)
		}
	}
}

// asked gives the third answer to a task whose tools said the truth.
func asked(p Answer, x task.Task) bool {
	r := &sim.Request{Messages: []sim.Message{{Role: "user", Content: "salt " + x.Question}, {Role: "assistant"}, {Role: "assistant"},
		{Role: "tool", Content: strings.Join(x.Answers, "\n")}}}
	a, ok := p(r)
	return ok && strings.Contains(a.Content, "Answer: ")
}

// TestSmallTasks: who solves a task says its stored solution, and all others say something else.
func TestSmallTasks(t *testing.T) {
	all := smalltasks.Solutions()
	if len(all) < 20 || len(all)%2 != 0 {
		t.Fatalf("%d solutions: half of them is no share of 50 %%", len(all))
	}
	for percent, want := range map[string]int{"0": 0, "50": len(all) / 2, "100": len(all)} {
		p, err := Parse("smalltasks:"+percent, 7)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, s := range all {
			a, ok := p(&sim.Request{Messages: []sim.Message{{Role: "system"}, {Role: "user", Content: "Task: " + s.Task + "\n\nmend it"}, {Role: "user", Content: "again"}}})
			if !ok {
				t.Errorf("%s: no answer", s.Task)
			}
			if strings.HasSuffix(a.Content, "\n\n"+s.Answer) {
				got++
			}
		}
		if got != want {
			t.Errorf("%s %%: %d of %d solved", percent, got, len(all))
		}
	}
}

func TestOtherQuestions(t *testing.T) {
	p, err := Parse("codeqa:100", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p(&sim.Request{Messages: []sim.Message{{Role: "user", Content: "How are you?"}}}); ok {
		t.Error("a question of somebody else is answered")
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"", "codeqa", "codeqa:", "codeqa:101", "codeqa:-1", "chess:50", "codeqa:half", "smalltasks:101"} {
		if _, err := Parse(text, 0); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestReplies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "replies.jsonl")
	text := `{"user":"q","tools":["a"],"tool_calls":[{"name":"a","arguments":"{}"}]}
{"user":"q","content":"any tools"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Parse("replies:"+file, 1)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(user string, tools ...string) (sim.Answer, bool) {
		r := &sim.Request{Messages: []sim.Message{{Role: "user", Content: user}}}
		for _, name := range tools {
			r.Tools = append(r.Tools, sim.Tool{Name: name})
		}
		return p(r)
	}
	if a, _ := ask("q", "a"); len(a.ToolCalls) != 1 || a.ToolCalls[0].Name != "a" || a.ToolCalls[0].Arguments != "{}" {
		t.Errorf("answer %+v", a)
	}
	if a, _ := ask("q", "a", "b"); a.Content != "any tools" {
		t.Errorf("answer %+v", a)
	}
	if _, ok := ask("other"); ok {
		t.Error("another question is answered")
	}
	if err := os.WriteFile(file, []byte("{}\n{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse("replies:"+file, 1); err == nil || !strings.Contains(err.Error(), ":2: ") {
		t.Errorf("a broken line: %v", err)
	}
}
