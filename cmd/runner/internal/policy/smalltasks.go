package policy

import (
	"math/rand/v2"
	"slices"
	"strings"

	"paceline/core/sim"
	"paceline/workloads/smalltasks"
)

// smallTasks solves so many percent of the tasks, rounded down to whole ones; those that it does not solve go wrong in four
// ways in turn: no edits, edits that mend nothing, edits of the tests, and edits that cannot be made.
func smallTasks(percent int, seed uint64) Answer {
	all := smalltasks.Solutions()
	order := rand.New(rand.NewPCG(seed, 0x7a5c)).Perm(len(all))
	solved := len(all) * percent / 100
	return func(r *sim.Request) (sim.Answer, bool) {
		i := slices.IndexFunc(all, func(s smalltasks.Solution) bool { return asks(r, s.Task) })
		if i < 0 {
			return sim.Answer{}, false
		}
		place := slices.Index(order, i)
		if place < solved {
			return sim.Answer{Content: "These edits mend it.\n\n" + all[i].Answer}, true
		}
		return sim.Answer{Content: unsolved(all[i].Answer, place%4)}, true
	}
}

// asks reports whether a task is what the first message of the user asks for.
func asks(r *sim.Request, task string) bool {
	for _, m := range r.Messages {
		if m.Role == "user" {
			return strings.HasPrefix(m.Content, "Task: "+task+"\n")
		}
	}
	return false
}

func unsolved(solution string, way int) string {
	file, _, _ := strings.Cut(solution, "\n")
	switch way {
	case 0:
		return "I cannot tell."
	case 1:
		first, _, _ := strings.Cut(strings.TrimPrefix(solution, file+"\n"), "=======\n")
		_, searched, _ := strings.Cut(first, "\n")
		return file + "\n" + first + "=======\n" + searched + "\n>>>>>>> REPLACE\n" // one blank line more
	case 2:
		return solution + "FILE: check.py\n<<<<<<< SEARCH\nimport unittest\n=======\n>>>>>>> REPLACE\n"
	}
	return strings.ReplaceAll(solution, "<<<<<<< SEARCH\n", "<<<<<<< SEARCH\nwhat stands nowhere\n")
}
