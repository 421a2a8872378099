package plan

import "paceline/mlperf/rules"

// IdentityCheck judges whether the target is the same after a point as before it, and whether it keeps thinking.
const IdentityCheck = "std/checks/identity"

// Identity is how IdentityCheck is configured in a run.
type Identity struct {
	On       bool
	Thinking bool // it must see that earlier thinking is kept
}

// target looks at what the rules ask of the target: the same one throughout, thinking kept, and an approved drafter or none.
func (s *Settings) target(r *Run, m *rules.Model, want func(bool, string, ...any)) {
	want(r.Thinking == "keep", "thinking is %s: the rules want the thinking of earlier answers kept", r.Thinking)
	want(r.Identity.On, "%s does not judge the run: every point must show that its target stayed the same", IdentityCheck)
	want(!r.Identity.On || r.Identity.Thinking || !m.PreservesThinking(), "%s does not look at thinking, and %s is served with preserve_thinking: set preserve_thinking: true", IdentityCheck, s.Model)
	drafters, err := rules.Drafters(nil)
	if err == nil {
		err = rules.Approve(drafters, s.Model, &r.Speculation, r.Cohort)
	}
	want(err == nil, "target.speculation: %v", err)
}
