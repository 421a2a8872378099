package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paceline/sdk"
)

// check scans and checks a text as one file.
func check(t *testing.T, text []byte) (*Index, []sdk.Fault) {
	t.Helper()
	src := bytes.NewReader(text)
	index, err := Scan(src, int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	faults, err := CheckAll(src, int64(len(text)), index)
	if err != nil {
		t.Fatal(err)
	}
	return index, faults
}

func caseFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCases(t *testing.T) {
	for _, tc := range []struct {
		file          string
		conversations int
		code          string // empty: legal
		line          uint64
		pointer       string
		words         []string // in the message
	}{
		{file: "41-dataset-bom-crlf-blank/clean.jsonl", conversations: 2},
		{file: "41-dataset-bom-crlf-blank/dirty.jsonl", conversations: 2},
		{file: "41-dataset-bom-crlf-blank/broken.jsonl", code: "broken-json", line: 4},
		{file: "42-dataset-duplicate-ids/dataset.jsonl", code: "conversation-split", line: 7, pointer: "/conversation_id",
			words: []string{`"conv-7"`, "line 7", "line 1"}},
		{file: "43-dataset-turn-order/swapped.jsonl", code: "turn-gap", line: 2, pointer: "/turn", words: []string{`"k1"`}},
		{file: "43-dataset-turn-order/gap.jsonl", code: "turn-gap", line: 3, pointer: "/turn", words: []string{`"k1"`, "turn 5"}},
		{file: "43-dataset-turn-order/twice.jsonl", code: "turn-repeated", line: 3, pointer: "/turn", words: []string{`"k1"`, "turn 2"}},
		{file: "43-dataset-turn-order/mixed.jsonl", code: "conversation-split", line: 3, pointer: "/conversation_id",
			words: []string{`"k1"`, "line 1"}},
		{file: "43-dataset-turn-order/starts_with_assistant.jsonl", code: "role-order", line: 1, pointer: "/role", words: []string{`"k3"`}},
		{file: "43-dataset-turn-order/good.jsonl", conversations: 1},
		{file: "45-tool-arguments-as-object/dataset.jsonl", conversations: 1},
		{file: "46-tool-results-without-match/mismatch.jsonl", code: "tool-result-unmatched", line: 3,
			pointer: "/tool_results/0/tool_call_id", words: []string{`"m1", turn 3`, `"call_9"`}},
		{file: "46-tool-results-without-match/missing_result.jsonl", code: "tool-call-unanswered", line: 3,
			pointer: "/tool_results", words: []string{`"m2", turn 3`, `"call_2"`}},
		{file: "46-tool-results-without-match/live.jsonl", conversations: 1},
		{file: "47-null-content/dataset.jsonl", conversations: 1},
		{file: "48-dataset-path-and-empty-input/empty.jsonl", code: "empty-input"},
		{file: "48-dataset-path-and-empty-input/blank.jsonl", code: "empty-input"},
		{file: "48-dataset-path-and-empty-input/no_user.jsonl", code: "role-unknown", line: 1, pointer: "/role", words: []string{`"e1"`}},
		{file: "53-roles-must-alternate/two_users.jsonl", code: "role-order", line: 2, pointer: "/role", words: []string{`"v1"`}},
		{file: "53-roles-must-alternate/live.jsonl", conversations: 1},
		{file: "56-tool-delay-accounting/dataset.jsonl", conversations: 1},
	} {
		t.Run(tc.file, func(t *testing.T) {
			index, faults := check(t, caseFile(t, tc.file))
			if tc.code == "" {
				if len(faults) > 0 || len(index.Entries) != tc.conversations {
					t.Fatalf("%d conversations, faults %+v", len(index.Entries), faults)
				}
				return
			}
			if len(faults) == 0 {
				t.Fatal("accepted")
			}
			f := faults[0]
			if f.Code != tc.code || f.Line != tc.line || f.Pointer != tc.pointer || f.Expected == "" {
				t.Errorf("first fault is %+v", f)
			}
			for _, word := range tc.words {
				if !strings.Contains(f.Message, word) {
					t.Errorf("the message %q does not name %s", f.Message, word)
				}
			}
		})
	}
}

func TestDuplicateWithoutSecondBlock(t *testing.T) {
	rows := strings.SplitAfter(string(caseFile(t, "42-dataset-duplicate-ids/dataset.jsonl")), "\n")
	index, faults := check(t, []byte(strings.Join(slices.Delete(rows, 6, 9), "")))
	var ids []string
	for _, e := range index.Entries {
		ids = append(ids, e.ID)
	}
	if len(faults) > 0 || !slices.Equal(ids, []string{"conv-7", "A1", "a1 "}) {
		t.Errorf("ids %q, faults %+v", ids, faults)
	}
}

// refused are the golden data sets that the reference accepts and we refuse, with the code and the reason.
var refused = map[string][2]string{
	"valid_unsorted_turns_in_file": {"turn-gap", "the reference sorts rows in silence"},
	"valid_args_dict":              {"tool-result-unmatched", "the reference pairs no results with calls"},
}

func TestGoldenValidation(t *testing.T) {
	text, err := os.ReadFile("testdata/golden/dataset_validation.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name    string
			Rows    []json.RawMessage
			OK      bool
			Samples []struct {
				ConversationID string `json:"conversation_id"`
				Turn           int64
			}
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 57 {
		t.Fatalf("%d golden data sets", len(golden.Cases))
	}
	for _, tc := range golden.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			var file bytes.Buffer
			for _, row := range tc.Rows {
				if err := json.Compact(&file, row); err != nil {
					t.Fatal(err)
				}
				file.WriteByte('\n')
			}
			index, faults := check(t, file.Bytes())
			if ours, listed := refused[tc.Name]; listed {
				if len(faults) == 0 || faults[0].Code != ours[0] || !tc.OK {
					t.Errorf("faults %+v", faults)
				}
				return
			}
			if (len(faults) == 0) != tc.OK {
				t.Fatalf("reference accepts: %v; faults %+v", tc.OK, faults)
			}
			if !tc.OK {
				return
			}
			var turns []int64
			for _, e := range index.Entries {
				rows, err := Rows(bytes.NewReader(file.Bytes()), e)
				if err != nil {
					t.Fatal(err)
				}
				for i := range rows {
					if n, _ := rows[i].TurnNumber(); rows[i].IsClient() {
						turns = append(turns, n)
					}
				}
			}
			var want []int64
			for _, s := range tc.Samples {
				want = append(want, s.Turn)
			}
			if !slices.Equal(turns, want) {
				t.Errorf("client turns %v, want %v", turns, want)
			}
		})
	}
}
