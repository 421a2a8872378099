package normal

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// parser reads one trajectory; err is the first fault.
type parser struct {
	record *frame.Record
	err    error
}

func (p *parser) fault(pointer, expected, format string, args ...any) {
	if p.err == nil {
		p.err = p.record.Fault(pointer, "trajectory", expected, format, args...)
	}
}

func (p *parser) unknown(pointer string, key []byte) {
	name := strings.ReplaceAll(strings.ReplaceAll(string(key), "~", "~0"), "/", "~1")
	p.fault(pointer+"/"+name, "a field of "+Schema, "the field is not known")
}

func (p *parser) trajectory(v rawjson.Value) *sdk.Trajectory {
	t := &sdk.Trajectory{}
	var defaults sdk.Defaults
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "schema":
		case "id":
			t.Id = p.text("/id", v)
		case "domain":
			t.Domain = p.text("/domain", v)
		case "labels":
			t.Labels = p.labels("/labels", v)
		case "start_offset_ns":
			n := p.number("/start_offset_ns", v, math.MaxInt64)
			t.StartOffsetNs = &n
		case "params":
			defaults.Params = p.kind("/params", v, rawjson.Object, "an object")
		case "tools":
			defaults.Tools = p.kind("/tools", v, rawjson.Array, "a list")
		case "truth":
			t.Truth = v
		case "turns":
			p.kind("/turns", v, rawjson.Array, "a list")
			v.Each(func(i int, v rawjson.Value) bool {
				t.Turns = append(t.Turns, p.turn("/turns/"+strconv.Itoa(i), v))
				return p.err == nil
			})
		default:
			p.unknown("", key)
		}
	})
	if defaults.Params != nil || defaults.Tools != nil {
		t.Defaults = &defaults
	}
	return t
}

func (p *parser) turn(at string, v rawjson.Value) sdk.Turn {
	var t sdk.Turn
	p.kind(at, v, rawjson.Object, "an object")
	v.Fields(func(key []byte, v rawjson.Value) {
		at := at + "/" + string(key)
		switch string(key) {
		case "index":
			t.Index = p.small(at, v)
		case "branch":
			t.Branch = p.small(at, v)
		case "fork_of":
			n := p.small(at, v)
			t.ForkOf = &n
		case "after":
			p.kind(at, v, rawjson.Array, "a list")
			t.After = &sdk.After{}
			v.Each(func(i int, v rawjson.Value) bool {
				t.After.Turns = append(t.After.Turns, p.small(at+"/"+strconv.Itoa(i), v))
				return p.err == nil
			})
		case "delay_ns":
			t.DelayNs = p.number(at, v, math.MaxInt64)
		case "labels":
			t.Labels = p.labels(at, v)
		case "params":
			t.Params = p.kind(at, v, rawjson.Object, "an object")
		case "max_tokens":
			t.MaxTokens = p.small(at, v)
		case "exact_tokens":
			t.ExactTokens = p.small(at, v)
		case "final":
			t.Final = string(p.kind(at, v, rawjson.Bool, "true or false")) == "true"
		case "truth":
			t.Truth = v
		case "append":
			p.kind(at, v, rawjson.Array, "a list")
			v.Each(func(i int, v rawjson.Value) bool {
				t.Append = append(t.Append, p.message(at+"/"+strconv.Itoa(i), v))
				return p.err == nil
			})
		case "recorded":
			m := p.message(at, v)
			t.Recorded = &m
		default:
			p.unknown(at[:len(at)-len(key)-1], key)
		}
	})
	return t
}

func (p *parser) message(at string, v rawjson.Value) sdk.Message {
	p.kind(at, v, rawjson.Object, "a chat message, or composed")
	c := v.Get("composed")
	if c == nil {
		if role, _ := v.Get("role").Text(); role == "" {
			p.fault(at+"/role", "a text that is not empty", "the message has no role")
		}
		return sdk.Message{Json: rawjson.AppendCompact(nil, v)}
	}
	out := &sdk.Composed{}
	at += "/composed"
	p.kind(at, c, rawjson.Object, "an object")
	c.Fields(func(key []byte, v rawjson.Value) {
		at := at + "/" + string(key)
		switch string(key) {
		case "role":
			out.Role = p.text(at, v)
		case "tool_call_id":
			out.ToolCallId = p.text(at, v)
		case "pieces":
			p.kind(at, v, rawjson.Array, "a list")
			v.Each(func(i int, v rawjson.Value) bool {
				out.Pieces = append(out.Pieces, p.piece(at+"/"+strconv.Itoa(i), v))
				return p.err == nil
			})
		default:
			p.unknown(at[:len(at)-len(key)-1], key)
		}
	})
	return sdk.Message{Composed: out}
}

func (p *parser) piece(at string, v rawjson.Value) sdk.Piece {
	var out sdk.Piece
	n := 0
	v.Fields(func(key []byte, v rawjson.Value) {
		n++
		switch string(key) {
		case "text":
			out.Text = []byte(p.text(at+"/text", v))
		case "filler":
			out.Filler = p.filler(at+"/filler", v)
		case "answer_of_turn":
			turn := p.small(at+"/answer_of_turn", v)
			out.AnswerOfTurn = &turn
		default:
			p.unknown(at, key)
		}
	})
	if n != 1 {
		p.fault(at, "one of text, filler and answer_of_turn", "the piece has %d fields", n)
	}
	return out
}

func (p *parser) filler(at string, v rawjson.Value) *sdk.Filler {
	out := &sdk.Filler{}
	p.kind(at, v, rawjson.Object, "an object")
	v.Fields(func(key []byte, v rawjson.Value) {
		at := at + "/" + string(key)
		switch string(key) {
		case "tokens":
			out.Tokens = p.small(at, v)
		case "key":
			out.Key = []byte(p.text(at, v))
		case "key_base64":
			var err error
			if out.Key, err = base64.StdEncoding.DecodeString(p.text(at, v)); err != nil {
				p.fault(at, "bytes as base64", "the key is no base64")
			}
		case "scope":
			name := p.text(at, v)
			for scope, known := range scopes {
				if name == known {
					out.Scope = scope
				}
			}
		default:
			p.unknown(at[:len(at)-len(key)-1], key)
		}
	})
	if out.Scope == 0 {
		p.fault(at+"/scope", "trajectory, run or workload", "the filler has no scope that is known")
	}
	return out
}

func (p *parser) labels(at string, v rawjson.Value) []sdk.Label {
	p.kind(at, v, rawjson.Object, "an object")
	var out []sdk.Label
	v.Fields(func(key []byte, v rawjson.Value) {
		out = append(out, sdk.Label{Key: string(key), Value: p.text(at+"/"+string(key), v)})
	})
	slices.SortStableFunc(out, func(a, b sdk.Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func (p *parser) kind(at string, v rawjson.Value, want rawjson.Kind, expected string) []byte {
	if v.Kind() != want {
		p.fault(at, expected, "the value is %s", frame.Clip(v))
	}
	return v
}

func (p *parser) text(at string, v rawjson.Value) string {
	text, ok := v.Text()
	if !ok {
		p.fault(at, "a text", "the value is %s", frame.Clip(v))
	}
	return text
}

func (p *parser) number(at string, v rawjson.Value, most uint64) uint64 {
	n, ok := rawjson.Integer(v)
	if !ok || n < 0 || uint64(n) > most {
		p.fault(at, "a whole number from 0 to "+strconv.FormatUint(most, 10), "the value is %s", frame.Clip(v))
	}
	return uint64(n)
}

func (p *parser) small(at string, v rawjson.Value) uint32 {
	return uint32(p.number(at, v, math.MaxUint32))
}
