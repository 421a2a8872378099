package agent

import (
	"errors"
	"fmt"
	"strconv"

	"paceline/workloads/rawjson"
)

// state is what a conversation carries from step to step. With 100 steps of 8 calls it stays below 32 KiB.
type state struct {
	task     string
	steps    uint64 // answers so far
	calls    uint64 // tool calls that were answered
	failed   uint64 // of those, with an error
	repeated uint64 // of those, that were made before
	nudged   bool   // an empty answer was asked for again
	seen     []seenCall
}

// seenCall is a call that was made, by the hash of its tool and arguments.
type seenCall struct{ hash, times uint64 }

// again notes a call and returns how often it was made before.
func (s *state) again(name, arguments string) uint64 {
	v := []byte(arguments)
	if rawjson.Valid(v) == nil {
		v = rawjson.AppendCompact(nil, v[rawjson.Space(v, 0):]) // white space makes no other call
	}
	sum := newHash().add([]byte(name), []byte{0}, v)
	for i := range s.seen {
		if s.seen[i].hash == uint64(sum) {
			s.seen[i].times++
			return s.seen[i].times - 1
		}
	}
	s.seen = append(s.seen, seenCall{uint64(sum), 1})
	return 0
}

func (s *state) encode() []byte {
	b := rawjson.AppendString([]byte(`{"task":`), s.task)
	for _, n := range []struct {
		name  string
		value uint64
	}{{"steps", s.steps}, {"calls", s.calls}, {"failed", s.failed}, {"repeated", s.repeated}} {
		b = fmt.Appendf(b, `,%q:%d`, n.name, n.value)
	}
	b = fmt.Appendf(b, `,"nudged":%t,"seen":[`, s.nudged)
	for i, c := range s.seen {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `"%016x",%d`, c.hash, c.times)
	}
	return append(b, `]}`...)
}

var errState = errors.New("the conversation's state is damaged")

// decodeState reads what encode wrote.
func decodeState(raw []byte) (*state, error) {
	if len(raw) == 0 || rawjson.Valid(raw) != nil {
		return nil, errState
	}
	v, s := rawjson.Value(raw), &state{}
	text, ok := v.Get("task").Text()
	s.task = text
	for name, field := range map[string]*uint64{"steps": &s.steps, "calls": &s.calls, "failed": &s.failed, "repeated": &s.repeated} {
		n, err := strconv.ParseUint(string(v.Get(name)), 10, 32)
		*field, ok = n, ok && err == nil
	}
	s.nudged = string(v.Get("nudged")) == "true"
	v.Get("seen").Each(func(i int, e rawjson.Value) bool {
		if text, is := e.Text(); is && i%2 == 0 {
			hash, err := strconv.ParseUint(text, 16, 64)
			s.seen, ok = append(s.seen, seenCall{hash: hash}), ok && err == nil
			return true
		}
		n, err := strconv.ParseUint(string(e), 10, 32)
		if ok = ok && err == nil && i%2 == 1; ok {
			s.seen[len(s.seen)-1].times = n
		}
		return ok
	})
	if !ok {
		return nil, errState
	}
	return s, nil
}

// hash is FNV-1a of 64 bits. The standard library's would bring packages into the guest that nothing else needs.
type hash uint64

func newHash() hash { return 0xcbf29ce484222325 }

func (h hash) add(parts ...[]byte) hash {
	for _, p := range parts {
		for _, c := range p {
			h = (h ^ hash(c)) * 0x100000001b3
		}
	}
	return h
}
