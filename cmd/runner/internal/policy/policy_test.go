package policy

import (
	"fmt"
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

// TestRecorded finds the turns of two conversations by how they began and how far they are.
func TestRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.jsonl")
	text := `{"_type":"dataset_metadata"}
{"conversation_id":"a","role":"user","content":"begin"}
{"conversation_id":"a","role":"assistant","content":null,"reasoning_content":"so","tool_calls":[{"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}
{"conversation_id":"b","role":"user","content":"start"}
{"conversation_id":"a","role":"tool"}
{"conversation_id":"a","role":"assistant","content":"done"}
{"conversation_id":"b","role":"assistant","content":"intent: I042","tool_calls":[{"function":{"name":"look","arguments":{"x":1}}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Parse("recorded:"+file+":12", 1)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(first string, answers int) string {
		r := &sim.Request{Messages: []sim.Message{{Role: "system", Content: "salt"}, {Role: "user", Content: first}}}
		for range answers {
			r.Messages = append(r.Messages, sim.Message{Role: "assistant"}, sim.Message{Role: "user", Content: "and now"})
		}
		a, ok := p(r)
		if ok && a.Tokens() != 12 {
			t.Errorf("%s, %d: %d tokens", first, answers, a.Tokens())
		}
		a.Content = strings.TrimSpace(strings.ReplaceAll(a.Content, filler, ""))
		return fmt.Sprint(ok, " ", a.Reasoning, a.Content, a.ToolCalls)
	}
	for _, c := range []struct {
		first   string
		answers int
		want    string
	}{
		{"begin", 0, `true so[{ bash {"command":"ls"}}]`}, {"begin", 1, "true done[]"}, {"begin", 2, "true []"},
		{"start", 0, `true intent: I042[{ look {"x":1}}]`}, {"else", 0, "false []"},
	} {
		if got := ask(c.first, c.answers); got != c.want {
			t.Errorf("%s after %d answers: got %s, want %s", c.first, c.answers, got, c.want)
		}
	}
	for _, text := range []string{"recorded:" + file + ":0", "recorded:" + file + ".none", "recorded:" + os.Args[0]} {
		if _, err := Parse(text, 1); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
