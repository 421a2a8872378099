package reply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	for raw, want := range map[string]Message{
		``:                   {},
		`nonsense`:           {},
		`[1]`:                {},
		`{"content":" hi "}`: {Text: "hi"},
		`{"content":null,"tool_calls":[{"id":"a","function":{"name":"list","arguments":"{\"path\":\"x\"}"}},{}]}`:     {Calls: []Call{{"a", "list", `{"path":"x"}`}, {}}},
		`{"content":[{"type":"text","text":"a"},{"text":"b"}],"tool_calls":[{"function":{"arguments":{"path": 1}}}]}`: {Text: "ab", Calls: []Call{{Arguments: `{"path":1}`}}},
		`{"content":"<think>a</think>b</think> c"}`:                                                                   {Text: "c"},
		`{"content":"<think>only"}`: {Text: "<think>only"},
	} {
		if diff := cmp.Diff(want, Read([]byte(raw))); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}
