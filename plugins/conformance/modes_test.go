package conformance

import (
	"maps"
	"slices"

	g "paceline/plugins/guesttest"
	pb "paceline/schemas/gen/pluginv1"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// failure is one way of a canned guest to fail, wherever it is called.
type failure struct {
	name  string
	code  []byte
	kind  string // of host.Cause, as judgements keep it; empty: the guest does not fail after all
	limit string // what the message must name beside plugin and component
	more  []string
}

// patient are limits for what takes a while until it fails by itself.
var patient = []string{"limits.open=10s", "limits.plan=10s", "limits.next=10s", "limits.batch=10s"}

// reply returns so many bytes at an address.
func reply(at, size int64) []byte { return g.Code(g.Const64(at<<32|size), g.Return()) }

// scratch writes up to four bytes and returns so many bytes from there.
func scratch(value int32, size int64) []byte {
	return g.Code(g.Const(scratchAt), g.Const(value), g.Store32(), reply(scratchAt, size))
}

// failures are the ways to fail that a canned guest knows.
func failures() []failure {
	exit := func(code int32) []byte { return g.Code(g.Const(code), g.Call(callExit), g.Unreachable()) }
	return []failure{
		{name: "trap", code: g.Unreachable(), kind: "trap", limit: "unreachable"},
		{name: "exit with code 0", code: exit(0), kind: "exit", limit: "(code 0)"},
		{name: "exit with code 3", code: exit(3), kind: "exit", limit: "(code 3)"},
		{name: "endless loop", code: g.Code(g.Forever(), g.Unreachable()), kind: "timeout", limit: "CPU time"},
		{name: "code without loops that never returns", code: g.Code(g.Call(spend), g.Unreachable()), kind: "timeout", limit: "CPU time"},
		{name: "deep recursion", code: g.Code(g.Call(recurse), g.Unreachable()), kind: "trap", limit: "stack overflow", more: patient},
		{name: "memory growth", code: g.Code(g.Forever(g.Const(64), g.MemoryGrow(), g.Const(-1), g.Eq(), g.If(g.Unreachable()))),
			kind: "memory", limit: "memory limit of 32 MiB"},
		{name: "log flood", code: g.Call(flood)},
		{name: "oversized reply", code: g.Code(g.Const(1100), g.MemoryGrow(), g.Drop(), reply(g.ReplyAt, 64<<20+1)),
			kind: "oversized_reply", limit: "67108864 bytes are allowed", more: []string{"limits.memory=128MiB"}},
		{name: "reply at address 0", code: reply(0, 5), kind: "malformed", limit: "address is 0"},
		{name: "reply without bytes", code: reply(5, 0), kind: "malformed", limit: "no bytes"},
		{name: "reply out of bounds", code: reply(0x7fff0000, 4), kind: "malformed", limit: "the memory at"},
		{name: "reply whose end overflows", code: g.Code(g.Const64(-1), g.Return()), kind: "malformed", limit: "the memory at"},
		{name: "reply of an unknown kind", code: scratch(2, 4), kind: "malformed", limit: "first byte is 2"},
		{name: "reply that is no message", code: scratch(0x0a00|0xff<<16, 3), kind: "malformed", limit: "no message of the contract"},
		{name: "the plugin's own error", code: scratch(0x6e0d01|'o'<<24, 4), kind: "status", limit: "status 13: no"},
	}
}

// Places where the runner calls a plugin.
var (
	atDescribe = place{"Describe", pb.Method_METHOD_DESCRIBE, ""}
	atOpen     = place{"Open of the workload", pb.Method_METHOD_OPEN, "work"}
	atJudge    = place{"Open of the scorer", pb.Method_METHOD_OPEN, "scor"}
	atInputs   = place{"CheckInputs", pb.Method_METHOD_CHECK_INPUTS, ""}
	atPlan     = place{"Plan of one trajectory", pb.Method_METHOD_PLAN, "\x08\x01\x1a\x20"}
	atPlans    = place{"Plan of every trajectory", pb.Method_METHOD_PLAN, ""}
	atNext     = place{"Next of one conversation", pb.Method_METHOD_NEXT, bad}
	atPref     = place{"Preflight", pb.Method_METHOD_PREFLIGHT, ""}
	atCheck    = place{"Check of one unit", pb.Method_METHOD_CHECK, bad}
	atScore    = place{"Score of one unit", pb.Method_METHOD_SCORE, bad}
	atScores   = place{"Score of every unit", pb.Method_METHOD_SCORE, ""}
	atFold     = place{"Fold of the scorer", pb.Method_METHOD_FOLD_SCORE, ""}
	atVerdict  = place{"Conclude of the validator", pb.Method_METHOD_CONCLUDE_CHECK, ""}
	atConclude = place{"Conclude of the scorer", pb.Method_METHOD_CONCLUDE_SCORE, ""}
)

func places() []place {
	return []place{atDescribe, atOpen, atJudge, atInputs, atPlan, atPlans, atNext, atPref, atCheck, atScore, atScores, atFold, atVerdict, atConclude}
}
