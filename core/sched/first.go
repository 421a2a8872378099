package sched

import "paceline/core/sample"

// prepared is the conversation of a slot: the one that was made ahead, or else it is made now. Of one that cannot be made the
// slot tells why.
func (u *user) prepared(s *slot) *conversation {
	r := u.run
	if s.talk == nil {
		var part *sample.Part
		if s.err == nil {
			part = u.part(s)
		}
		var err error
		if s.talk, err = r.conversation(s, part); err != nil {
			s.err = s.member.refuse(s.item, s.plan.trajectory.ID, err)
		}
	}
	u.begun = true
	return s.talk
}

// part is what the user plays of a slot's trajectory.
func (u *user) part(s *slot) *sample.Part {
	if u.run.config.Reach.Spread && !u.begun {
		return u.run.spread(s.member, s.plan, u.number)
	}
	return u.run.part(s.plan)
}

// prepareFirst makes the conversations that users begin with where these begin inside their trajectories: before the load, so
// that no request waits for its history.
func (r *run) prepareFirst(users []*user) {
	if !r.config.Reach.Spread {
		return
	}
	for _, u := range users {
		if s := u.next; s != nil && s.there() && s.err == nil && !s.skipped() {
			u.prepared(s)
		}
	}
}

// there reports whether the slot was planned.
func (s *slot) there() bool {
	select {
	case <-s.ready:
		return s.plan != nil
	default:
		return false
	}
}
