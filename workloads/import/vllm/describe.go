package vllm

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

func scanDescription(r *frame.Record, s *frame.Scan) error {
	n, ok := rawjson.Integer(r.Value.Get("num_conversations"))
	if !ok || n < 1 || n > maxConversations {
		return r.Fault("/num_conversations", "num-conversations", "a whole number from 1 to "+strconv.Itoa(maxConversations), "num_conversations is %s", frame.Clip(r.Value.Get("num_conversations")))
	}
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "filetype", "num_conversations", "prompt_input", "prompt_output":
		case "text_files":
			s.Lose("files", 1)
		case "print_stats":
			s.Lose("print", 1)
		default:
			s.Strange(string(key))
		}
	})
	for i := range n {
		s.Whole("conversation-"+strconv.FormatInt(i+1, 10), frame.NoTime)
	}
	return nil
}

// describe makes one conversation of a description. What it draws depends on the conversation's name alone.
func describe(r *frame.Record, key string) (*sdk.Trajectory, error) {
	d := drawer{record: r, random: rand.New(rand.NewPCG(seed(key)))}
	in, out := "/prompt_input/", "/prompt_output/"
	messages := d.draw(in+"num_turns", r.Value.Get("prompt_input").Get("num_turns"), 2)
	if d.err == nil && messages > maxMessages {
		return nil, r.Fault(in+"num_turns", "num-turns", "at most "+strconv.Itoa(maxMessages), "the conversation has %d messages", messages)
	}
	common := d.draw(in+"common_prefix_num_tokens", r.Value.Get("prompt_input").Get("common_prefix_num_tokens"), 0)
	own := d.draw(in+"prefix_num_tokens", r.Value.Get("prompt_input").Get("prefix_num_tokens"), 0)
	t := &sdk.Trajectory{}
	for i := range (messages + 1) / 2 {
		question := d.draw(in+"num_tokens", r.Value.Get("prompt_input").Get("num_tokens"), 1)
		answer := d.draw(out+"num_tokens", r.Value.Get("prompt_output").Get("num_tokens"), 1)
		number := strconv.FormatInt(i, 10)
		var pieces []sdk.Piece
		if i == 0 && common > 0 {
			pieces = append(pieces, history.Piece(uint32(common), "common", sdk.ScopeWorkload))
		}
		if i == 0 && own > 0 {
			pieces = append(pieces, history.Piece(uint32(own), "prefix", sdk.ScopeTrajectory))
		}
		pieces = append(pieces, history.Piece(uint32(question), "in-"+number, sdk.ScopeTrajectory))
		recorded := history.Filler("assistant", uint32(answer), "out-"+number)
		t.Turns = append(t.Turns, sdk.Turn{
			Index: uint32(i), Append: []sdk.Message{history.Composed("user", pieces...)}, Recorded: &recorded,
			ExactTokens: uint32(answer), Labels: history.Request("user"), Final: i == (messages+1)/2-1,
		})
	}
	return t, d.err
}

func seed(key string) (uint64, uint64) {
	h := fnv.New128a()
	_, _ = h.Write([]byte(key))
	sum := h.Sum(nil)
	return binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])
}

// drawer draws numbers from the distributions of a description; err is the first fault.
type drawer struct {
	record *frame.Record
	random *rand.Rand
	err    error
}

// maxDraw bounds lengths, maxMessages the messages of a conversation.
const (
	maxDraw     = 10_000_000
	maxMessages = 10_000
)

// draw gives a whole number from least. A missing description is 0, or a fault where least is above that.
func (d *drawer) draw(at string, v rawjson.Value, least int64) int64 {
	if v.Missing() && least == 0 || d.err != nil {
		return 0
	}
	kind, _ := v.Get("distribution").Text()
	var n int64
	ok := true
	switch kind {
	case "constant":
		n, ok = rawjson.Integer(v.Get("value"))
	case "uniform":
		low, lowOK := rawjson.Integer(v.Get("min"))
		high, highOK := rawjson.Integer(v.Get("max"))
		if ok = lowOK && highOK && low >= 0 && high >= low && high <= maxDraw; ok {
			n = low + d.random.Int64N(high-low+1)
		}
	default:
		d.err = d.record.Fault(at+"/distribution", "distribution", "constant or uniform; std/profiles draws from other ones", "the distribution is %s", frame.Clip(v.Get("distribution")))
		return 0
	}
	if !ok || n < least || n > maxDraw {
		d.err = d.record.Fault(at, "draw", "whole numbers from "+strconv.FormatInt(least, 10), "the description is %s", frame.Clip(v))
		return 0
	}
	return n
}
