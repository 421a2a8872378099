// Package task is the questions over the bundled tree, with what counts as an answer.
package task

import "slices"

// Kind is what a question asks for.
type Kind string

// Kinds of questions.
const (
	Value Kind = "value" // a setting or figure that stands in one place
	Name  Kind = "name"  // an identifier
	Path  Kind = "path"  // a file
	Count Kind = "count" // how many
	Trace Kind = "trace" // what only two files together tell
)

// Kinds lists them in the order of reports.
func Kinds() []Kind { return []Kind{Value, Name, Path, Count, Trace} }

// Form is how an answer is compared; see package answers.
type Form string

// Forms of answers.
const (
	Number   Form = "number"
	Exact    Form = "exact"
	FilePath Form = "path"
	Text     Form = "text"
)

// Task is one question.
type Task struct {
	ID       string // printable ASCII; unique
	Kind     Kind
	Form     Form
	Question string
	Answers  []string // any of them will do
	Files    []string // that hold the answer, the one that says it first
	Find     string   // an expression with which grep finds the answer's place in Files[0], or in the tree where it is about several
}

// All returns the questions in the order of their indexes: one of each kind in turn, so that any few are of all kinds.
func All() []Task {
	tables := [][]Task{values(), names(), paths(), counts(), traces()}
	var list []Task
	for i := range len(slices.MaxFunc(tables, func(a, b []Task) int { return len(a) - len(b) })) {
		for _, t := range tables {
			if i < len(t) {
				list = append(list, t[i])
			}
		}
	}
	return list
}
