package normal

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// all is a trajectory with every field.
func all() *sdk.Trajectory {
	u := func(n uint32) *uint32 { return &n }
	offset := uint64(5)
	answer := sdk.Message{Json: []byte(`{"role":"assistant","content":null,"tool_calls":[]}`)}
	return &sdk.Trajectory{
		Id: "t 1", Domain: "coding", Labels: []sdk.Label{{Key: "a", Value: "1"}, {Key: "b", Value: "é"}}, StartOffsetNs: &offset,
		Defaults: &sdk.Defaults{Params: []byte(`{"top_p":1.0}`), Tools: []byte(`[{"type":"function"}]`)}, Truth: []byte(`{"x":[1,2]}`),
		Turns: []sdk.Turn{
			{Index: 0, Append: []sdk.Message{{Json: []byte(`{"role":"user","content":"q\u0041"}`)}}, Recorded: &answer, After: &sdk.After{}},
			{Index: 1, Branch: 1, ForkOf: u(0), After: &sdk.After{Turns: []uint32{0}}, DelayNs: 7, Params: []byte(`{"seed":1}`), MaxTokens: 3, ExactTokens: 2,
				Labels: []sdk.Label{{Key: "l"}}, Truth: []byte("1"), Append: []sdk.Message{{Composed: &sdk.Composed{Role: "tool", ToolCallId: "c", Pieces: []sdk.Piece{
					{Text: []byte("so \"much\"\n")}, {Filler: &sdk.Filler{Tokens: 9, Key: []byte("k"), Scope: sdk.ScopeRun}},
					{Filler: &sdk.Filler{Tokens: 1, Key: []byte{0xff}, Scope: sdk.ScopeWorkload}}, {AnswerOfTurn: u(0)},
				}}}}},
			{Index: 2, Final: true},
		},
	}
}

func parse(t *testing.T, line string) (*sdk.Trajectory, error) {
	t.Helper()
	return reader{}.Build(&frame.Trace{Records: []frame.Record{{Value: rawjson.Value(strings.TrimSpace(line)), Line: 3}}})
}

func TestRoundTrip(t *testing.T) {
	line, err := Append(nil, all())
	if err != nil {
		t.Fatal(err)
	}
	back, err := parse(t, string(line))
	if diff := cmp.Diff(all(), back); diff != "" || err != nil {
		t.Error(err, diff)
	}
	again, err := Append(nil, back)
	if string(again) != string(line) || err != nil {
		t.Errorf("%v\n%s%s", err, line, again)
	}
}

func TestRefusedWhileWriting(t *testing.T) {
	for want, change := range map[string]func(*sdk.Trajectory){
		"live":           func(t *sdk.Trajectory) { t.State = []byte("x") },
		"byte 1":         func(t *sdk.Trajectory) { t.Truth = []byte("{") },
		"valid UTF-8":    func(t *sdk.Trajectory) { t.Domain = "\xff" },
		"no scope":       func(t *sdk.Trajectory) { t.Turns[1].Append[0].Composed.Pieces[1].Filler.Scope = 0 },
		"message: byte ": func(t *sdk.Trajectory) { t.Turns[0].Append[0].Json = []byte("no") },
	} {
		plan := all()
		change(plan)
		if _, err := Append(nil, plan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for line, pointer := range map[string]string{
		`{"schema":"paceline/trajectory/v1","id":7}`:                                "/id",
		`{"id":"a","name":1}`:                                                       "/name",
		`{"id":"a","a/b~c":1}`:                                                      "/a~1b~0c",
		`{"id":"a","turns":{}}`:                                                     "/turns",
		`{"id":"a","turns":[{"index":-1}]}`:                                         "/turns/0/index",
		`{"id":"a","turns":[{"index":0,"delay":1}]}`:                                "/turns/0/delay",
		`{"id":"a","turns":[{"append":[{"content":"x"}]}]}`:                         "/turns/0/append/0/role",
		`{"id":"a","turns":[{"append":[{"composed":{"pieces":[{}]}}]}]}`:            "/turns/0/append/0/composed/pieces/0",
		`{"id":"a","turns":[{"recorded":{"composed":{"pieces":[{"filler":{}}]}}}]}`: "/turns/0/recorded/composed/pieces/0/filler/scope",
		`{"id":"a","start_offset_ns":1.5}`:                                          "/start_offset_ns",
	} {
		_, err := parse(t, line)
		if f, ok := err.(*frame.FaultError); !ok || f.Fault.Pointer != pointer || f.Fault.Line != 3 {
			t.Errorf("%s: %v, want a fault at %s", line, err, pointer)
		}
	}
}

// TestSchema holds that the JSON Schema names the fields that the writer writes, no fewer and no more.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../../../schemas/trajectory/v1/trajectory.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Properties map[string]json.RawMessage
		Defs       map[string]node `json:"$defs"`
	}
	var schema node
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	line, err := Append(nil, all())
	if err != nil {
		t.Fatal(err)
	}
	sameKeys(t, "trajectory", schema.Properties, line)
	turns := rawjson.Value(line).Get("turns")
	var keys []byte
	turns.Each(func(_ int, turn rawjson.Value) bool {
		keys = append(keys, turn...)
		return true
	})
	sameKeys(t, "turn", schema.Defs["turn"].Properties, []byte(strings.ReplaceAll(string(keys), "}{", ",")))
}

func sameKeys(t *testing.T, name string, known map[string]json.RawMessage, written []byte) {
	t.Helper()
	seen := map[string]bool{}
	rawjson.Value(written).Fields(func(key []byte, _ rawjson.Value) { seen[string(key)] = true })
	for key := range known {
		if !seen[key] {
			t.Errorf("%s: the schema knows %s, which is never written", name, key)
		}
	}
	for key := range seen {
		if known[key] == nil {
			t.Errorf("%s: the schema does not know %s", name, key)
		}
	}
}
