package inline

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoldenPieces(t *testing.T) {
	text, err := os.ReadFile("testdata/inline_scorer_pieces.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Op   string
			Turn json.RawMessage
			Out  json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 76 {
		t.Fatalf("%d vectors", len(golden.Cases))
	}
	for i, tc := range golden.Cases {
		turn := trim(tc.Turn)
		var got, want []string
		switch tc.Op {
		case "bash_actions":
			got = Actions(turn)
		case "ground_truth_intents":
			got = Intents(turn.Get("intent_codes"))
		case "model_intent":
			if intent := Intent(turn); intent != "" {
				got = []string{intent}
			}
			var one *string
			if err := json.Unmarshal(tc.Out, &one); err != nil {
				t.Fatal(err)
			}
			if one != nil {
				want = []string{*one}
			}
		default:
			t.Fatalf("vector %d: unknown op %s", i, tc.Op)
		}
		if tc.Op != "model_intent" {
			if err := json.Unmarshal(tc.Out, &want); err != nil {
				t.Fatal(err)
			}
		}
		if len(got)+len(want) > 0 && !cmp.Equal(got, want) {
			t.Errorf("vector %d: %s of %s gives %q, want %q", i, tc.Op, tc.Turn, got, want)
		}
	}
}

func TestMorePrograms(t *testing.T) {
	for text, want := range map[string][]string{
		`ls 'a;b' "c|d" `:        {"ls"},
		`it's; cat x`:            {"cat"},
		"FOO=1 env BAR=2 make":   {"make"},
		"/usr/local/bin/pip3.11": {"pip"},
		"python3.11.2.4 x":       nil,
		"a=b":                    nil,
		"=b ls":                  nil,
		"9A=1 ls":                nil,
		"sudo":                   nil,
		"ls | | cat":             {"ls", "cat"},
		"\x1cls":                 {"ls"},
	} {
		if got := appendPrograms(nil, text); !cmp.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add(`{"tool_calls":[{"function":{"name":"bash","arguments":"{\"command\":\"ls | cat 'x'\"}"}}]}`)
	f.Add(`{"content":"intent: I042 éI123","reasoning_content":"I001"}`)
	f.Fuzz(func(t *testing.T, text string) {
		message := trim([]byte(text))
		Actions(message)
		Intents(message)
		if code := Intent(message); code != "" && len(code) != 4 {
			t.Fatalf("intent %q", code)
		}
		appendPrograms(nil, text)
	})
}
