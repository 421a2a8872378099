package aiperfdag

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// session is one line of the file.
type session struct {
	record *frame.Record
	id     string
	turns  []turn
	whole  bool    // each turn brings its whole history
	before []start // at the session's own start
	rounds []round // of an orchestrator, which has no turns
	gated  bool    // each round waits for the one before it
}

// turn is one request.
type turn struct {
	messages []sdk.Message
	kind     string // user or tool
	tools    []byte // JSON; nil: as before
	params   []byte
	limit    uint32
	delay    uint64
	starts   []start
}

// start is a session that a turn starts.
type start struct {
	child    string
	fork     bool
	join     int // the turn that waits for its end; -1: none
	detached bool
}

// round is one fan-out of an orchestrator.
type round struct {
	starts []start
	delay  uint64
}

// starts lists all that the session starts.
func (x *session) starts() []start {
	list := append([]start(nil), x.before...)
	for i := range x.turns {
		list = append(list, x.turns[i].starts...)
	}
	for i := range x.rounds {
		list = append(list, x.rounds[i].starts...)
	}
	return list
}

func parse(r *frame.Record) (*session, error) {
	x := &session{record: r}
	if x.id, _ = r.Value.Get("session_id").Text(); x.id == "" {
		return nil, r.Fault("/session_id", "session", "a text that is not empty", "session_id is %s", frame.Clip(r.Value.Get("session_id")))
	}
	mode, _ := r.Value.Get("context_mode").Text()
	x.whole = mode == "message_array_with_responses"
	if string(r.Value.Get("orchestrator")) == "true" {
		return x, x.orchestrate()
	}
	var err error
	if x.before, err = spawned(r, "/pre_session_spawns", r.Value.Get("pre_session_spawns"), -1, true); err != nil {
		return nil, err
	}
	list := r.Value.Get("turns")
	if list.Kind() != rawjson.Array || list.Empty() {
		return nil, r.Fault("/turns", "turns", "a list of at least one turn", "turns is %s", frame.Clip(list))
	}
	count := 0
	list.Each(func(int, rawjson.Value) bool {
		count++
		return true
	})
	list.Each(func(i int, v rawjson.Value) bool {
		var w turn
		w, err = parseTurn(r, frame.Pointer("/turns", i), v, i, count)
		x.turns = append(x.turns, w)
		return err == nil
	})
	return x, err
}

func parseTurn(r *frame.Record, at string, v rawjson.Value, i, count int) (turn, error) {
	var w turn
	list := v.Get("messages")
	if list.Kind() != rawjson.Array || list.Empty() {
		return w, r.Fault(at+"/messages", "messages", "a list of chat messages", "messages is %s", frame.Clip(list))
	}
	var err error
	list.Each(func(k int, v rawjson.Value) bool {
		var m sdk.Message
		var role string
		m, role, err = history.Chat(r, frame.Pointer(at+"/messages", k), v)
		w.messages, w.kind = append(w.messages, m), history.Kind(role)
		return err == nil
	})
	if err != nil {
		return w, err
	}
	if w.delay, err = history.Wait(r, at+"/delay", v.Get("delay"), 3); err != nil {
		return w, err
	}
	if limit := v.Get("max_tokens"); !limit.Missing() {
		if w.limit, err = history.Count(r, at+"/max_tokens", limit); err != nil {
			return w, err
		}
	}
	if tools := v.Get("tools"); !tools.Missing() {
		if tools.Kind() != rawjson.Array {
			return w, r.Fault(at+"/tools", "tools", "a list of tools", "tools is %s", frame.Clip(tools))
		}
		w.tools = rawjson.AppendCompact(nil, tools)
	}
	if extra := v.Get("extra"); !extra.Missing() {
		if extra.Kind() != rawjson.Object {
			return w, r.Fault(at+"/extra", "extra", "an object of parameters", "extra is %s", frame.Clip(extra))
		}
		w.params = rawjson.AppendCompact(nil, extra)
	}
	w.starts, err = started(r, at, v, i, count)
	return w, err
}
