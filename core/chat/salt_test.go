package chat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"paceline/core/chat"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// saltCase is one vector of the reference. Its repeats count from 1.
type saltCase struct {
	Op           string
	In           json.RawMessage
	Out          json.RawMessage
	Messages     []json.RawMessage
	RepeatID     uint32 `json:"repeat_id"`
	Conversation string `json:"conversation_id"`
	Error        string
}

func saltCases(t *testing.T) []saltCase {
	t.Helper()
	data, err := os.ReadFile("testdata/salt.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []saltCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func salter(t *testing.T, name string, root uint64) *chat.Salter {
	t.Helper()
	scheme, err := chat.SaltSchemeByName(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := chat.NewSalter(scheme, root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func value(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// TestSaltGolden covers every vector of the reference but its salt for warm-up prompts, a feature of single-turn runs that
// draws from Python's random generator: seeded covers that need here.
func TestSaltGolden(t *testing.T) {
	s := salter(t, "mlperf", 7)
	for _, c := range saltCases(t) {
		switch c.Op {
		case "salt4hex":
			var want, got string
			if err := json.Unmarshal(c.Out, &want); err != nil {
				t.Fatal(err)
			}
			if n, err := strconv.Atoi(string(c.In)); err == nil {
				got, _ = s.Values("", uint32(n-1))
			} else {
				_, got = s.Values(value(t, c.In).(string), 0)
			}
			if got != want {
				t.Errorf("salt of %s: got %s, want %s", c.In, got, want)
			}
		case "messages_with_trajectory_salt":
			at, salted, err := s.Salt(c.Messages, c.Conversation, c.RepeatID-1)
			if c.Error != "" {
				if !errors.Is(err, chat.ErrNoSystem) || !strings.Contains(err.Error(), c.Conversation) {
					t.Errorf("%s: got error %v, want ErrNoSystem that names it", c.Conversation, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.Conversation, err)
				continue
			}
			c.Messages[at] = salted
			got, _ := json.Marshal(c.Messages)
			if d := cmp.Diff(value(t, c.Out), value(t, got)); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.Conversation, d)
			}
		}
	}
}

func raws(messages ...string) []json.RawMessage {
	var list []json.RawMessage
	for _, m := range messages {
		list = append(list, json.RawMessage(m))
	}
	return list
}

func TestSeededSalt(t *testing.T) {
	for name, tt := range map[string]struct {
		messages []json.RawMessage
		at       int
		want     string // with R and C for the two salts
	}{
		"system": {
			raws(`{"role":"system","content":"S <b> \u0041"}`, `{"role":"user","content":"u"}`), 0,
			`{"role":"system","content":"[salt: R]\n\nS <b> \u0041\n\n[salt: C]"}`,
		},
		"user where there is no system": {
			raws(`{ "role": "user", "content": "u", "n": 9007199254740993 }`), 0,
			`{ "role": "user", "content": "[salt: R]\n\nu\n\n[salt: C]", "n": 9007199254740993 }`,
		},
		"first text part": {
			raws(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"t"}]}`), 0,
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"[salt: R]\n\nt\n\n[salt: C]"}]}`,
		},
		"nothing to salt": {raws(`{"role":"user","content":null}`, `{"role":"tool","content":"x"}`), -1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := salter(t, "seeded", 42)
			at, salted, err := s.Salt(tt.messages, "conv-1", 3)
			if err != nil {
				t.Fatal(err)
			}
			r, c := s.Values("conv-1", 3)
			want := strings.NewReplacer("R]", r+"]", "C]", c+"]").Replace(tt.want)
			if at != tt.at || string(salted) != want {
				t.Errorf("got %d %s\nwant %d %s", at, salted, tt.at, want)
			}
		})
	}
}

// TestSaltSharing is case 58: runs differ within the first 64 bytes of text, equal seeds give equal bytes, and the
// conversations of one run and repeat go on sharing their system prompt.
func TestSaltSharing(t *testing.T) {
	system := raws(`{"role":"system","content":"` + strings.Repeat("You are a careful helper. ", 6) + `"}`)
	salted := func(root uint64, conversation string, repeat uint32) string {
		_, m, err := salter(t, "seeded", root).Salt(system, conversation, repeat)
		if err != nil {
			t.Fatal(err)
		}
		return value(t, m).(map[string]any)["content"].(string)
	}
	run1, run2 := salted(1, "p1", 0), salted(2, "p1", 0)
	if run1[:64] == run2[:64] {
		t.Errorf("two runs share %q", run1[:64])
	}
	if again := salted(1, "p1", 0); again != run1 {
		t.Errorf("the same seed gave %q and %q", run1, again)
	}
	if a, b := salted(1, "p1", 0), salted(1, "p1", 1); a[:64] == b[:64] {
		t.Errorf("two repeats share %q", a[:64])
	}
	a, b := salted(1, "p1", 0), salted(1, "p2", 0)
	shared := 0
	for shared < len(a) && a[shared] == b[shared] {
		shared++
	}
	if want := len("[salt: 0123456789abcdef]\n\n") + 6*len("You are a careful helper. "); shared < want || a == b {
		t.Errorf("conversations of one run share %d bytes, want at least %d and not all", shared, want)
	}
	if at, _, err := salter(t, "none", 1).Salt(system, "p1", 0); at != -1 || err != nil {
		t.Errorf("none: got %d, %v", at, err)
	}
}

// TestSaltPieces holds bodies over a salted message in pieces to those over the same message whole.
func TestSaltPieces(t *testing.T) {
	long := strings.Repeat(`{ \"text\" `, 1000)
	shell, err := chat.Wire{Model: "m"}.Shell(chat.Params{}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		pieces int
		list   []json.RawMessage
	}{
		"short":            {1, raws(`{"role":"system","content":"s"}`, `{"role":"user","content":"u"}`)},
		"long":             {5, raws(`{"role":"system","content":"`+long+`"}`, `{"role":"user","content":"u"}`)},
		"long in the end":  {5, raws(`{"role":"developer","content":"d"}`, `{"role":"user","content":[{"type":"text","text":"`+long+`"}]}`)},
		"long fields":      {7, raws(`{"role":"system","a":"` + long + `","content":"` + long + `","b":"` + long[:10] + `"}`)},
		"long behind text": {3, raws(`{"role":"system","content":"s","b":"` + long + `"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := salter(t, "seeded", 42)
			at, whole, err := s.Salt(tt.list, "conv-1", 3)
			if err != nil {
				t.Fatal(err)
			}
			place, pieces, err := s.Pieces(tt.list, "conv-1", 3)
			if err != nil || place != at || len(pieces) != tt.pieces {
				t.Fatalf("%d pieces at %d, error %v; want %d at %d", len(pieces), place, err, tt.pieces, at)
			}
			h, want := chat.NewHistory(chat.Keep), chat.NewHistory(chat.Keep)
			for _, add := range []struct {
				h *chat.History
				m []json.RawMessage
			}{
				{h, slices.Concat(tt.list[:at], pieces, tt.list[at+1:])},
				{want, slices.Concat(tt.list[:at], []json.RawMessage{whole}, tt.list[at+1:])},
			} {
				if _, err := add.h.Append(add.m...); err != nil {
					t.Fatal(err)
				}
				if err := add.h.Live(&chat.Answer{Message: json.RawMessage(`{"content":"a"}`)}); err != nil {
					t.Fatal(err)
				}
			}
			got, body := shell.Body(h.Messages()), shell.Body(want.Messages())
			if d := cmp.Diff(string(bytes.Join(body.Body, nil)), string(bytes.Join(got.Body, nil))); d != "" || got.Size != body.Size {
				t.Errorf("size %d, want %d (-want +got):\n%s", got.Size, body.Size, d)
			}
			if !json.Valid(bytes.Join(got.Body, nil)) {
				t.Error("the body is no JSON")
			}
		})
	}
}

// TestSaltPiecesShare is the memory of a large prompt that many conversations carry: only the salts are their own.
func TestSaltPiecesShare(t *testing.T) {
	system := raws(`{"role":"system","content":"` + strings.Repeat("x", 50_000) + `"}`)
	s := salter(t, "seeded", 42)
	_, a, err := s.Pieces(system, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, b, err := s.Pieces(system, "b", 0)
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for i := range a {
		if len(a[i]) > 0 && &a[i][0] != &b[i][0] {
			own += len(a[i])
		}
	}
	if own == 0 || own > 200 {
		t.Errorf("a conversation holds %d bytes of its own", own)
	}
}

func TestSaltSchemeFaults(t *testing.T) {
	if _, err := chat.SaltSchemeByName("pepper"); err == nil {
		t.Error("an unknown scheme was found")
	}
	for _, s := range []chat.SaltScheme{
		{Template: "no content", Digest: chat.DigestSeed, Scope: chat.ScopeSystem},
		{Template: "{content}", Digest: "md5", Scope: chat.ScopeSystem},
		{Template: "{content}", Digest: chat.DigestSeed, Scope: "all"},
	} {
		if _, err := chat.NewSalter(s, 1); err == nil {
			t.Errorf("scheme %+v was taken", s)
		}
	}
}
