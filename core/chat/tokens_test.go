package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"paceline/core/chat"
)

func TestTokens(t *testing.T) {
	p := merge(t, `{"temperature":0,"return_token_ids":true,"ignore_eos":true,"min_tokens":3}`)
	shell, err := chat.Wire{Model: "m", API: chat.APICompletions, Stream: true, IncludeUsage: true}.Shell(p, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	filler := []byte("1,22")
	answer := chat.TokenFragment(json.RawMessage("[5,60]"))
	r, err := shell.Tokens([][]byte{filler, nil, answer, []byte("7")})
	if err != nil {
		t.Fatal(err)
	}
	tail := `,"temperature":0,"max_tokens":3,"stream":true,"stream_options":{"include_usage":true},"ignore_eos":true,"min_tokens":3,"return_token_ids":true}`
	if got, want := string(join(r)), `{"model":"m","prompt":[1,22,5,60,7]`+tail; got != want || r.Size != int64(len(want)) {
		t.Errorf("got  %s, %d bytes\nwant %s", got, r.Size, want)
	}
	if &r.Body[2][0] != &filler[0] {
		t.Error("a fragment was copied")
	}
	if whole, err := r.Whole(); err != nil || !strings.Contains(string(join(whole)), `"prompt":[1,22,5,60,7],"temperature":0,"max_tokens":3,"stream":false,"ignore_eos"`) {
		t.Errorf("whole: %s, %v", join(whole), err)
	}
	if r, err := shell.Tokens(nil); err != nil || string(join(r)) != `{"model":"m","prompt":[]`+tail {
		t.Errorf("no ids: %s, %v", join(r), err)
	}
	other, err := chat.Wire{Model: "m"}.Shell(p, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Tokens([][]byte{filler}); err == nil {
		t.Error("chat completions took a prompt of token ids")
	}
}

func TestTokenFragment(t *testing.T) {
	for raw, want := range map[string]string{"[1,2]": "1,2", "[]": "", "": "", "[7]": "7"} {
		if got := string(chat.TokenFragment(json.RawMessage(raw))); got != want {
			t.Errorf("%q: got %q", raw, got)
		}
	}
}
