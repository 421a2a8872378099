package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"paceline/workloads/codeqa/corpus"
)

func open(tb testing.TB) *corpus.Tree {
	tb.Helper()
	tree, err := corpus.Open()
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}

func TestCalls(t *testing.T) {
	tree := open(t)
	for _, c := range []struct{ name, args, want string }{
		{"list", ``, "CHANGELOG.md  "},
		{"list", `{}`, "\ntide/\n"},
		{"list", `{"path":null}`, "\nREADME.md  "},
		{"list", `{"path":"docs/"}`, "adr/\narchitecture.md  "},
		{"list", `{"path":"./docs/adr"}`, "0003-idempotent-bookings.md  "},
		{"list", `{"path":"/"}`, "OWNERS  "},
		{"grep", `{"pattern":"RAFT_LENGTH_M ="}`, "planner/planner/assign.py:9: RAFT_LENGTH_M = 40.0\n[1 matching lines in 1 files]\n"},
		{"grep", `{"pattern":"raft_length_m = ","ignore_case":true}`, "[1 matching lines in 1 files]"},
		{"grep", `{"pattern":"raft_length_m = "}`, "no matching line in 59 files"},
		{"grep", `{"pattern":"^name","path":"tide"}`, "tide/Cargo.toml:2: name = \"tide\"\n"},
		{"grep", `{"pattern":"e"}`, "of which the first "},
		{"read", `{"path":"ops/ledger.toml","start":2,"lines":2}`, "   2  [database]\n   3  pool = 18\n[ops/ledger.toml has 14 lines; go on with start 4]\n"},
		{"read", `{"path":"/ops/ledger.toml","start":14.0}`, "  14  window_days = 35\n"},
		{"read", `{"path":"gateway/src/server.ts","lines":100000}`, "   1  import"},
	} {
		r := Call(tree, c.name, c.args)
		if r.Failed || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s %s: %v, %q; want %q", c.name, c.args, r.Failed, r.Text, c.want)
		}
		if again := Call(tree, c.name, c.args); again != r {
			t.Errorf("%s %s gives two results", c.name, c.args)
		}
	}
}

func TestErrorsAreToldToTheModel(t *testing.T) {
	tree := open(t)
	for _, c := range []struct{ name, args, want string }{
		{"", `{}`, "names no tool"},
		{"open", `{}`, `no tool "open"; there are list, grep, read`},
		{strings.Repeat("x", 500), `{}`, `xxx..."`},
		{"list", `{"path":"docs"`, "no JSON: byte 14"},
		{"list", `["docs"]`, "no JSON object"},
		{"list", `{"folder":"docs"}`, `list has no argument "folder"; it takes path`},
		{"list", `{"path":7}`, "path must be a string"},
		{"list", `{"path":"../etc"}`, "hold no .."},
		{"list", `{"path":"doc"}`, `there is no "doc"`},
		{"list", `{"path":"README.md"}`, "is a file"},
		{"grep", `{}`, "grep needs pattern"},
		{"grep", `{"pattern":""}`, "grep needs pattern"},
		{"grep", `{"pattern":"(a"}`, "a ) is missing"},
		{"grep", `{"pattern":"` + strings.Repeat("a", 201) + `"}`, "has 201 bytes; at most 200"},
		{"grep", `{"pattern":"` + strings.Repeat("(.*)*", 39) + `é$x"}`, "given up: it takes too many steps"},
		{"grep", `{"pattern":"a","ignore_case":"yes"}`, "must be true or false"},
		{"grep", `{"pattern":"a","path":"nowhere"}`, `there is no "nowhere"`},
		{"read", `{}`, "read needs path"},
		{"read", `{"path":"docs"}`, "is a folder"},
		{"read", `{"path":"README"}`, "there is no"},
		{"read", `{"path":"README.md","start":0}`, "start must be a whole number from 1"},
		{"read", `{"path":"README.md","start":"1"}`, "start must be a whole number from 1"},
		{"read", `{"path":"README.md","start":1000}`, "has 17 lines"},
	} {
		r := Call(tree, c.name, c.args)
		if !r.Failed || !strings.HasPrefix(r.Text, "error: ") || !strings.Contains(r.Text, c.want) {
			t.Errorf("%.40s %.60s: %v, %q; want %q", c.name, c.args, r.Failed, r.Text, c.want)
		}
	}
}

func TestDefinitionsAreJSON(t *testing.T) {
	var list []struct {
		Function struct{ Name string }
	}
	if err := json.Unmarshal([]byte(Definitions), &list); err != nil || len(list) != 3 {
		t.Errorf("%d tools, %v", len(list), err)
	}
}

// FuzzCall holds that any call has a bounded result in UTF-8.
func FuzzCall(f *testing.F) {
	tree := open(f)
	f.Add("grep", `{"pattern":"a{2,3}[^b]\\w"}`)
	f.Add("read", `{"path":"data/ships.csv","start":7}`)
	f.Add("list", `{"path":"."}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		r := Call(tree, name, args)
		if len(r.Text) > MaxResult+500 || !utf8.ValidString(r.Text) {
			t.Errorf("%d bytes: %.100q", len(r.Text), r.Text)
		}
	})
}
