package aiperfturns

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// turn is one turn of a session.
type turn struct {
	role   string
	texts  []string
	delay  uint64 // nanoseconds
	at     int64  // or frame.NoTime
	limit  uint32
	params []byte
}

func parse(r *frame.Record) ([]turn, error) {
	list := r.Value.Get("turns")
	if list.Kind() != rawjson.Array || list.Empty() {
		return nil, r.Fault("/turns", "turns", "a list of at least one turn", "turns is %s", frame.Clip(list))
	}
	var out []turn
	var err error
	list.Each(func(i int, v rawjson.Value) bool {
		var w turn
		w, err = parseTurn(r, frame.Pointer("/turns", i), v)
		out = append(out, w)
		return err == nil
	})
	return out, err
}

func parseTurn(r *frame.Record, at string, v rawjson.Value) (turn, error) {
	w := turn{role: "user", at: frame.NoTime}
	if role, _ := v.Get("role").Text(); role != "" {
		w.role = role
	}
	var err error
	if w.texts, err = texts(r, at, v); err != nil {
		return w, err
	}
	if w.delay, err = history.Wait(r, at+"/delay", v.Get("delay"), 3); err != nil {
		return w, err
	}
	if stamp := v.Get("timestamp"); !stamp.Missing() {
		if w.at = history.Instant(stamp, 3); w.at == frame.NoTime {
			return w, r.Fault(at+"/timestamp", "timestamp", "milliseconds", "the timestamp is %s", frame.Clip(stamp))
		}
	}
	if limit := v.Get("output_length"); !limit.Missing() {
		if w.limit, err = history.Count(r, at+"/output_length", limit); err != nil {
			return w, err
		}
	}
	if extra := v.Get("extra"); !extra.Missing() {
		if extra.Kind() != rawjson.Object {
			return w, r.Fault(at+"/extra", "extra", "an object of parameters", "extra is %s", frame.Clip(extra))
		}
		w.params = rawjson.AppendCompact(nil, extra)
	}
	return w, nil
}

// texts gives the texts of a turn: text, or texts as a list of them or of {name, contents}. A turn may hold only media.
func texts(r *frame.Record, at string, v rawjson.Value) ([]string, error) {
	if text, ok := v.Get("text").Text(); ok {
		return []string{text}, nil
	}
	list := v.Get("texts")
	if list.Missing() {
		for _, key := range keys {
			if !v.Get(key).Missing() {
				return nil, nil
			}
		}
		return nil, r.Fault(at, "turn", "text, texts, or an image, audio or video", "the turn has no contents")
	}
	var out []string
	var err error
	add := func(at string, v rawjson.Value) bool {
		text, ok := v.Text()
		if !ok {
			err = r.Fault(at, "text", "a text", "it is %s", frame.Clip(v))
		}
		out = append(out, text)
		return ok
	}
	list.Each(func(i int, v rawjson.Value) bool {
		here := frame.Pointer(at+"/texts", i)
		if v.Kind() != rawjson.Object {
			return add(here, v)
		}
		v.Get("contents").Each(func(k int, v rawjson.Value) bool { return add(frame.Pointer(here+"/contents", k), v) })
		return err == nil
	})
	return out, err
}

// message gives one text as such and several as parts.
func (w *turn) message() sdk.Message {
	switch len(w.texts) {
	case 0:
		return history.Text(w.role, "")
	case 1:
		return history.Text(w.role, w.texts[0])
	}
	out := append([]byte(nil), `{"role":`...)
	out = rawjson.AppendString(out, w.role)
	out = append(out, `,"content":[`...)
	for i, text := range w.texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"type":"text","text":`...)
		out = append(rawjson.AppendString(out, text), '}')
	}
	return sdk.Message{Json: append(out, `]}`...)}
}
