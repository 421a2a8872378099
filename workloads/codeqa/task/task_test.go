package task_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"paceline/workloads/codeqa/answers"
	"paceline/workloads/codeqa/corpus"
	"paceline/workloads/codeqa/task"
	"paceline/workloads/codeqa/tools"
)

// TestEachAnswerStandsInTheTree looks every task up with the tools alone: grep finds the place, the files are there, and
// what the tools say holds an accepted answer. No two tasks have the same id or question.
func TestEachAnswerStandsInTheTree(t *testing.T) {
	tree, err := corpus.Open()
	if err != nil {
		t.Fatal(err)
	}
	all := task.All()
	if len(all) < 40 || len(all)%2 != 0 {
		t.Errorf("%d tasks; at least 40 and an even number are expected", len(all))
	}
	seen := map[string]bool{}
	for _, x := range all {
		if seen[x.ID] || seen[x.Question] || !slices.Contains(task.Kinds(), x.Kind) || !strings.HasPrefix(x.ID, string(x.Kind)) {
			t.Errorf("%s: its id or question is another task's, or its kind is %q", x.ID, x.Kind)
		}
		seen[x.ID], seen[x.Question] = true, true
		text := call(t, tree, x.ID, "grep", map[string]string{"pattern": x.Find})
		for _, f := range x.Files {
			if !strings.Contains(text, f+":") && x.Kind != task.Trace && f == x.Files[0] {
				t.Errorf("%s: %q does not find %s:\n%s", x.ID, x.Find, f, text)
			}
			said := call(t, tree, x.ID, "read", map[string]string{"path": f})
			if f == x.Files[0] {
				text += said
			}
		}
		if x.Kind == task.Count && len(x.Files) == 1 {
			text = call(t, tree, x.ID, "grep", map[string]string{"pattern": x.Find, "path": x.Files[0]})
		}
		if !answers.Holds(x.Form, x.Answers, strings.ReplaceAll(text, ",", " ")) {
			t.Errorf("%s: the tools do not say any of %q", x.ID, x.Answers)
		}
		if answers.Holds(x.Form, x.Answers, x.Question) {
			t.Errorf("%s: the question holds the answer", x.ID)
		}
	}
	if first := all[:5]; first[0].Kind != task.Value || first[4].Kind != task.Trace {
		t.Errorf("the first tasks are not one of each kind: %v", first)
	}
}

func call(t *testing.T, tree *corpus.Tree, id, name string, args map[string]string) string {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	r := tools.Call(tree, name, string(text))
	if r.Failed {
		t.Errorf("%s: %s %s: %s", id, name, text, r.Text)
	}
	return r.Text
}
