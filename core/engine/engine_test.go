package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func page(name, body string, headers ...Header) Fact {
	return Fact{Page: name, Status: 200, Headers: headers, Body: []byte(body)}
}

func TestDetect(t *testing.T) {
	for _, tc := range []struct {
		name  string
		facts Facts
		want  Detection
	}{
		{"nothing", nil, Detection{}},
		{"no list", Facts{page(ModelsPage, `<html>`)}, Detection{}},
		{"a list of nobody", Facts{page(ModelsPage, `{"data":[{"id":"m","owned_by":"openai"}]}`)}, Detection{}},
		{"the simulated engine", Facts{page(ModelsPage, `{"data":[{"owned_by":"paceline"}]}`), page(MetricsPage, "vllm:requests 1\n")},
			Detection{By: []string{"/v1/models owned_by paceline: the simulated engine"}}},
		{"a list that is odd", Facts{page(ModelsPage, `{"data":[{"id":1,"owned_by":{"vllm":1}},null]}`)}, Detection{}},
		{"vLLM, the second model", Facts{page(ModelsPage, `{"data":[{"owned_by":"me"},{"owned_by":"vllm"}]}`), page(VersionPage, `{"version":"0.32.0\n"}`)},
			Detection{VLLM, VLLMServe, "0.32.0", []string{"/v1/models owned_by vllm"}}},
		{"vLLM behind a gateway, by its metrics", Facts{page(ModelsPage, `{}`), page(MetricsPage, "# HELP x\nvllm:requests 1\n")},
			Detection{VLLM, VLLMServe, "", []string{"/metrics vllm:"}}},
		{"a label is no name", Facts{page(MetricsPage, "# vllm: x\nrequests{model=\"vllm:x\"} 1\n")}, Detection{}},
		{"SGLang, old page", Facts{page(OldInfoPage, `{"tp_size":8,"enable_cache_report":false,"version":"0.4.6"}`)},
			Detection{SGLang, SGLangServer, "0.4.6", []string{"/get_server_info tp_size, enable_cache_report"}}},
		{"another's server_info", Facts{page(InfoPage, `{"tp_size":8}`)}, Detection{}},
		{"llama-server by its header", Facts{page(ModelsPage, `{"data":[{"owned_by":"me"}]}`, Header{"server", "llama.cpp"})},
			Detection{LlamaCpp, LlamaServer, "", []string{"header Server: llama.cpp"}}},
		{"its Python server", Facts{page(ModelsPage, `{"data":[{"owned_by":"me","permissions":[]}]}`)},
			Detection{LlamaCpp, LlamaPython, "", []string{"/v1/models owned_by me, permissions"}}},
		{"TensorRT-LLM", Facts{page(ModelsPage, `{"data":[{"owned_by":"tensorrt_llm"}]}`)}, Detection{TRTLLM, TRTLLMServe, "", []string{"/v1/models owned_by tensorrt_llm"}}},
		{"a page with an error tells nothing", Facts{{Page: PropsPage, Status: 500, Body: []byte(`{"default_generation_settings":{},"total_slots":1}`)}}, Detection{}},
	} {
		if d := cmp.Diff(tc.want, Detect(tc.facts)); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
	long := Detect(Facts{page(ModelsPage, `{"data":[{"owned_by":"vllm"}]}`), page(VersionPage, `{"version":"`+strings.Repeat("é", 500)+`"}`)})
	if n := len([]rune(long.Version)); n != maxText {
		t.Errorf("a version of %d characters", n)
	}
}

func TestIdentify(t *testing.T) {
	silent := Facts{page(ModelsPage, `{}`), page(VersionPage, `{"version":"0.32.0"}`)}
	if d := Identify(silent, VLLM); d.Kind != VLLM || d.Program != VLLMServe || d.Version != "0.32.0" {
		t.Errorf("%+v", d)
	}
	tells := Facts{page(ModelsPage, `{"data":[{"owned_by":"sglang"}]}`)}
	d := Identify(tells, VLLM)
	if d.Kind != SGLang {
		t.Errorf("%+v", d)
	}
	warnings, _ := Missing(d, nil, Needs{}, VLLM)
	if len(warnings) != 1 || warnings[0].Code != "engine_mismatch" || !strings.Contains(warnings[0].Message, "said to be vLLM, and tells that it is SGLang") {
		t.Errorf("%+v", warnings)
	}
}

// TestEveryProgramHasEverySwitch: a row that lacks a word would say nothing in a report.
func TestEveryProgramHasEverySwitch(t *testing.T) {
	for _, k := range Kinds() {
		if k.program() == "" || k.Title() == "" || len(pages(k)) == 0 {
			t.Errorf("%s is not complete", k)
		}
	}
	for p, list := range switches {
		if len(list) != len(Capabilities()) {
			t.Errorf("%s has %d of %d", p, len(list), len(Capabilities()))
			continue
		}
		for i, c := range Capabilities() {
			s := list[i]
			switch {
			case s.Capability != c:
				t.Errorf("%s: %s where %s stands elsewhere", p, s.Capability, c)
			case s.Cannot == "" && s.Client == "" || s.Cannot != "" && s.Instead == "":
				t.Errorf("%s: %s says neither how nor why not", p, c)
			case c == ExactLength && len(s.Params) == 0, c == Metrics && s.Cannot == "" && s.Page == "":
				t.Errorf("%s: %s is not complete", p, c)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	for body, want := range map[string]counts{
		"data: {\"choices\":[]}\n\ndata: [DONE]\n\n":                                                          {},
		"data: {\"usage\":null}\r\n\r\ndata: {\"usage\":{\"prompt_tokens\":3}}\r\n\r\n":                       {told: true},
		`data:{"usage":{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}}`:                      {true, true, 2},
		`data: {"usage":{"prompt_tokens":3,"prompt_tokens_details":null}}`:                                    {told: true},
		` {"usage":{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}}`:                          {true, true, 0},
		`data: {"usage":{"prompt_tokens":"3"}}`:                                                               {},
		`data: {"usage":{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":null,"audio_tokens":1}}}`: {told: true},
	} {
		if got := countsOf([]byte(body)); got != want {
			t.Errorf("%q: %+v, want %+v", body, got, want)
		}
	}
}

func TestMissing(t *testing.T) {
	codes := func(list []Warning) string {
		var out []string
		for _, w := range list {
			out = append(out, w.Code)
		}
		return strings.Join(out, " ")
	}
	vllm := Detection{Kind: VLLM, Program: VLLMServe}
	python := Detection{Kind: LlamaCpp, Program: LlamaPython}
	lacks := Facts{{Page: ResetPage, Status: 404}, {Page: MetricsPage, Status: 404}}
	for _, tc := range []struct {
		name            string
		d               Detection
		facts           Facts
		needs           Needs
		warnings, notes string
	}{
		{"an engine that nobody knows", Detection{}, lacks, Needs{Usage: true, Cached: true}, "", ""},
		{"all of it", vllm, lacks, Needs{Usage: true, Cached: true}, "engine_metrics", "engine_cached_tokens"},
		{"no counts wanted", vllm, Facts{page(MetricsPage, "")}, Needs{}, "", ""},
		{"Python's", python, nil, Needs{Usage: true, Cached: true}, "engine_usage engine_cached_tokens engine_metrics", ""},
		{"a parameter that is not heeded", python, nil, Needs{Params: []string{"temperature", "ignore_eos", "min_tokens"}}, "engine_metrics engine_exact_length", ""},
	} {
		warnings, notes := Missing(tc.d, Assess(tc.d, tc.facts, nil), tc.needs, Unknown)
		if codes(warnings) != tc.warnings || codes(notes) != tc.notes {
			t.Errorf("%s: warnings %q, notes %q", tc.name, codes(warnings), codes(notes))
		}
		for _, w := range warnings {
			if !strings.Contains(w.Message, "; ") {
				t.Errorf("%s: no remedy in %q", tc.name, w.Message)
			}
		}
	}
}

func TestParseKind(t *testing.T) {
	for _, w := range Words() {
		if k, err := ParseKind(w); err != nil || (w != Auto) != (string(k) == w) {
			t.Errorf("%s: %s, %v", w, k, err)
		}
	}
	if _, err := ParseKind("tgi"); err == nil || !strings.Contains(err.Error(), "want one of auto, vllm, sglang, trtllm, llamacpp") {
		t.Error(err)
	}
}
