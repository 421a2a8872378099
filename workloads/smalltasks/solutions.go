// Package smalltasks holds the solutions of the plugin's tasks, for engines that are simulated: the plugin itself, in
// plugin/, is Python and knows none.
package smalltasks

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed solutions/*.edit
var solutions embed.FS

// Solution is one task with an answer that solves it.
type Solution struct{ Task, Answer string }

// Solutions are those of all tasks, by name.
func Solutions() []Solution {
	var all []Solution
	files, _ := fs.Glob(solutions, "solutions/*.edit") // the pattern is well formed
	for _, file := range files {
		text, _ := solutions.ReadFile(file) // it is in the binary
		all = append(all, Solution{strings.TrimSuffix(strings.TrimPrefix(file, "solutions/"), ".edit"), string(text)})
	}
	return all
}
