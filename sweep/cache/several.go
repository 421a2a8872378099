package cache

// worst orders states by how much they speak against the coming point.
var worst = map[State]int{Empty: 0, NotProvable: 1, CarriedOver: 2}

// Of says whose verdict it is; an empty name stands for the one target and says nothing.
func (v *Verdict) Of(target string) {
	if target != "" && v.Reason != "" {
		v.Reason = "target " + target + ": " + v.Reason
	}
}

// And is the verdict over v's targets, none of them where v is nil, and a further one: what was found is added up, and the worst
// state stands with its method and reason.
func (v *Verdict) And(more *Verdict) *Verdict {
	if v == nil {
		return more
	}
	all := *v
	if worst[more.State] > worst[v.State] {
		all.State, all.Method, all.Reason = more.State, more.Method, more.Reason
	}
	all.Probes += more.Probes
	all.Prompt += more.Prompt
	all.Cached += more.Cached
	all.Common += more.Common
	all.Again += more.Again
	all.FreshNS += more.FreshNS
	all.BeforeNS += more.BeforeNS
	all.AgainNS += more.AgainNS
	return &all
}
