package relay

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzRequest: whatever an evaluation sends becomes a request of the run, or an error.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{}],"model":"x","max_tokens":3,"stream":true,"stream_options":{"include_usage":true}}`,
		`{"Messages":[{}],"messages":[{"a":1}],"messages":[{"b":2}],"seed":null,"response_format":{"a":{"b":null}}}`,
		`{"messages":[{"content":"\ud800"}],"max_new_tokens":1,"max_tokens":null}`, `[]`, `{"messages":[1]}`, ``, `{"messages":[{}],"tools":[{}],"\u006dodel":"y"}`,
	} {
		f.Add([]byte(seed), "c-1")
	}
	c := Config{Model: "m", MaxTokensKey: "max_tokens", MaxTokens: 7, Params: json.RawMessage(`{"top_p":0.5}`), Override: json.RawMessage(`{"seed":7}`),
		RoutingHeaders: []string{"X-Session-ID"}}
	f.Fuzz(func(t *testing.T, body []byte, conversation string) {
		req, err := c.request(body, conversation)
		if err != nil {
			return
		}
		text := bytes.Join(req.Body, nil)
		var got map[string]json.RawMessage
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if string(got["model"]) != `"m"` || string(got["seed"]) != "7" || got["max_tokens"] == nil || int64(len(text)) != req.Size {
			t.Errorf("%s", text)
		}
		for _, key := range []string{"max_completion_tokens", "max_new_tokens"} {
			if got[key] != nil {
				t.Errorf("%s stays: %s", key, text)
			}
		}
		if bytes.Count(text, []byte(`{"model":`)) < 1 || !bytes.HasPrefix(text, []byte(`{"model":"m","messages":[{`)) {
			t.Errorf("%s", text)
		}
	})
}
