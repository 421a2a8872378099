package survey_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/survey"
)

// states are those of usage, cached tokens, exact length, cache flush and metrics.
type states [5]engine.State

const (
	yes, no, unclear = engine.Yes, engine.No, engine.Unclear
)

// engines are what the stored replies tell: with everything asked, and by pages alone.
var engines = map[string]struct {
	kind    engine.Kind
	program engine.Program
	version string
	asked   states
	pages   states
}{
	"vllm":            {engine.VLLM, engine.VLLMServe, "0.32.0", states{yes, yes, yes, no, yes}, states{yes, unclear, yes, no, yes}},
	"vllm-dev":        {engine.VLLM, engine.VLLMServe, "0.32.0", states{yes, no, yes, yes, yes}, states{yes, unclear, yes, yes, yes}},
	"sglang":          {engine.SGLang, engine.SGLangServer, "0.5.16", states{yes, no, yes, yes, no}, states{yes, no, yes, yes, no}},
	"sglang-report":   {engine.SGLang, engine.SGLangServer, "0.5.16", states{yes, yes, yes, yes, yes}, states{yes, yes, yes, yes, yes}},
	"trtllm":          {engine.TRTLLM, engine.TRTLLMServe, "1.3.0", states{yes, yes, yes, no, no}, states{yes, yes, yes, no, no}},
	"llamacpp":        {engine.LlamaCpp, engine.LlamaServer, "b10236-0a1b2c3d4", states{yes, yes, yes, no, no}, states{yes, yes, yes, no, no}},
	"llamacpp-python": {engine.LlamaCpp, engine.LlamaPython, "", states{no, no, yes, no, no}, states{no, no, yes, no, no}},
}

// start plays an engine and returns a client of it.
func start(t *testing.T, script *coretest.Script) (*endpoint.Client, *coretest.Endpoint) {
	t.Helper()
	network := coretest.NewNetwork()
	l, err := network.Listen("engine:8000")
	if err != nil {
		t.Fatal(err)
	}
	e := coretest.Start(t, l, script)
	client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, e
}

func TestEngines(t *testing.T) {
	names := coretest.Engines(t)
	if len(names) != len(engines) {
		t.Errorf("%d files, %d expectations: %v", len(names), len(engines), names)
	}
	for _, name := range names {
		want := engines[name]
		for _, asked := range []bool{true, false} {
			client, _ := start(t, coretest.LoadEngine(t, name))
			o := survey.Options{Thoroughly: asked}
			expected := want.pages
			if asked {
				o.Token, expected = &chat.Wire{Model: "m", MaxTokensKey: "max_tokens"}, want.asked
			}
			s := survey.Ask(t.Context(), client, o)
			if d := s.Detection; d.Kind != want.kind || d.Program != want.program || d.Version != want.version || len(d.By) == 0 {
				t.Errorf("%s: %+v", name, d)
			}
			var got states
			for i, f := range s.Findings {
				if got[i] = f.State; f.Detail == "" || f.State == no && f.Mend == "" || f.State == yes && f.Mend != "" {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if d := cmp.Diff(expected, got); d != "" {
				t.Errorf("%s, asked %v: %s", name, asked, d)
			}
		}
	}
}

// TestSecretsOfTheServer: SGLang tells its own key among its settings.
func TestSecretsOfTheServer(t *testing.T) {
	client, e := start(t, coretest.LoadEngine(t, "sglang"))
	var b bytes.Buffer
	r := survey.Ask(t.Context(), client, survey.Options{Thoroughly: true}).Report("http://engine:8000/v1", "m", engine.Unknown)
	if r.WriteText(&b) != nil || r.WriteJSON(&b) != nil {
		t.Fatal("cannot be written")
	}
	if strings.Contains(b.String(), "sk-of-the-server") {
		t.Errorf("the server's key shows:\n%s", b.String())
	}
	if !slices.ContainsFunc(e.Requests(), func(q coretest.Request) bool { return q.Target == "/server_info" }) {
		t.Error("its settings were not asked for")
	}
}

func TestMissing(t *testing.T) {
	for name, want := range map[string]string{
		"vllm": "cache flush", "vllm-dev": "cached tokens", "sglang": "cached tokens, metrics", "sglang-report": "", "trtllm": "metrics",
		"llamacpp": "metrics", "llamacpp-python": "usage, cached tokens, metrics",
	} {
		client, _ := start(t, coretest.LoadEngine(t, name))
		s := survey.Ask(t.Context(), client, survey.Options{Token: &chat.Wire{Model: "m"}})
		if got := strings.Join(s.Report("u", "m", engine.Unknown).Missing(), ", "); got != want {
			t.Errorf("%s lacks %q, want %q", name, got, want)
		}
		if s.Detection.Kind != engine.VLLM {
			got := s.Report("u", "m", engine.VLLM).Missing()
			if len(got) == 0 || got[0] != "the engine that it is said to be" {
				t.Errorf("%s as vLLM: %q", name, got)
			}
		}
	}
}

// asked lists what came to an endpoint.
func asked(e *coretest.Endpoint) []string {
	var list []string
	for _, r := range e.Requests() {
		list = append(list, r.Method+" "+r.Target)
	}
	return list
}

func TestWhatIsAsked(t *testing.T) {
	models := func(body string) *coretest.Script {
		return &coretest.Script{Replies: []coretest.Reply{{
			When: func(r *coretest.Request) bool { return strings.HasSuffix(r.Target, "/models") },
			Body: []coretest.Step{{Data: []byte(body)}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive,
		}, {Status: http.StatusNotFound, Coding: coretest.WithLength, End: coretest.EndKeepAlive}}}
	}
	unknown := `{"data":[{"id":"m","owned_by":"paceline"}]}`
	for _, tc := range []struct {
		name, models string
		options      survey.Options
		want         []string
	}{
		{"an engine that tells", `{"data":[{"id":"m","owned_by":"vllm"}]}`, survey.Options{},
			[]string{"GET /v1/models", "GET /version", "GET /reset_prefix_cache", "GET /metrics"}},
		{"one that does not", unknown, survey.Options{}, []string{"GET /v1/models"}},
		{"one that does not, thoroughly", unknown, survey.Options{Thoroughly: true},
			[]string{"GET /v1/models", "GET /props", "GET /server_info", "GET /get_server_info", "GET /version", "GET /metrics"}},
		{"one that is named", unknown, survey.Options{Engine: engine.TRTLLM}, []string{"GET /v1/models", "GET /version", "GET /prometheus/metrics"}},
		{"a token that is refused is asked for once", unknown, survey.Options{Token: &chat.Wire{Model: "m"}},
			[]string{"GET /v1/models", "POST /v1/chat/completions"}},
		{"no list at all", "<html>", survey.Options{}, []string{"GET /v1/models"}},
	} {
		client, e := start(t, models(tc.models))
		survey.Ask(t.Context(), client, tc.options)
		if d := cmp.Diff(tc.want, asked(e)); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

func TestKnownModelsAreNotAskedAgain(t *testing.T) {
	client, e := start(t, coretest.LoadEngine(t, "vllm"))
	models, err := client.Get(t.Context(), engine.ModelsPage)
	if err != nil {
		t.Fatal(err)
	}
	survey.Ask(t.Context(), client, survey.Options{Models: models})
	if n := len(slices.DeleteFunc(asked(e), func(q string) bool { return q != "GET "+engine.ModelsPage })); n != 1 {
		t.Errorf("models were asked for %d times", n)
	}
}

func TestLargePagesAreCutOff(t *testing.T) {
	client, _ := start(t, &coretest.Script{Replies: []coretest.Reply{{
		Body: []coretest.Step{{Data: bytes.Repeat([]byte("x"), 5<<20)}}, Coding: coretest.WithLength, End: coretest.EndClose,
	}}})
	s := survey.Ask(t.Context(), client, survey.Options{Engine: engine.SGLang})
	if f := s.Findings[4]; f.State != unclear || !strings.Contains(f.Detail, "too large") {
		t.Errorf("%+v", f)
	}
}

// TestHangs: a target that lists its models and answers nothing else ends each question in its time.
func TestHangs(t *testing.T) {
	for owner, want := range map[string]states{
		"vllm":     {unclear, unclear, yes, unclear, unclear},
		"paceline": {unclear, unclear, unclear, unclear, unclear},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := start(t, &coretest.Script{Replies: []coretest.Reply{
				{First: 1, Last: 1, Body: []coretest.Step{{Data: []byte(`{"data":[{"id":"m","owned_by":"` + owner + `"}]}`)}}, End: coretest.EndKeepAlive},
				{End: coretest.EndHang},
			}})
			begin := time.Now()
			s := survey.Ask(t.Context(), client, survey.Options{Token: &chat.Wire{Model: "m"}})
			var got states
			for i, f := range s.Findings {
				got[i] = f.State
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", owner, d)
			}
			if f := s.Findings[0]; !strings.Contains(f.Detail, "no answer within 1m0s") {
				t.Errorf("%s: %+v", owner, f)
			}
			if took := time.Since(begin); took > 90*time.Second {
				t.Errorf("%s: it took %v", owner, took)
			}
		})
	}
}
