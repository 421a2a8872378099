package chat_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
)

func inside(s string) chat.Piece { return chat.Piece{Inside: chat.AppendEscaped(nil, s)} }

func answerOf(turn uint32) chat.Piece { return chat.Piece{AnswerOf: &turn} }

func whole(message string) chat.Draft { return chat.Draft{JSON: json.RawMessage(message)} }

// joined writes fragments as one JSON array, by the same rule as a body.
func joined(t *testing.T, fragments []json.RawMessage) string {
	t.Helper()
	shell, err := chat.Wire{Model: "m"}.Shell(chat.Params{}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := make([][]byte, len(fragments))
	for i := range fragments {
		list[i] = fragments[i]
	}
	body := string(bytes.Join(shell.Body(list).Body, nil))
	if !json.Valid([]byte(body)) {
		t.Errorf("no JSON: %s", body)
	}
	_, rest, _ := strings.Cut(body, `"messages":`)
	messages, _, _ := strings.Cut(rest, `,"stream"`)
	return messages
}

func TestFragments(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	drafts := []chat.Draft{
		whole(`{"role":"system","content":"s"}`),
		{Role: "user", Pieces: []chat.Piece{inside("say \"a\"\n"), inside("b")}},
		{Role: "tool", ToolCallID: "c1", Pieces: []chat.Piece{answerOf(3)}},
		{Role: "user", Pieces: []chat.Piece{inside("x"), inside(long), answerOf(4), answerOf(3), inside("y")}},
		{Role: "user"},
	}
	fragments, holes := chat.Fragments(drafts)
	filled := chat.Fill(fragments, holes, func(turn uint32) []byte {
		return map[uint32][]byte{3: []byte("three"), 4: nil}[turn]
	})
	want := `[{"role":"system","content":"s"},{"role":"user","content":"say \"a\"\nb"},{"role":"tool","tool_call_id":"c1","content":"three"},` +
		`{"role":"user","content":"x` + long + `threey"},{"role":"user","content":""}]`
	if diff := cmp.Diff(want, joined(t, filled)); diff != "" {
		t.Error(diff)
	}
	for i := range drafts {
		one, ok := drafts[i].Whole()
		if want := i != 2 && i != 3; ok != want || ok && !json.Valid(one) {
			t.Errorf("draft %d: whole %v, %s", i, ok, one)
		}
	}
	if len(holes) != 3 || len(fragments[holes[0].At]) > 0 {
		t.Errorf("holes %v; filling one list filled the plan's too", holes)
	}
}

// TestPairingOfComposedResults holds composed tool results after a live answer to the rule that whole ones follow.
func TestPairingOfComposedResults(t *testing.T) {
	play := func(list []chat.Draft) (string, chat.Pairing) {
		h := chat.NewHistory(chat.Keep)
		if err := h.Live(answer(`{"content":null,"tool_calls":[{"id":"n1","function":{"name":"f"}},{"id":"n2","function":{"name":"g"}}]}`)); err != nil {
			t.Fatal(err)
		}
		fragments, holes := chat.Fragments(list)
		p, err := h.Append(chat.Fill(fragments, holes, func(uint32) []byte { return []byte("found") })...)
		if err != nil {
			t.Fatal(err)
		}
		raw := make([]json.RawMessage, 0, len(h.Messages()))
		for _, m := range h.Messages()[1:] {
			raw = append(raw, m)
		}
		return joined(t, raw), p
	}
	pieces := []chat.Piece{inside("I "), answerOf(1)}
	for name, tt := range map[string]struct{ whole, composed []chat.Draft }{
		"new ids": {
			[]chat.Draft{whole(`{"role":"tool","tool_call_id":"o1","content":"I found"}`), whole(`{"role":"tool","tool_call_id":"o2","content":"b"}`)},
			[]chat.Draft{{Role: "tool", ToolCallID: "o1", Pieces: pieces}, whole(`{"role":"tool","tool_call_id":"o2","content":"b"}`)},
		},
		"too many, no id": {
			[]chat.Draft{whole(`{"role":"tool","content":"1"}`), whole(`{"role":"tool","content":"2"}`), whole(`{"role":"tool","content":"I found"}`)},
			[]chat.Draft{whole(`{"role":"tool","content":"1"}`), whole(`{"role":"tool","content":"2"}`), {Role: "tool", Pieces: pieces}},
		},
		"none": {
			[]chat.Draft{whole(`{"role":"user","content":"I found"}`)}, []chat.Draft{{Role: "user", Pieces: pieces}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, pairing := play(tt.whole)
			got, p := play(tt.composed)
			if diff := cmp.Diff(want, got); diff != "" || p != pairing {
				t.Errorf("pairing %+v, want %+v (-want +got):\n%s", p, pairing, diff)
			}
		})
	}
}

// TestSaltOfDrafts holds salted drafts to the same messages salted whole.
func TestSaltOfDrafts(t *testing.T) {
	for name, tt := range map[string]struct {
		drafts []chat.Draft
		plain  []json.RawMessage
	}{
		"composed system": {
			[]chat.Draft{whole(`{"role":"user","content":"u"}`), {Role: "system", Pieces: []chat.Piece{inside("a\n"), answerOf(7)}}},
			raws(`{"role":"user","content":"u"}`, `{"role":"system","content":"a\nseven"}`),
		},
		"whole beside composed": {
			[]chat.Draft{{Role: "user", Pieces: []chat.Piece{answerOf(7)}}, whole(`{"role":"system","content":"s"}`), {Role: "user", Pieces: []chat.Piece{answerOf(7)}}},
			raws(`{"role":"user","content":"seven"}`, `{"role":"system","content":"s"}`, `{"role":"user","content":"seven"}`),
		},
		"nothing to salt": {[]chat.Draft{{Role: "assistant"}}, raws(`{"role":"assistant","content":""}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := salter(t, "seeded", 42)
			fragments, holes, err := s.Fragments(tt.drafts, "conv-1", 3)
			if err != nil {
				t.Fatal(err)
			}
			if at, salted, err := s.Salt(tt.plain, "conv-1", 3); err != nil {
				t.Fatal(err)
			} else if at >= 0 {
				tt.plain[at] = salted
			}
			filled := chat.Fill(fragments, holes, func(uint32) []byte { return []byte("seven") })
			if diff := cmp.Diff(joined(t, tt.plain), joined(t, filled)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswerInside(t *testing.T) {
	for _, tt := range []struct {
		rule          chat.Thinking
		message, want string
	}{
		{chat.Keep, `{"role":"assistant","content":"a \"b\""}`, `a \"b\"`},
		{chat.Keep, `{"content":"<think>x</think>a"}`, `<think>x</think>a`},
		{chat.Strip, `{"content":"\u003cthink>x</think>\n a\t"}`, `a\t`},
		{chat.Keep, `{"content":[{"type":"text","text":"a\n"},{"type":"image"},{"type":"text","text":"b"}]}`, `a\nb`},
		{chat.Keep, `{"content":null,"tool_calls":[]}`, ``},
		{chat.Keep, `{"reasoning_content":"r"}`, ``},
		{chat.Keep, ``, ``},
	} {
		if got := string(chat.AnswerInside(json.RawMessage(tt.message), tt.rule)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.message, got, tt.want)
		}
	}
}
