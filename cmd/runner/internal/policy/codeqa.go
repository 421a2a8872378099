package policy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"paceline/core/sim"
	"paceline/workloads/codeqa/answers"
	"paceline/workloads/codeqa/task"
)

// codeQA solves so many percent of the tasks, rounded down to whole ones. A task that it solves is looked up: it greps,
// reads the file, and answers what the results hold, so a tool that says something else gives another score. Those that it
// does not solve go wrong in four ways in turn.
func codeQA(percent int, seed uint64) Answer {
	tasks := task.All()
	order := rand.New(rand.NewPCG(seed, 0xc0de)).Perm(len(tasks))
	place := make([]int, len(tasks))
	for at, i := range order {
		place[i] = at
	}
	solved := len(tasks) * percent / 100
	return func(r *sim.Request) (sim.Answer, bool) {
		question := r.LastUser()
		for _, m := range r.Messages { // the last user message may be the workload's own reminder
			if m.Role == "user" {
				question = m.Content
				break
			}
		}
		i := slices.IndexFunc(tasks, func(t task.Task) bool { return strings.Contains(question, t.Question) })
		if i < 0 {
			return sim.Answer{}, false
		}
		if place[i] < solved {
			return solve(&tasks[i], r), true
		}
		return miss(&tasks[i], r, place[i]%4), true
	}
}

// answersSoFar counts the answers in a history.
func answersSoFar(r *sim.Request) int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

func solve(t *task.Task, r *sim.Request) sim.Answer {
	switch answersSoFar(r) {
	case 0:
		arguments := map[string]any{"pattern": t.Find}
		if len(t.Files) == 1 || t.Kind == task.Trace {
			arguments["path"] = t.Files[0]
		}
		if t.Kind == task.Path {
			delete(arguments, "path")
		}
		return call("grep", arguments)
	case 1:
		return call("read", map[string]any{"path": t.Files[0]})
	}
	return conclude(t, r)
}

// conclude answers what the tools' results hold.
func conclude(t *task.Task, r *sim.Request) sim.Answer {
	for _, m := range r.Messages {
		if m.Role != "tool" {
			continue
		}
		// A row of a table would be one number of many groups.
		said := strings.ReplaceAll(m.Content, ",", " ")
		for _, a := range t.Answers {
			if answers.Holds(t.Form, []string{a}, said) {
				return sim.Answer{Content: "I looked it up in " + t.Files[0] + ".\nAnswer: " + a}
			}
		}
	}
	return sim.Answer{Content: "The files do not say."}
}

// miss does not solve a task: by a wrong answer at once, one after calls that are no good, by asking for the same until it is
// cut off, or by reading the right file and not understanding it.
func miss(t *task.Task, r *sim.Request, way int) sim.Answer {
	said := answersSoFar(r)
	switch {
	case way == 0:
	case way == 1 && said == 0:
		return sim.Answer{ToolCalls: []sim.ToolCall{{Name: "grep", Arguments: `{"pattern": "`}, {Name: "open", Arguments: `{}`}}}
	case way == 2:
		return call("list", map[string]any{"path": "docs"})
	case way == 3 && said == 0:
		return call("read", map[string]any{"path": t.Files[0]})
	}
	return sim.Answer{Content: "I cannot tell."}
}

func call(name string, arguments map[string]any) sim.Answer {
	text, err := json.Marshal(arguments) // keys sorted
	if err != nil {
		return sim.Answer{Content: fmt.Sprintf("the arguments cannot be written: %v", err)}
	}
	return sim.Answer{ToolCalls: []sim.ToolCall{{Name: name, Arguments: string(text)}}}
}
