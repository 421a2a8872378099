package toolcalls

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

var plugin = sdk.Plugin{Name: "checks", Version: "0.1.0", Components: []sdk.Component{Component()}}

const offeredTools = `[{"type":"function","function":{"name":"bash","parameters":{"type":"object","additionalProperties":false,
	"required":["command"],"properties":{"command":{"type":"string","minLength":1,"maxLength":20},"timeout":{"type":"integer","minimum":0,"maximum":600},
	"mode":{"enum":["run","dry"]},"env":{"type":"array","uniqueItems":true,"maxItems":2,"items":{"type":"string","pattern":"^[A-Z]+=.*$"}},
	"target":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/port"}]},"version":{"const":2}},
	"$defs":{"port":{"type":"integer","exclusiveMinimum":0}}}}},
	{"type":"function","function":{"name":"done"}},
	{"type":"function","function":{"name":"odd","parameters":{"if":{},"properties":{"a":{"contains":{}}}}}}]`

// call is one well-formed call; its arguments are given as JSON.
func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, id, name, arguments)
}

// said is an answered turn with these calls.
func said(finish string, calls ...string) sdk.Sample {
	return spoken(finish, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[%s]}`, strings.Join(calls, ",")))
}

func spoken(finish, message string) sdk.Sample {
	return sdk.Sample{Trajectory: "t", Repeat: 1, Turn: 3, Outcome: "ok", Phase: "measure", Tools: []byte(offeredTools),
		Answer: &sdk.Answer{Message: []byte(message), FinishReason: finish}}
}

func content(finish, text string) sdk.Sample {
	return spoken(finish, fmt.Sprintf(`{"role":"assistant","content":%q}`, text))
}

func with(s sdk.Sample, params string) sdk.Sample {
	s.Params = []byte(params)
	return s
}

// TestBroken holds broken answers against the classes of their faults.
func TestBroken(t *testing.T) {
	good := call("a", "bash", `{"command":"ls"}`)
	args := func(arguments string) sdk.Sample { return said("tool_calls", call("a", "bash", arguments)) }
	for _, tc := range []struct {
		name   string
		sample sdk.Sample
		want   string
	}{
		{"a call that is a string", said("tool_calls", `"bash"`), "call-not-object"},
		{"a call without a function", said("tool_calls", `{"id":"a","type":"function"}`), "call-not-object"},
		{"a call of another type", said("tool_calls", strings.Replace(good, `"type":"function"`, `"type":"custom"`, 1)), "call-type"},
		{"a call without a type", said("tool_calls", strings.Replace(good, `"type":"function",`, "", 1)), "call-type"},
		{"no id", said("tool_calls", strings.Replace(good, `"id":"a",`, "", 1)), "id-missing"},
		{"an empty id", said("tool_calls", call("", "bash", `{"command":"ls"}`)), "id-missing"},
		{"the same id twice", said("tool_calls", good, good), "id-repeated"},
		{"no name", said("tool_calls", call("a", "", `{}`)), "name-missing"},
		{"a name that was not offered", said("tool_calls", call("a", "Bash", `{"command":"ls"}`)), "name-unknown"},
		{"no arguments", said("tool_calls", `{"id":"a","type":"function","function":{"name":"done"}}`), "arguments-missing"},
		{"arguments as an object", said("tool_calls", `{"id":"a","type":"function","function":{"name":"done","arguments":{}}}`), "arguments-not-string"},
		{"empty arguments", args(``), "arguments-not-json"},
		{"Python for JSON", args(`{'command': 'ls'}`), "arguments-not-json"},
		{"text behind the arguments", args(`{"command":"ls"} ok`), "arguments-not-json"},
		{"arguments that were not closed", args(`{"command":"ls"`), "arguments-not-json"},
		{"arguments that the limit cut", said("length", good, call("b", "bash", `{"command":"l`)), "call-cut-off"},
		{"arguments that are a list", args(`["ls"]`), "arguments-not-object"},
		{"arguments within a string", args(`"{\"command\":\"ls\"}"`), "arguments-not-object"},
		{"a repeated argument", args(`{"command":"ls","command":"rm"}`), "arguments-repeated-key"},
		{"a number for a string", args(`{"command":7}`), "schema-type"},
		{"a string for a number", args(`{"command":"ls","timeout":"7"}`), "schema-type"},
		{"a value outside of the enum", args(`{"command":"ls","mode":"walk"}`), "schema-choice"},
		{"not the constant", args(`{"command":"ls","version":1}`), "schema-choice"},
		{"a missing argument", args(`{"timeout":7}`), "schema-required"},
		{"an invented argument", args(`{"command":"ls","cwd":"/"}`), "schema-unexpected"},
		{"an empty string", args(`{"command":""}`), "schema-size"},
		{"a long string", args(`{"command":"123456789012345678901"}`), "schema-size"},
		{"a long list", args(`{"command":"ls","env":["A=1","B=2","C=3"]}`), "schema-size"},
		{"a number out of range", args(`{"command":"ls","timeout":601}`), "schema-range"},
		{"a pattern", args(`{"command":"ls","env":["a=1"]}`), "schema-pattern"},
		{"equal elements", args(`{"command":"ls","env":["A=1","A=1"]}`), "schema-unique"},
		{"none of the alternatives", args(`{"command":"ls","target":0}`), "schema-combination"},
		{"Hermes markup", content("stop", "<tool_call>\n{\"name\": \"bash\"}\n</tool_call>"), "markup-in-content"},
		{"Mistral markup", content("stop", `[TOOL_CALLS][{"name":"bash"}]`), "markup-in-content"},
		{"Llama markup", content("stop", `<function=bash>{"command":"ls"}</function>`), "markup-in-content"},
		{"Granite markup", content("stop", `<|tool_call|>[]`), "markup-in-content"},
		{"a block of JSON", content("stop", "I do it:\n```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n```"), "markup-in-content"},
		{"bare JSON", content("stop", `{"name":"bash","parameters":{"command":"ls"}}`), "markup-in-content"},
		{"markup in parts", spoken("stop", `{"content":[{"type":"text","text":"<function_calls>"}]}`), "markup-in-content"},
		{"calls with the reason stop", said("stop", good), "finish-not-tool-calls"},
		{"calls without a reason", said("", good), "finish-not-tool-calls"},
		{"the reason tool_calls without calls", content("tool_calls", "ok"), "finish-without-calls"},
		{"calls where none may be", with(said("tool_calls", good), `{"tool_choice":"none"}`), "call-not-allowed"},
		{"no call where one must be", with(content("stop", "ok"), `{"tool_choice":"required"}`), "call-missing"},
		{"calls and no tools", func() sdk.Sample { s := said("tool_calls", good); s.Tools = nil; return s }(), "call-without-tools"},
		{"two faults", said("stop", call("", "bash", `{}`)), "id-missing schema-required finish-not-tool-calls"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := sdktest.Open(t, &plugin, "tool-calls", sdktest.Options{Config: `{}`})
			checked, err := c.Check(tc.sample)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range checked.Findings {
				got = append(got, f.Code)
				if f.Severity != sdk.SeverityError || f.Trajectory != "t" || f.Repeat != 1 || f.Turn != 3 || document(f.Detail) == nil {
					t.Errorf("finding %+v", f)
				}
			}
			if diff := cmp.Diff(strings.Fields(tc.want), got); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
			verdict, err := c.ConcludeCheck(sdk.ConcludeRequest{}, checked.Account)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(tc.want, " ")
			if verdict.Passed || !strings.Contains(verdict.Reason, first+" 1") {
				t.Errorf("passed %v: %s", verdict.Passed, verdict.Reason)
			}
		})
	}
}

// TestEveryClassIsShown keeps the table above whole.
func TestEveryClassIsShown(t *testing.T) {
	if slices.Contains(classes[:], "") || len(slices.Compact(slices.Sorted(slices.Values(classes[:])))) != classCount {
		t.Errorf("classes are %q", classes)
	}
}

func TestGood(t *testing.T) {
	good := call("a", "bash", `{"command":"ls","timeout":6e2,"env":["A=1"],"target":8080}`)
	for name, s := range map[string]sdk.Sample{
		"calls":                 said("tool_calls", good, call("b", "done", `{}`)),
		"text":                  content("stop", "Use `bash`, e.g. ```json\n{\"name\": \"x\"}\n```"),
		"cut text":              content("length", "I wi"),
		"cut behind the call":   said("length", good),
		"a named function":      with(said("stop", good), `{"tool_choice":{"type":"function","function":{"name":"bash"}}}`),
		"a tool without schema": said("tool_calls", call("a", "done", `{"any":1}`)),
	} {
		c := sdktest.Open(t, &plugin, "tool-calls", sdktest.Options{Config: `{}`})
		checked, err := c.Check(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(checked.Findings) > 0 {
			t.Errorf("%s: %+v", name, checked.Findings)
		}
	}
}

// conclude judges one sample a batch, and folds.
func conclude(t *testing.T, config string, samples ...sdk.Sample) *sdk.ConcludeCheckResponse {
	t.Helper()
	c := sdktest.Open(t, &plugin, "tool-calls", sdktest.Options{Config: config})
	var accounts [][]byte
	for _, s := range samples {
		checked, err := c.Check(s)
		if err != nil {
			t.Fatal(err)
		}
		accounts = append(accounts, checked.Account)
	}
	verdict, err := c.ConcludeCheck(sdk.ConcludeRequest{}, accounts...)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func value(v *sdk.ConcludeCheckResponse, name string) int64 {
	for _, x := range v.Values {
		if x.Name == name {
			return x.Micro
		}
	}
	return -1
}

func TestVerdict(t *testing.T) {
	good, bad := said("tool_calls", call("a", "done", `{}`)), said("tool_calls", call("a", "undone", `{}`))
	text := content("stop", "ok")
	untooled := text
	untooled.Tools = nil
	failed, warm := bad, bad
	failed.Outcome, warm.Phase = "timeout", "warmup"
	for _, tc := range []struct {
		name, config string
		samples      []sdk.Sample
		passed       bool
		reason       string
	}{
		{"good", `{}`, []sdk.Sample{good, text}, true, ""},
		{"no tools", `{}`, []sdk.Sample{untooled}, true, "no tools offered"},
		{"nothing answered", `{}`, []sdk.Sample{failed, warm}, false, "no answers"},
		{"nothing answered, reported only", `{"report_only":true}`, []sdk.Sample{failed}, true, "no answers"},
		{"one bad", `{}`, []sdk.Sample{good, bad, text}, false, "1 of 2 turns with calls are invalid, and a share of 0 may be: name-unknown 1"},
		{"as many bad as may be", `{"max_invalid":0.5}`, []sdk.Sample{good, bad}, true, ""},
		{"too many bad", `{"max_invalid":0.333333}`, []sdk.Sample{good, good, bad}, false,
			"1 of 3 turns with calls are invalid, and a share of 0.333333 may be: name-unknown 1"},
		{"bad in a way that does not count", `{"errors":["id-missing"]}`, []sdk.Sample{bad}, true, ""},
		{"reported only", `{"report_only":true}`, []sdk.Sample{bad}, true,
			"reported only: 1 of 1 turns with calls are invalid, and a share of 0 may be: name-unknown 1"},
		{"no reference", `{"min_precision":0.5}`, []sdk.Sample{good}, false, "no precision: no call was due or made where a reference answer is"},
	} {
		if got := conclude(t, tc.config, tc.samples...); got.Passed != tc.passed || got.Reason != tc.reason {
			t.Errorf("%s: %v, %q; want %v, %q", tc.name, got.Passed, got.Reason, tc.passed, tc.reason)
		}
	}
}

func TestTriggering(t *testing.T) {
	turn := func(calls, recorded bool) sdk.Sample {
		s := content("stop", "ok")
		if calls {
			s = said("tool_calls", call("a", "done", `{}`))
		}
		s.Recorded = []byte(`{"role":"assistant","content":"x"}`)
		if recorded {
			s.Recorded = []byte(`{"role":"assistant","tool_calls":[{"id":"1"}]}`)
		}
		return s
	}
	told := turn(false, true)
	told.Truth = []byte(`{"tool_call_expected":false}`) // goes before the recorded answer
	samples := []sdk.Sample{turn(true, true), turn(true, true), turn(true, false), turn(false, true), turn(false, false), told}
	v := conclude(t, `{"min_precision":0.7,"min_recall":0.666}`, samples...)
	if want := "precision 0.666667 is below 0.7"; v.Passed || v.Reason != want {
		t.Errorf("%v, %q; want %q", v.Passed, v.Reason, want)
	}
	for name, want := range map[string]int64{"precision": 666_667, "recall": 666_667, "called_as_recorded": 2_000_000,
		"called_unlike_recorded": 1_000_000, "not_called_unlike_recorded": 1_000_000, "share_with_calls": 500_000, "share_valid": 1_000_000} {
		if got := value(v, name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

func TestCountsByPositionAndKeyword(t *testing.T) {
	late := said("tool_calls", call("a", "odd", `{"a":[]}`))
	late.Turn = 500
	v := conclude(t, `{}`, content("stop", "ok"), said("stop", call("a", "undone", `{}`)), late)
	var got []string
	for _, f := range v.Findings {
		got = append(got, f.Code+" "+string(f.Detail))
	}
	want := []string{
		`keyword-not-checked {"keyword":"contains","calls":1}`, `keyword-not-checked {"keyword":"if","calls":1}`,
		`by-turn-position [{"turn":3,"turns":2,"with_calls":1,"invalid":1,"faults":{"name-unknown":1,"finish-not-tool-calls":1}},` +
			`{"turn":63,"turns":1,"with_calls":1,"invalid":0,"faults":{}}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if value(v, "calls_checked_in_part") != micro || value(v, "fault.name-unknown") != micro {
		t.Errorf("values %+v", v.Values)
	}
}

// TestBatchesDoNotMatter folds the same turns in one batch and in many.
func TestBatchesDoNotMatter(t *testing.T) {
	samples := []sdk.Sample{said("stop", call("a", "undone", `{}`)), content("stop", "ok"), said("tool_calls", call("a", "odd", `{"a":[]}`))}
	c := sdktest.Open(t, &plugin, "tool-calls", sdktest.Options{Config: `{}`})
	whole, err := c.Check(samples...)
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.ConcludeCheck(sdk.ConcludeRequest{}, whole.Account)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, conclude(t, `{}`, samples...)); diff != "" {
		t.Errorf("one batch and many differ:\n%s", diff)
	}
}

func TestBadConfiguration(t *testing.T) {
	_, err := sdktest.TryOpen(t, &plugin, "tool-calls", sdktest.Options{
		Config: `{"max_invalid":2,"errors":["id-missing","nope"],"report_only":1,"max":1}`})
	faults, ok := err.(sdk.Faults)
	if !ok || len(faults) != 4 {
		t.Fatalf("%v", err)
	}
	if _, err := decodeAccount([]byte(`{"totals":[1]}`)); err == nil {
		t.Error("a damaged account was read")
	}
}

func TestHostileAnswers(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	many := strings.Repeat(`"x",`, 20000) + `"x"`
	samples := []sdk.Sample{
		said("tool_calls", call("a", "bash", deep)), said("tool_calls", many), spoken("stop", "\xff\xfe"), spoken("stop", ``),
		spoken("stop", `{"content":"`+strings.Repeat("```json\\n{", 20000)+`"}`),
		said("tool_calls", `{"id":"a","type":"function","function":{"name":"\ud800","arguments":"\ud800"}}`),
	}
	c := sdktest.Open(t, &plugin, "tool-calls", sdktest.Options{Config: `{}`})
	checked, err := c.Check(samples...)
	if err != nil {
		t.Fatal(err)
	}
	if len(checked.Findings) > len(samples)*mostFindings || len(checked.Account) > 1<<20 {
		t.Errorf("%d findings, account of %d bytes", len(checked.Findings), len(checked.Account))
	}
}
