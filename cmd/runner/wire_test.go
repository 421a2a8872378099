package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/blake2b"

	"paceline/mlperf/standin"
)

// sent is what one request says: its headers and its body, decoded.
type sent struct {
	Header http.Header    `json:"header"`
	Body   map[string]any `json:"body"`
}

const session = "X-Session-Id"

// cmdWire holds the requests of conversations that came to the scripted endpoint against those of the reference client:
// captured ones, or what its rules (in words: shared/reference/mlperf-agentic.md, 3.3 and 3.4) make of a data set. Bodies are
// compared as values, headers as a whole, each conversation in its order.
func cmdWire(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && (len(args) == 2 && args[0] == "golden" || len(args) == 5 && args[0] == "rules"), "wire golden FILE | wire rules DATASET TRAJECTORIES plain|salted PARAMS")
	var expected []sent
	if args[0] == "golden" {
		text, err := os.ReadFile(args[1])
		ts.Check(err)
		ts.Check(json.Unmarshal(text, &expected))
	} else {
		expected = byRules(ts, ts.ReadFile(args[1]), number(ts, args[2]), args[3] == "salted", args[4])
	}
	var got []sent
	for _, r := range endpointOf(ts).Requests() {
		if r.Header.Get(session) == "" {
			continue // a probe
		}
		s := sent{Header: r.Header}
		ts.Check(json.Unmarshal(r.Body, &s.Body))
		got = append(got, s)
	}
	if len(got) == 0 || len(got) != len(expected) {
		ts.Fatalf("%d requests of conversations, want %d", len(got), len(expected))
	}
	theirs, ours := conversations(expected), conversations(got)
	for i := range min(len(theirs), len(ours)) {
		for n := range max(len(theirs[i]), len(ours[i])) {
			if n >= len(theirs[i]) || n >= len(ours[i]) || !cmp.Equal(theirs[i][n], ours[i][n]) {
				ts.Fatalf("conversation %d, request %d: reference (-), ours (+):\n%s", i, n, cmp.Diff(theirs[i], ours[i]))
			}
		}
	}
	ts.Logf("%d requests of %d conversations are the reference's", len(got), len(conversations(got)))
}

// conversations groups requests by conversation, in the order in which each first came.
func conversations(list []sent) [][]sent {
	at := map[string]int{}
	var out [][]sent
	for _, s := range list {
		id := s.Header.Get(session)
		i, ok := at[id]
		if !ok {
			i, out = len(out), append(out, nil)
			at[id] = i
		}
		h := http.Header{}
		for name, values := range s.Header {
			if name != "Content-Length" && name != "Host" { // they follow from the body, and from where it goes
				h[name] = values
			}
		}
		out[i] = append(out[i], sent{h, s.Body})
	}
	return out
}

// byRules makes the requests that the reference client would send.
func byRules(ts *testscript.TestScript, file string, trajectories int, salted bool, params string) []sent {
	var recorded [][]map[string]any
	for line := range strings.Lines(file) {
		var row map[string]any
		ts.Check(json.Unmarshal([]byte(line), &row))
		if row["_type"] == "dataset_metadata" {
			continue
		}
		if n := len(recorded); n == 0 || recorded[n-1][0]["conversation_id"] != row["conversation_id"] {
			recorded = append(recorded, nil)
		}
		recorded[len(recorded)-1] = append(recorded[len(recorded)-1], row)
	}
	var out []sent
	for k := range trajectories {
		rows := recorded[k%len(recorded)]
		out = append(out, replay(ts, rows, k/len(recorded)+1, salted, params)...)
	}
	return out
}

func replay(ts *testscript.TestScript, rows []map[string]any, instance int, salted bool, params string) []sent {
	id := rows[0]["conversation_id"].(string)
	logical := id
	if instance > 1 {
		logical += "__repeat_" + strconv.Itoa(instance)
	}
	var messages []any
	for _, row := range rows {
		if text, _ := row["system"].(string); text != "" {
			if salted {
				text = "[salt: " + salt(strconv.Itoa(instance)) + "]\n\n" + text + "\n\n[salt: " + salt(id) + "]"
			}
			messages = append(messages, map[string]any{"role": "system", "content": text})
			break
		}
	}
	first := rows[slices.IndexFunc(rows, func(row map[string]any) bool { return row["role"] == "user" })]
	var out []sent
	for _, row := range rows {
		messages = append(messages, messagesOf(row)...)
		if row["role"] == "assistant" {
			continue
		}
		body := map[string]any{"model": "sim", "stream": true, "max_completion_tokens": 8192.0, "messages": slices.Clone(messages)}
		ts.Check(json.Unmarshal([]byte(params), &body))
		if tools, ok := first["tools"].([]any); ok && len(tools) > 0 {
			body["tools"] = tools
		}
		out = append(out, sent{http.Header{"Accept": {"text/event-stream"}, "Content-Type": {"application/json"}, session: {logical}}, body})
	}
	return out
}

// messagesOf gives the messages of one row; a null is left out.
func messagesOf(row map[string]any) []any {
	if row["role"] == "tool" {
		var list []any
		for _, r := range row["tool_results"].([]any) {
			result := r.(map[string]any)
			list = append(list, map[string]any{"role": "tool", "tool_call_id": result["tool_call_id"], "content": result["content"]})
		}
		return list
	}
	m := map[string]any{}
	for _, key := range []string{"role", "content", "name", "tool_calls", "reasoning_content"} {
		if row[key] != nil {
			m[key] = row[key]
		}
	}
	return []any{m}
}

func salt(text string) string {
	h, err := blake2b.New(2, nil)
	if err != nil {
		panic(err)
	}
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

const realCut = "../../../shared/golden/mlperf-agentic/cuts/agentic_cut_20x40.jsonl"

// cmdCut writes the first conversations of the cut of a real data set; where it is not there, a stand-in of so many.
func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2, "cut FILE CONVERSATIONS")
	n := number(ts, args[1])
	text, err := os.ReadFile(filepath.Clean(realCut))
	if err != nil {
		ts.Logf("a stand-in is taken: %v", err)
		var b bytes.Buffer
		_, err := standin.Write(&b, standin.Options{Seed: 7, Trajectories: n})
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
		return
	}
	var out []byte
	last, conversations := "", 0
	for line := range bytes.Lines(text) {
		var row struct {
			ID string `json:"conversation_id"`
		}
		ts.Check(json.Unmarshal(line, &row))
		if row.ID != last {
			last = row.ID
			conversations++
		}
		if conversations > n {
			break
		}
		out = append(out, line...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o600))
}
