package singleturn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/bfcl/question"
)

const (
	goodFunction = `{"name":"f","description":"d","parameters":{"type":"dict","properties":{"i":{"type":"integer","description":"d"}},"required":["i"]}}`
	goodQuestion = `{"id":"simple_python_0","question":[[{"role":"user","content":"q"}]],"function":[` + goodFunction + `]}`
	goodAnswer   = `{"id":"simple_python_0","ground_truth":[{"f":{"i":[1]}}]}`
)

func TestFaults(t *testing.T) {
	swap := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	for _, c := range []struct{ questions, answers, want string }{
		{goodQuestion, goodAnswer, ""},
		{"", "", "questions:0  empty-input"},
		{goodQuestion + "\n\n{", goodAnswer, "questions:3  broken-json"},
		{goodQuestion + goodQuestion, goodAnswer, "questions:1  broken-json, answers:1 /id question-missing"},
		{goodQuestion + "\n[]", goodAnswer, "questions:2  not-an-object"},
		{goodQuestion + "\n{}", goodAnswer, "questions:2 /id id"},
		{goodQuestion + "\n" + goodQuestion, goodAnswer, "questions:2 /id id-repeated"},
		{swap(goodQuestion, "simple_python_0", "multi_turn_base_0"), "", "questions:1 /id category-unknown"},
		{swap(goodQuestion, "simple_python_0", "simple_python_é"), swap(goodAnswer, "simple_python_0", "simple_python_é"), "questions:1 /id id-characters"},
		{swap(goodQuestion, `[[{"role"`, `[[],[{"role"`), goodAnswer, "questions:1 /question question-turns"},
		{swap(goodQuestion, `"question":`, `"other":`), goodAnswer, "questions:1 /question question-turns"},
		{swap(goodQuestion, `{"role":"user","content":"q"}`, ``), goodAnswer, "questions:1 /question/0 question-empty"},
		{swap(goodQuestion, `"user"`, `"tool"`), goodAnswer, "questions:1 /question/0/0/role message-role"},
		{swap(goodQuestion, `"q"`, `null`), goodAnswer, "questions:1 /question/0/0/content message-content"},
		{swap(goodQuestion, `"function":`, `"other":`), goodAnswer, "questions:1 /function function-list, answers:1 /ground_truth/0/f answer-function"},
		{swap(goodQuestion, `"properties":`, `"other":`), goodAnswer, "questions:1 /function/0/parameters/properties function-tool"},
		{swap(goodQuestion, `"integer","description":"d"`, `"float"`), goodAnswer, "questions:1 /function/0/parameters/properties/i/description function-tool"},
		{swap(goodQuestion, `"integer"`, `"array","items":{"type":"x"}`), goodAnswer, "questions:1 /function/0/parameters/properties/i/items/type function-tool"},
		{swap(goodQuestion, `"integer"`, `"number"`), goodAnswer, "questions:1 /function/0/parameters/properties/i/type parameter-type"},
		{swap(goodQuestion, `"integer"`, `"array","items":{"type":"number"}`), goodAnswer, "questions:1 /function/0/parameters/properties/i/items/type parameter-type"},
		{swap(goodQuestion, `"required"`, `"other"`), goodAnswer, "questions:1 /function/0/parameters/required function-required"},
		{swap(goodQuestion, `["i"]`, `[1]`), goodAnswer, "questions:1 /function/0/parameters/required/0 function-required"},
		{swap(goodQuestion, goodFunction, goodFunction+","+goodFunction), goodAnswer, "questions:1 /function/1/name function-repeated"},
		{goodQuestion, "", "questions:1  answer-missing"},
		{swap(goodQuestion, "simple_python", "irrelevance"), "", ""},
		{swap(goodQuestion, "simple_python", "irrelevance"), swap(goodAnswer, "simple_python", "irrelevance"), "answers:1 /ground_truth answer-unexpected"},
		{goodQuestion, goodAnswer + "\n" + goodAnswer, "answers:2 /id id-repeated"},
		{goodQuestion, swap(goodAnswer, "ground_truth", "other"), "answers:1 /ground_truth answer-calls"},
		{goodQuestion, swap(goodAnswer, `{"f":{"i":[1]}}`, `{"f":{}},{"f":{}}`), "answers:1 /ground_truth answer-calls"},
		{goodQuestion, swap(goodAnswer, `{"f":{"i":[1]}}`, `{"f":{},"g":{}}`), "answers:1 /ground_truth/0 answer-call"},
		{goodQuestion, swap(goodAnswer, `{"i":[1]}`, `[]`), "answers:1 /ground_truth/0 answer-call"},
		{goodQuestion, swap(goodAnswer, `[1]`, `1`), "answers:1 /ground_truth/0/f/i answer-values"},
		{swap(goodQuestion, "simple_python", "multiple"), swap(goodAnswer, "simple_python", "multiple", `"f"`, `"a/b~c"`), "answers:1 /ground_truth/0/a~1b~0c answer-function"},
		{goodQuestion + strings.Repeat(" ", question.MaxRow), goodAnswer, "questions:1  row-too-long, answers:1 /id question-missing"},
	} {
		w := sdktest.Open(t, plugin(), "single-turn", files(c.questions, c.answers, "", nil))
		faults, _, err := w.CheckInputs()
		if err != nil {
			t.Fatal(err)
		}
		if got := say(faults); got != c.want {
			t.Errorf("%.120s\n%s\ngive %q, want %q", c.questions, c.answers, got, c.want)
		}
	}
}

func say(faults []sdk.Fault) string {
	var out []string
	for _, f := range faults {
		out = append(out, fmt.Sprintf("%s:%d %s %s", f.Input, f.Line, f.Pointer, f.Code))
	}
	return strings.Join(out, ", ")
}

// TestSteps cuts a check at every row and every fault: they come the same, once each.
func TestSteps(t *testing.T) {
	questions := strings.Repeat("{}\n"+goodQuestion+"\n", 3)
	answers := strings.Repeat("5\n"+goodAnswer+"\n", 3)
	f := question.Files{Questions: strings.NewReader(questions), QuestionsSize: int64(len(questions)),
		Answers: strings.NewReader(answers), AnswersSize: int64(len(answers))}
	index, err := question.Scan(f)
	if err != nil {
		t.Fatal(err)
	}
	run := func(most int, bytes int64) (all []sdk.Fault) {
		for cursor, done := []byte(nil), false; !done; {
			c, err := question.NewChecker(f, index, cursor)
			if err != nil {
				t.Fatal(err)
			}
			var found []sdk.Fault
			if found, done, err = c.Step(most, bytes); err != nil || len(found) > most {
				t.Fatalf("%d faults of %d, %v", len(found), most, err)
			}
			all = append(all, found...)
			if !done && slices.Equal(cursor, c.Cursor()) {
				t.Fatal("the check stands still")
			}
			cursor = c.Cursor()
		}
		return all
	}
	whole := say(run(1000, 1<<30))
	if n := strings.Count(whole, ",") + 1; n != 10 {
		t.Fatalf("%d faults: %s", n, whole)
	}
	for most := 1; most < 4; most++ {
		for _, bytes := range []int64{1, 100, 1 << 30} {
			if got := say(run(most, bytes)); got != whole {
				t.Errorf("%d faults and %d bytes at a time: %s, want %s", most, bytes, got, whole)
			}
		}
	}
	if _, err := question.NewChecker(f, index, []byte{1}); err == nil {
		t.Error("half a cursor is taken")
	}
}
