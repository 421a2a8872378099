package record

import (
	"encoding/json"
	"testing"
)

// TestFingerprints takes messages that say the same for the same, whatever the order of keys at any level.
func TestFingerprints(t *testing.T) {
	const answer = `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"a\": 1}"}}]}`
	for other, same := range map[string]bool{
		`{"tool_calls": [{"function":{"arguments":"{\"a\": 1}","name":"ls"},"id":"c","type":"function"}], "role":"assistant"}`:                                        true,
		`{"role":"assistant","content":null,"reasoning_content":"why","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"a\": 1}"}}]}`: true,
		`{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"a\": 1}"}}]}`:                             true,
		`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"a\":1}"}}]}`:                                           false,
		`{"role":"assistant","content":"x","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"a\": 1}"}}]}`:                            false,
		`{"role":"assistant"}`: false,
		`7`:                    false,
	} {
		if got := fingerprintOf(json.RawMessage(other)) == fingerprintOf(json.RawMessage(answer)); got != same {
			t.Errorf("%s: the same %t", other, got)
		}
	}
}
