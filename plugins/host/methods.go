package host

import (
	"fmt"
	"strings"
	"time"

	"paceline/plugins/lock"
)

// method is one call of the contract.
type method struct {
	number uint32
	name   string // as texts for people name it
	limit  func(lock.Limits) time.Duration
}

// largest is the most bytes that a request may have. Open's holds what an earlier one prepared beside what any may hold.
func (m *method) largest() int {
	if m.name == "Open" {
		return lock.MaxRequest + lock.MaxPrepared
	}
	return lock.MaxRequest
}

func openLimit(l lock.Limits) time.Duration  { return l.Open }
func planLimit(l lock.Limits) time.Duration  { return l.Plan }
func nextLimit(l lock.Limits) time.Duration  { return l.Next }
func batchLimit(l lock.Limits) time.Duration { return l.Batch }

// servicePrefix begins the full name of every method.
const servicePrefix = "/paceline.plugin.v1."

// methodOf finds the number and the limit of a gRPC method.
func methodOf(full string) (method, error) {
	service, name, ok := strings.Cut(strings.TrimPrefix(full, servicePrefix), "/")
	if ok && strings.HasPrefix(full, servicePrefix) {
		for _, m := range methods() {
			if m.service == service && m.name == name {
				return m.method, nil
			}
		}
	}
	return method{}, fmt.Errorf("no method %s in the plugin contract", full)
}

type serviceMethod struct {
	service string
	method
}

// methods lists the contract's methods; a test in plugins/wire holds it to the generated code.
func methods() []serviceMethod {
	return []serviceMethod{
		{"Plugin", method{1, "Describe", batchLimit}},
		{"Plugin", method{2, "Open", openLimit}},
		{"Plugin", method{3, "CheckInputs", openLimit}},
		{"Workload", method{16, "Plan", planLimit}},
		{"Workload", method{17, "Next", nextLimit}},
		{"Validator", method{32, "Preflight", batchLimit}},
		{"Validator", method{33, "Check", batchLimit}},
		{"Validator", method{34, "FoldCheck", batchLimit}},
		{"Validator", method{35, "ConcludeCheck", batchLimit}},
		{"Scorer", method{48, "Score", batchLimit}},
		{"Scorer", method{49, "FoldScore", batchLimit}},
		{"Scorer", method{50, "ConcludeScore", batchLimit}},
		{"Scorer", method{51, "Evaluate", openLimit}},
		{"Counter", method{64, "Count", batchLimit}},
	}
}

// fullName is a method's name in gRPC.
func fullName(m method) string {
	for _, known := range methods() {
		if known.number == m.number {
			return servicePrefix + known.service + "/" + known.name
		}
	}
	return servicePrefix + m.name
}

// MethodNumber gives the number that a method has in the wasm ABI, and false for a method that is not in the contract.
func MethodNumber(full string) (uint32, bool) {
	m, err := methodOf(full)
	return m.number, err == nil
}
