package chat_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
)

const threeCalls = `{"role":"assistant","content":"look","tool_calls":[` +
	`{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"f\":\"a\"}"}},` +
	`{"id":"c2","type":"function","function":{"name":"read","arguments":{"f":"b"}}},` +
	`{"id":"c3","type":"function","function":{"name":"ls"}}]}`

// TestMerge shows three results of parallel calls apart and merged: one tool message against three, with the same text in all.
func TestMergeResults(t *testing.T) {
	long := strings.Repeat("b", 5000)
	apart := []chat.Draft{
		whole(threeCalls),
		whole(`{"role":"tool","tool_call_id":"c1","content":"one\n"}`),
		whole(`{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"two "},{"type":"text","text":"` + long + `"}]}`),
		{Role: "tool", ToolCallID: "c3", Pieces: []chat.Piece{inside("t"), answerOf(7)}},
		whole(`{"role":"user","content":"go on"}`),
		whole(`{"role":"tool","tool_call_id":"c4","content":"alone"}`),
	}
	merged, err := chat.MergeResults(apart)
	if err != nil {
		t.Fatal(err)
	}
	fragments, holes := chat.Fragments(merged)
	got := joined(t, chat.Fill(fragments, holes, func(uint32) []byte { return []byte("hree") }))
	want := `[{"role":"assistant","content":"look","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":` +
		`"{\"read\":{\"f\":\"a\"},\"read_2\":{\"f\":\"b\"},\"ls\":{}}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"one\ntwo ` + long + `three"},` +
		`{"role":"user","content":"go on"},{"role":"tool","tool_call_id":"c4","content":"alone"}]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if apart[1].JSON == nil {
		t.Error("the drafts that were given are changed")
	}
	if _, err := chat.MergeResults([]chat.Draft{apart[1], whole(`{"role":"tool","content":[{"type":"image_url"}]}`)}); err == nil {
		t.Error("a picture was merged")
	}
}

// TestMergedLive is a live answer with three calls: one merged result belongs to all of them.
func TestMergedLive(t *testing.T) {
	for calls, want := range map[string]string{
		threeCalls:                  `{"role":"tool","tool_call_id":"c1","content":"all"}`,
		`{"content":"no call"}`:     `{"role":"user","content":"all"}`,
		`{"tool_calls":[{"id":1}]}`: `{"role":"tool","tool_call_id":"call_1_1","content":"all"}`,
	} {
		h := chat.NewHistory(chat.Keep)
		h.MergeCalls()
		if err := h.Live(answer(calls)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Append(raws(`{"role":"tool","tool_call_id":"r1","content":"all"}`)...); err != nil {
			t.Fatal(err)
		}
		list := h.Messages()
		if n := bytes.Count(list[0], []byte(`"id":`)); n > 1 || !json.Valid(list[0]) {
			t.Errorf("%d calls: %s", n, list[0])
		}
		if len(list) != 2 || string(list[1]) != want {
			t.Errorf("%s: %q", calls, list)
		}
	}
}
