package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/sample"
)

// reading is a reading at a second of the run; a nil map is one that did not come.
func reading(second int, kind engine.Kind, values map[engine.Quantity]int64, accepted ...int64) journal.Telemetry {
	t := journal.Telemetry{At: sample.Offset(second * 1e9), Source: "http://h/metrics"}
	if values == nil {
		t.Missing, t.Error = journal.Unread, "status 503"
		return t
	}
	t.Reading = &engine.Reading{Engine: kind, Values: values, Accepted: accepted}
	return t
}

type quantities = map[engine.Quantity]int64

// drafting are three readings of an engine that drafts; the second one did not come, and it restarted before the last.
func drafting() []journal.Telemetry {
	return []journal.Telemetry{
		reading(0, engine.VLLM, quantities{engine.Drafts: 100, engine.DraftTokens: 300, engine.AcceptTokens: 100, engine.PrefixQueries: 1000, engine.PrefixHits: 0, engine.Preemptions: 2}, 60, 40, 0),
		reading(10, engine.VLLM, nil),
		reading(20, engine.VLLM, quantities{engine.Drafts: 200, engine.DraftTokens: 600, engine.AcceptTokens: 250, engine.KVUse: 500_000, engine.Running: 3, engine.PrefixQueries: 2000, engine.PrefixHits: 500, engine.Preemptions: 2}),
		reading(30, engine.VLLM, quantities{engine.KVUse: 900_000, engine.Running: 5, engine.Drafts: 200, engine.DraftTokens: 600, engine.AcceptTokens: 250, engine.PrefixQueries: 2000, engine.PrefixHits: 500, engine.Preemptions: 2}),
		reading(40, engine.VLLM, quantities{engine.Drafts: 100, engine.DraftTokens: 300, engine.AcceptTokens: 150, engine.PrefixQueries: 1000, engine.PrefixHits: 500, engine.Preemptions: 1}, 80, 50, 20),
	}
}

// reported builds the report of a run with such telemetry, written and held to its schema.
func reported(t *testing.T, list []journal.Telemetry, speculation string, rules bool) *Result {
	t.Helper()
	in := small()
	in.Run.Telemetry = list
	if speculation != "" {
		c := *in.Config
		c.Config = json.RawMessage(strings.Replace(string(c.Config), `"model": "sim"`, `"model": "sim", "speculation": `+speculation, 1))
		in.Config = &c
	}
	if rules {
		c := *in.Config
		c.Preset = &journal.Preset{Name: "p/q", Run: json.RawMessage("{}"), Rules: &journal.Rules{Of: "x", Status: "submittable"}}
		in.Config = &c
	}
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTarget(t *testing.T) {
	r := reported(t, drafting(), `{"method":"eagle3","num_speculative_tokens":3}`, false)
	var text, raw bytes.Buffer
	if err := WriteText(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&raw, r); err != nil {
		t.Fatal(err)
	}
	checkSchema(t, raw.Bytes())
	for _, want := range []string{
		"TARGET, AS IT REPORTS ITSELF (all of its clients)\n",
		"Source          http://h/metrics, vllm: 4 readings over 40.000 s, 1 missing, 1\n                restart\n",
		"Requests        4.000 running, at most 5.000; waiting: none (not exposed)\n",
		"KV cache        70.00 % in use, at most 90.00 %; preemptions 1\n",
		"Prefix cache    50.00 % of the prompt tokens were found\n",
		"Speculation     50.00 % of the drafted tokens accepted; 2.500 tokens a step;\n                drafts of 3.000 tokens\n",
		"Expert balance  not exposed\n",
		"Declared        eagle3, 3 tokens at a time: passed\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("report.txt has no %q in\n%s", want, text.String()[strings.Index(text.String(), "TARGET"):])
		}
	}
	codes := map[string]bool{}
	for _, w := range r.Warnings {
		codes[w.Code] = true
	}
	if !codes["target_readings"] || !codes["target_restarted"] {
		t.Errorf("warnings %v", r.Warnings)
	}
}

func TestSpeculation(t *testing.T) {
	quiet := []journal.Telemetry{reading(0, engine.VLLM, quantities{engine.Running: 0}), reading(9, engine.VLLM, quantities{engine.Running: 0})}
	sglang := func(length, rate int64) []journal.Telemetry {
		v := quantities{engine.AcceptLength: length, engine.AcceptRate: rate}
		return []journal.Telemetry{reading(0, engine.SGLang, quantities{engine.AcceptLength: 0}), reading(5, engine.SGLang, v), reading(9, engine.SGLang, v)}
	}
	llama := []journal.Telemetry{reading(0, engine.LlamaCpp, quantities{engine.Running: 0})}
	const none, eagle = `{"method":"none"}`, `{"method":"eagle3","num_speculative_tokens":2}`
	for _, tc := range []struct {
		name     string
		list     []journal.Telemetry
		declared string
		rules    bool
		want     string // state: reason
	}{
		{"none, and none is counted", quiet, none, false, "passed: "},
		{"none, and drafts are counted", drafting(), none, false, "failed: speculative decoding is none, and the target counted drafts: 600 tokens"},
		{"declared, and none is counted", quiet, `{"method":"eagle3"}`, false, "unproven: eagle3 is declared, and the target counted no draft"},
		{"longer than declared", drafting(), eagle, false, "failed: eagle3, 2 tokens at a time is declared, and the target's drafts have 3.000 tokens"},
		{"by the server's own mean", sglang(2_500_000, 600_000), `{"method":"eagle3"}`, false, "passed: "},
		{"none, by the server's own mean", sglang(0, 0), none, false, "passed: "},
		{"none, and the server's own mean says otherwise", sglang(2_500_000, 600_000), none, false, "failed: speculative decoding is none, and the target counted drafts: 2.500 tokens at a time"},
		{"an engine that does not tell", llama, none, false, "unproven: the target does not tell whether it drafts"},
		{"no page", nil, none, false, "unproven: the target does not tell whether it drafts"},
		{"not declared", drafting(), "", false, ""},
		{"not declared, by rules", drafting(), "", true, "failed: speculative decoding is not declared, and the target counted drafts: 600 tokens"},
		{"not declared and not used, by rules", quiet, "", true, "passed: "},
		{"not declared and not told, by rules", nil, "", true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := reported(t, tc.list, tc.declared, tc.rules)
			got := ""
			if r.Speculation != nil {
				got = r.Speculation.Held + ": " + r.Speculation.Reason
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// SGLang tells mean / maximum, summed over its looks.
func TestExpertBalance(t *testing.T) {
	r := reported(t, []journal.Telemetry{
		reading(0, engine.SGLang, quantities{engine.BalanceCount: 10, engine.BalanceSum: 1_000_000}),
		reading(9, engine.SGLang, quantities{engine.BalanceCount: 14, engine.BalanceSum: 4_200_000}),
	}, "", false)
	if got := r.Target.Balance.Value.String(); got != "1.25" {
		t.Error(got)
	}
}
