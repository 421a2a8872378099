// Package domain tells the two domains of the agentic data set apart, by the id of a conversation.
package domain

import "strings"

// The domains.
const (
	Coding   = "coding"
	Workflow = "workflow"
)

// Of gives the domain of a conversation: workflow for ids of the form sim_ and digits, coding for all others.
func Of(id string) string {
	number, ok := strings.CutPrefix(id, "sim_")
	if !ok || number == "" {
		return Coding
	}
	for _, c := range []byte(number) {
		if c < '0' || c > '9' {
			return Coding
		}
	}
	return Workflow
}
