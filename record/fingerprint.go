package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
)

// fingerprint tells messages apart. Key order, white space, thinking and empty contents do not count: agents send the same
// message back in other words of JSON.
type fingerprint [sha256.Size]byte

func fingerprintOf(message json.RawMessage) fingerprint {
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	var m map[string]any
	if d.Decode(&m) != nil {
		return sha256.Sum256(message)
	}
	out := map[string]any{}
	for _, key := range []string{"role", "content", "name", "tool_call_id", "tool_calls", "function_call"} {
		switch v := m[key].(type) {
		case nil:
		case string:
			if v != "" {
				out[key] = v
			}
		case []any:
			if len(v) > 0 {
				out[key] = v
			}
		default:
			out[key] = v
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // sorted by key at every level, compact
	e.SetEscapeHTML(false)
	if e.Encode(out) != nil {
		return sha256.Sum256(message)
	}
	return sha256.Sum256(b.Bytes())
}

func fingerprints(messages []json.RawMessage) []fingerprint {
	list := make([]fingerprint, len(messages))
	for i, m := range messages {
		list[i] = fingerprintOf(m)
	}
	return list
}

func role(message json.RawMessage) string {
	var m struct {
		Role string `json:"role"`
	}
	_ = json.Unmarshal(message, &m) // a message without a role is none of the assistant's
	return m.Role
}
