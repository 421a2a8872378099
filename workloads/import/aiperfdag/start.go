package aiperfdag

import (
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// started gives what turn i of count starts.
func started(r *frame.Record, at string, v rawjson.Value, i, count int) ([]start, error) {
	forks, err := forked(r, at+"/forks", v.Get("forks"), i == count-1)
	if err != nil {
		return nil, err
	}
	spawns, err := spawned(r, at+"/spawns", v.Get("spawns"), i+1, false)
	if err != nil {
		return nil, err
	}
	for k := range spawns {
		s := &spawns[k]
		if s.join <= i {
			return nil, r.Fault(at+"/spawns", "join", "a turn after this one", "turn %d is to wait for what turn %d starts", s.join, i)
		}
		if s.join == i+1 && s.join == count { // nothing comes after it
			s.join, s.detached = -1, true
		}
		if s.join >= count {
			return nil, r.Fault(at+"/spawns", "join", "a turn of the session", "turn %d is to wait, and the session has %d", s.join, count)
		}
	}
	return append(forks, spawns...), nil
}

// forked reads forks: a name, after which the session ends, or {child, background}.
func forked(r *frame.Record, at string, list rawjson.Value, last bool) ([]start, error) {
	var out []start
	var err error
	list.Each(func(i int, v rawjson.Value) bool {
		here := frame.Pointer(at, i)
		background := string(v.Get("background")) == "true"
		name := v
		if v.Kind() == rawjson.Object {
			name = v.Get("child")
		}
		if !background && !last {
			err = r.Fault(here, "fork", "forks in the last turn, or with background", "the session goes on after a fork that ends it")
			return false
		}
		out, err = add(r, here, out, name, start{fork: true, join: -1, detached: background})
		return err == nil
	})
	return out, err
}

// spawned reads spawns: a name, which the turn join waits for, or {children, join_at}.
func spawned(r *frame.Record, at string, list rawjson.Value, join int, detached bool) ([]start, error) {
	if !list.Missing() && list.Kind() != rawjson.Array {
		return nil, r.Fault(at, "spawns", "a list of sessions", "it is %s", frame.Clip(list))
	}
	var out []start
	var err error
	list.Each(func(i int, v rawjson.Value) bool {
		here := frame.Pointer(at, i)
		if v.Kind() != rawjson.Object {
			out, err = add(r, here, out, v, start{join: join, detached: detached})
			return err == nil
		}
		own := join
		if n := v.Get("join_at"); !n.Missing() {
			var turn uint32
			if turn, err = history.Count(r, here+"/join_at", n); err != nil {
				return false
			}
			own = int(turn)
		}
		v.Get("children").Each(func(k int, v rawjson.Value) bool {
			out, err = add(r, frame.Pointer(here+"/children", k), out, v, start{join: own, detached: detached})
			return err == nil
		})
		return err == nil
	})
	return out, err
}

// add adds a start of the named session.
func add(r *frame.Record, at string, list []start, name rawjson.Value, s start) ([]start, error) {
	if s.child, _ = name.Text(); s.child == "" {
		return nil, r.Fault(at, "session", "the session_id of a session of this file", "it is %s", frame.Clip(name))
	}
	for i := range list {
		if list[i].child == s.child {
			return nil, r.Fault(at, "session-twice", "each session once", "session %q is started twice by the same turn", s.child)
		}
	}
	return append(list, s), nil
}

// orchestrate reads a session that sends nothing itself: it starts others once, or in rounds of which each waits for the one
// before it.
func (x *session) orchestrate() error {
	r := x.record
	think, err := history.Wait(r, "/think_time_ms", r.Value.Get("think_time_ms"), 3)
	if err != nil {
		return err
	}
	if turns := r.Value.Get("turns"); turns != nil && !turns.Empty() {
		return r.Fault("/turns", "orchestrator", "no turns", "an orchestrator has turns")
	}
	rounds := r.Value.Get("rounds")
	if rounds.Kind() == rawjson.Array {
		x.gated = true
		rounds.Each(func(i int, v rawjson.Value) bool {
			at := frame.Pointer("/rounds", i)
			w := round{delay: think}
			if own := v.Get("think_time_ms"); !own.Missing() {
				if w.delay, err = history.Wait(r, at+"/think_time_ms", own, 3); err != nil {
					return false
				}
			}
			if w.starts, err = spawned(r, at+"/spawns", v.Get("spawns"), -1, false); err == nil && len(w.starts) == 0 {
				err = r.Fault(at+"/spawns", "orchestrator", "sessions that it starts", "a round starts nothing")
			}
			x.rounds = append(x.rounds, w)
			return err == nil
		})
		return err
	}
	w := round{delay: think}
	if w.starts, err = spawned(r, "/spawns", r.Value.Get("spawns"), -1, false); err != nil {
		return err
	}
	if len(w.starts) == 0 {
		return r.Fault("/spawns", "orchestrator", "sessions that it starts", "an orchestrator starts nothing")
	}
	count := uint32(1)
	if !rounds.Missing() {
		x.gated = true
		if count, err = history.Count(r, "/rounds", rounds); err != nil {
			return err
		}
	}
	if count < 1 || count > maxBranches {
		return r.Fault("/rounds", "rounds", "1 to 4096 rounds", "there are %d rounds", count)
	}
	for range count {
		x.rounds = append(x.rounds, w)
	}
	return nil
}
