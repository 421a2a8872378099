package pack

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/relay"
	"paceline/core/sample"
	"paceline/core/session"
	"paceline/core/verdict"
)

// identity are a target's pages by their paths. It asks for them and answers as well.
type identity map[string]string

// About implements judge.Validator.
func (identity) About() verdict.About {
	a := verdict.About{Name: "std/checks/identity", Kind: "validator", Version: "1.0.0", Digest: digest.Of([]byte("identity")), Unit: verdict.UnitTurn}
	for _, page := range []string{"models", "version", "server_info"} {
		a.Probes = append(a.Probes, verdict.Probe{ID: "identity/" + page + "/before", GetPath: "/" + page})
	}
	return a
}

// Probe implements session.Prober.
func (i identity) Probe(_ context.Context, p verdict.Probe) verdict.Fact {
	if body, ok := i[p.GetPath]; ok {
		return verdict.Fact{Probe: p.ID, Status: 200, Body: []byte(body)}
	}
	return verdict.Fact{Probe: p.ID, Status: 404}
}

// Preflight implements judge.Validator.
func (identity) Preflight(context.Context, []verdict.Fact, json.RawMessage) ([]verdict.Finding, error) {
	return nil, nil
}

// Check implements judge.Validator.
func (identity) Check(context.Context, []judge.Item) (judge.Checked, error) {
	return judge.Checked{}, nil
}

// Fold implements judge.Validator.
func (identity) Fold(context.Context, []byte, []byte) ([]byte, error) { return nil, nil }

// Conclude implements judge.Validator.
func (identity) Conclude(context.Context, judge.Conclusion) (verdict.Verdict, error) {
	return verdict.Verdict{Passed: true}, nil
}

// declares puts a declaration into a run's configuration.
func declares(speculation string) func(*journal.RunConfig) {
	return func(c *journal.RunConfig) {
		c.Config = json.RawMessage(strings.Replace(string(c.Config), `{"target":{`, `{"target":{"speculation":`+speculation+`,`, 1))
	}
}

const approved = `{"method":"mtp","drafter":"Qwen/Qwen3.6-35B-A3B-FP8","weight_checksum":"git-sha1:95a723d08a9490559dae23d0cff1d9466213d989","num_speculative_tokens":2}`

// TestDrafters packs what is approved and alike, and nothing else.
func TestDrafters(t *testing.T) {
	one, two := spec{users: 1, change: declares(approved)}, spec{users: 64, change: declares(approved)}
	p, err := rehearsal(t, &Options{}, played(t, one), played(t, two))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"point.yaml":          `"speculative_decoding": {`,
		"result_summary.json": `"expert_balance": "not exposed"`,
	} {
		if text := string(p.Tree["results/sample/qwen3_6-35b-a3b/r64/"+name].Bytes); !strings.Contains(text, want) {
			t.Errorf("%s lacks %s:\n%s", name, want, text)
		}
	}
	dir := played(t, one)
	described := filepath.Join(t.TempDir(), "drafter.yaml")
	if err := os.WriteFile(described, []byte("speculative_decoding: {model_id: a/b, weight_checksum: git-sha1:1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, made := range map[string]func() (*Package, error){
		"its speculative decoding is none, that of r1": func() (*Package, error) {
			return rehearsal(t, &Options{}, dir, played(t, spec{users: 64, change: declares(`{"method":"none"}`)}))
		},
		"which is not approved for qwen3_6-35b-a3b": func() (*Package, error) {
			return rehearsal(t, &Options{}, played(t, spec{users: 1, change: declares(`{"method":"eagle3","drafter":"a/b"}`)}))
		},
		"the description of the system otherwise": func() (*Package, error) {
			o := &Options{System: append(system(t), described), Cohort: "2026-12-C0", Rehearsal: true}
			return makeOf(t, o, dir)
		},
		"its sampling is": func() (*Package, error) {
			return rehearsal(t, &Options{}, dir, played(t, spec{users: 64, change: func(c *journal.RunConfig) {
				declares(approved)(c)
				c.Config = json.RawMessage(strings.Replace(string(c.Config), `"top_k":20`, `"top_k":21`, 1))
			}}))
		},
		"its engine's version is 0.21.0, that of r1": func() (*Package, error) {
			return rehearsal(t, &Options{}, played(t, spec{users: 1, told: identity{"/version": `{"version":"0.20.1"}`}}),
				played(t, spec{users: 64, told: identity{"/version": `{"version":"0.21.0"}`}}))
		},
	} {
		if _, err := made(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// answers is a relay's target.
type answers struct{}

func (answers) Forward(_ context.Context, _ *chat.Request, x *sample.Exchange, sink endpoint.Sink) {
	_ = sink.Head(http.StatusOK, "application/json", nil)
	x.Outcome, x.Status = sample.OK, http.StatusOK
}

// evaluator scores at once.
type evaluator struct{}

func (evaluator) About() verdict.About {
	return verdict.About{Name: "local/swe-bench", Kind: "scorer", Version: "1.0.0", Digest: digest.Of([]byte("swe")), Unit: verdict.UnitTurn}
}

func (evaluator) Evaluate(context.Context, judge.Step) (judge.Stepped, error) {
	return judge.Stepped{Done: true, Score: &verdict.Score{Score: &verdict.Value{Name: "score", Micro: 715_000, Unit: "share"}, HigherIsBetter: true, Complete: true, Scored: 200}}, nil
}

// TestEvaluatedIsMeasured: a level 3 score is taken only of the target that the point measured.
func TestEvaluatedIsMeasured(t *testing.T) {
	was := identity{
		"/models": `{"data":[{"id":"Qwen/Qwen3.6-35B-A3B","root":"/m","max_model_len":131072}]}`, "/version": `{"version":"0.20.1"}`,
		"/server_info": `{"tp_size":8,"last_gen_throughput":1}`,
	}
	but := func(page, body string) identity {
		return identity{"/models": was["/models"], "/version": was["/version"], "/server_info": was["/server_info"], page: body}
	}
	const url = "http://engine:8000/v1/chat/completions"
	for _, tc := range []struct {
		name, endpoint string
		told           identity
		want           string // empty: packed
	}{
		{"the same", url, but("/server_info", `{"tp_size":8,"last_gen_throughput":9}`), ""},
		{"nothing told", url, identity{}, ""},
		{"elsewhere", "http://other:8000/v1/chat/completions", was, "local/swe-bench asked http://other:8000"},
		{"another version", url, but("/version", `{"version":"0.21.0"}`), `version.version was "0.20.1" and is "0.21.0"`},
		{"another model behind the name", url, but("/models", `{"data":[{"id":"Qwen/Qwen3.6-35B-A3B","root":"/n"}]}`), `models.root was "/m" and is "/n"`},
		{"another switch", url, but("/server_info", `{"tp_size":4}`), "server_info.tp_size was 8 and is 4"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := played(t, spec{users: 1, told: was, judges: func(j *session.Judges) {
				j.Validators = []judge.Validator{tc.told}
				j.Evaluators = []judge.Evaluator{evaluator{}}
				j.Evaluations = &session.Evaluations{Relay: relay.Config{Forward: answers{}, Epoch: time.Now(), Model: "m"}, Endpoint: tc.endpoint, Prober: tc.told}
			}})
			_, err := rehearsal(t, &Options{}, dir)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want %q, got %v", tc.want, err)
			}
		})
	}
}
