// Package wire joins core and plugins: it implements core's Source, Folder, Validator, Scorer, Evaluator and Counter over the
// generated clients of the plugin contract.
//
// Messages end here. What a plugin answers is checked before core sees it: sizes, JSON, ids, order, unknown values. A
// fault becomes a host.Error of cause host.Malformed that names plugin, component, call and field. This is the only
// package of the host side that knows the generated code.
package wire

import (
	"paceline/core/judge"
	"paceline/core/sched"
)

// What core asks for.
var (
	_ sched.Source    = (*Workload)(nil)
	_ sched.Folder    = (*Workload)(nil)
	_ judge.Validator = (*Validator)(nil)
	_ judge.Scorer    = (*Scorer)(nil)
	_ judge.Counter   = (*Counter)(nil)
	_ judge.Evaluator = (*Evaluator)(nil)
)
