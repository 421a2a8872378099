package remote

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

// TestWhole: what is asked for, how often, and what comes of it.
func TestWhole(t *testing.T) {
	s := good(t)
	folder := t.TempDir()
	b := openAt(t, s, map[string]any{"artifacts": folder, "template": "qwen_tools", "workers": 3})
	r, err := b.run(t)
	if err != nil {
		t.Fatal(err)
	}
	score := r.Score
	if score.Score.Name != "resolved" || score.Score.Micro != 750_000 || !score.Complete || !score.Passed || score.Scored != 4 || score.Missing != 0 {
		t.Errorf("score %+v, %+v", score, score.Score)
	}
	for name, want := range map[string]int64{"instances": 4, "submitted": 4, "resolved": 3, "repeats": 1, "instance_ids": 4, "artifacts_missing": 0} {
		if got := part(r, name); got.Micro != want*1_000_000 {
			t.Errorf("part %s: %+v", name, got)
		}
	}
	// printf 'a__x-1\na__x-2\nb__y-3\nb__y-4\n' | sha256sum
	if got := part(r, "instance_ids").Unit; got != "sha256:7c00f986f4f259a8ac303840d63bec929d5091eafd6c85d030061f1f21a38d73" {
		t.Errorf("digest %s", got)
	}
	items := fmt.Sprint(r.Items)
	if want := "[{a__x-1 0 <nil> true 1000000  [] a/x} {a__x-2 0 <nil> true 1000000  [] a/x} " +
		"{b__y-3 0 <nil> true 0 empty patch [] b/y} {b__y-4 0 <nil> true 1000000  [] b/y}]"; items != want {
		t.Errorf("items %s", items)
	}
	want := map[string]any{"model_name": "m", "endpoint_urls": []any{"http://127.0.0.1:4711"}, "endpoint_api_key": relayToken,
		"generation_params": map[string]any{"temperature": 1.0, "top_k": 20.0}, "subset": "verified", "split": "test", "num_instances": 4.0,
		"workers": 3.0, "max_eval_workers": 10.0, "evaluated_instance_ids": []any{"a__x-1", "a__x-2", "b__y-3", "b__y-4"}, "template": "qwen_tools"}
	if !reflect.DeepEqual(s.body, want) {
		t.Errorf("submitted %v\nwant %v", s.body, want)
	}
	if !slices.Equal(b.waited, []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second}) || s.count("POST /v1/runs") != 1 {
		t.Errorf("waited %v", b.waited)
	}
	for _, name := range names() {
		if text, err := os.ReadFile(filepath.Join(folder, "run-1", name)); err != nil || string(text) != "content of "+name {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*", "*")); len(files) != len(names()) {
		t.Errorf("kept %v", files)
	}
	if log := strings.Join(b.Logs.Lines, "\n"); !strings.Contains(log, `a text of 12 bytes is none that is known`) {
		t.Errorf("logged %s", log)
	}
	clean(t, b, r)
}

// clean: no token stands in what the plugin gave out.
func clean(t *testing.T, b *bench, r *sdk.EvaluateResponse) {
	t.Helper()
	all := string(b.state) + strings.Join(b.Logs.Lines, "\n")
	if r != nil {
		all += r.Status + string(r.State)
	}
	for _, token := range []string{serviceToken, relayToken} {
		if strings.Contains(all, token) {
			t.Errorf("a token stands in %s", all)
		}
	}
}

// TestOpenRefused: what is wrong before a run begins is a fault that says what to mend.
func TestOpenRefused(t *testing.T) {
	down := good(t)
	down.Close()
	for _, c := range []struct {
		name   string
		change map[string]any
		health func(http.ResponseWriter)
		input  string
		says   string
	}{
		{"down", map[string]any{"url": down.URL}, nil, rows, "/url: GET /health: the service does not answer"},
		{"another version", nil, say(`{"api_version":"v2","capabilities":["swebench.run"]}`), rows, `api_version is "v2", and this client speaks v1`},
		{"no version", nil, say(`{}`), rows, `api_version is a text of 0 bytes`},
		{"a missing capability", nil, say(`{"api_version":"v1","capabilities":["swebench.run","artifacts.download"]}`), rows, "lacks the capability swebench.cancel"},
		{"another token", map[string]any{"token_file": tokenFile(t, "wrong-token-1a2b")}, nil, rows, "the service refuses the token (status 401): check token_file"},
		{"a redirect", nil, status(307, ""), rows, "answers with a redirect (status 307), and none is followed"},
		{"no JSON", nil, say("<html>"), rows, "the answer is not the JSON that is wanted"},
		{"JSON of another kind", nil, say(`["v1"]`), rows, "the answer is not the JSON that is wanted"},
		{"a broken connection", nil, hangUp, rows, "the service does not answer"},
		{"an error", nil, status(500, "out of\nmemory"), rows, "status 500: out of memory"},
		{"a long answer", nil, say(`"` + strings.Repeat("a", maxAnswer) + `"`), rows, "the answer has more than 16777216 bytes"},
		{"no rows", nil, nil, "", "4 instances are wanted, and the input has 0"},
		{"a row twice", nil, nil, `{"instance_id":"a-1"}` + "\n" + `{"instance_id":"a-1"}`, "/instance_id: a-1 stands here twice"},
		{"a row of text", nil, nil, "a-1\n", "invalid character"},
		{"an id that is a path", nil, nil, `{"instance_id":"../x"}`, "no id of an instance"},
		{"a path in the URL", map[string]any{"url": "http://127.0.0.1:1/v1"}, nil, rows, "not the root of an http or https service"},
		{"a user in the URL", map[string]any{"url": "http://user:hush@127.0.0.1:1"}, nil, rows, "not the root of an http or https service"},
		{"no URL", map[string]any{"url": ""}, nil, rows, "not the root of an http or https service"},
		{"no token file", map[string]any{"token_file": "/no/such"}, nil, rows, "/no/such: cannot be read"},
		{"a relative token file", map[string]any{"token_file": "token"}, nil, rows, "token: not an absolute path"},
		{"an empty token file", map[string]any{"token_file": tokenFile(t, "\n")}, nil, rows, "holds no token"},
		{"two lines", map[string]any{"token_file": tokenFile(t, "a\nb\n")}, nil, rows, "holds no token"},
		{"no such folder", map[string]any{"artifacts": "/no/such"}, nil, rows, "/artifacts: no such folder"},
		{"workers", map[string]any{"workers": 33}, nil, rows, "/workers: out of range"},
		{"another subset", map[string]any{"subset": "full"}, nil, rows, "/subset: unknown subset"},
		{"another template", map[string]any{"template": "mine"}, nil, rows, "/template: unknown template"},
		{"an unknown key", map[string]any{"token": "x"}, nil, rows, `unknown field "token"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := good(t)
			if c.health != nil {
				s.health = c.health
			}
			_, err := tryOpen(t, s.URL, c.change, c.input)
			var faults sdk.Faults
			if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") {
				t.Errorf("got %v", err)
			}
			if s.count("POST /v1/runs") != 0 {
				t.Error("a run was begun")
			}
		})
	}
}

// TestNoScore: a run that does not come to an end, or to none that is a score, gives an error, and the last call a score
// that is null and incomplete.
func TestNoScore(t *testing.T) {
	look := func(f ...func(http.ResponseWriter)) func(*script) { return func(s *script) { s.looks = f } }
	result := func(text string) func(*script) { return look(succeeded(text)) }
	submit := func(f func(http.ResponseWriter)) func(*script) { return func(s *script) { s.submit = f } }
	for _, c := range []struct {
		name   string
		change func(*script)
		says   string
	}{
		{"submission refused", submit(status(400, "invalid run request, key "+relayToken+" and "+serviceToken)), "status 400: invalid run request, key *** and ***"},
		{"submission without the token", submit(status(401, "")), "the service refuses the token (status 401)"},
		{"submission redirected", submit(status(302, "")), "answers with a redirect (status 302)"},
		{"submission broke off", submit(hangUp), "no run was begun as far as is known: POST /v1/runs: the service does not answer"},
		{"submission without an id", submit(say(`{"status":"queued"}`)), "gave no usable run_id"},
		{"submission with a path as id", submit(say(`{"run_id":"../../x"}`)), "gave no usable run_id"},
		{"submission that is no JSON", submit(say(`ok`)), "the answer is not the JSON that is wanted"},
		{"too many runs, for ever", submit(status(429, "too many active runs")), "the service has been away for 600 s (patience_s): POST /v1/runs: status 429: too many active runs"},
		{"failed", look(running(0, 0), say(`{"run_id":"run-1","status":"failed","error":"no docker for `+serviceToken+` and\n`+relayToken+`"}`)), "run run-1 ended as failed: no docker for *** and ***"},
		{"cancelled", look(say(`{"run_id":"run-1","status":"cancelled"}`)), "run run-1 ended as cancelled"},
		{"never ends", look(running(1, 0)), "run run-1 has not ended after 3600 s (limit_s)"},
		{"about another run", look(say(`{"run_id":"run-2","status":"succeeded"}`)), `the answer is about run "run-2"`},
		{"an unknown status", look(say(`{"run_id":"run-1","status":"` + relayToken + `"}`)), `an unknown status: "***"`},
		{"forgotten", look(running(1, 0), status(404, "unknown run_id")), "the service does not know run run-1 any more"},
		{"moved", look(running(1, 0), status(308, "")), "answers with a redirect (status 308)"},
		{"another token now", look(running(1, 0), status(401, "")), "refuses the token"},
		{"no JSON for ever", look(say("<html>")), "the service has been away for 600 s (patience_s): GET /v1/runs/run-1: the answer is not the JSON that is wanted"},
		{"dies for ever", look(running(1, 0), hangUp), "the service has been away for 600 s (patience_s)"},
		{"nothing submitted", result(`{"submitted_instances":0,"resolved_instances":0}`), "submitted_instances is 0"},
		{"more resolved than submitted", result(`{"submitted_instances":2,"resolved_instances":3}`), "3 resolved, 2 submitted and 4 requested do not fit"},
		{"more submitted than requested", result(`{"submitted_instances":5,"resolved_instances":3}`), "3 resolved, 5 submitted and 4 requested do not fit"},
		{"no counter", result(`{"submitted_instances":4}`), `resolved_instances is a text of 0 bytes`},
		{"a counter below zero", result(`{"submitted_instances":4,"resolved_instances":-1}`), `resolved_instances is a text of 2 bytes`},
		{"a counter of another kind", result(`{"submitted_instances":true,"resolved_instances":1}`), `submitted_instances is "true"`},
		{"a counter with a fraction", result(`{"submitted_instances":4.0,"resolved_instances":1}`), `submitted_instances is "4.0"`},
		{"ids that do not fit", result(`{"submitted_instances":4,"resolved_instances":2,"resolved_ids":["a__x-1"]}`), "resolved_instances is 2, and resolved_ids has 1"},
		{"ids that were not asked for", result(`{"submitted_instances":4,"resolved_instances":1,"resolved_ids":["z-1"]}`), `"z-1" is there twice, or was not asked for`},
		{"a result of another kind", result(`[]`), "its result is no score: not the JSON that is wanted"},
		{"no result and no artifact", func(s *script) { s.looks, s.artifact = []func(http.ResponseWriter){succeeded(`null`)}, nil }, "run run-1 has no result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := good(t)
			b := openAt(t, s, map[string]any{"limit_s": 3600})
			c.change(s)
			r, err := b.run(t)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%+v, %v", r, err)
			}
			for _, token := range []string{serviceToken, relayToken} {
				if strings.Contains(err.Error(), token) {
					t.Errorf("a token stands in %v", err)
				}
			}
			last, err := b.step(true)
			if err != nil || !last.Done || last.Score.Score != nil || last.Score.Complete || last.Score.Passed || last.Score.Missing != 4 {
				t.Errorf("the last call: %+v, %v", last, err)
			}
			clean(t, b, last)
		})
	}
}

// TestSubmittedLess: what was not submitted counts as not resolved, and the score is incomplete.
func TestSubmittedLess(t *testing.T) {
	s := good(t)
	s.looks = []func(http.ResponseWriter){succeeded(`{"submitted_instances":2,"resolved_instances":1,"submitted_ids":["a__x-1","b__y-3"],"resolved_ids":["b__y-3"],"error_ids":["a__x-1"]}`)}
	r, err := openAt(t, s, nil).run(t)
	if err != nil {
		t.Fatal(err)
	}
	if r.Score.Score.Micro != 250_000 || r.Score.Complete || r.Score.Passed || r.Score.Scored != 2 || r.Score.Missing != 2 {
		t.Errorf("%+v", r.Score)
	}
	var reasons []string
	for _, it := range r.Items {
		reasons = append(reasons, it.Reason)
	}
	if want := []string{"error of the harness", "not submitted", "", "not submitted"}; !slices.Equal(reasons, want) {
		t.Errorf("reasons %q", reasons)
	}
}

// TestComesBack: a service that dies in the middle and comes back costs nothing but time; the run is not begun again.
func TestComesBack(t *testing.T) {
	s := good(t)
	s.looks = []func(http.ResponseWriter){running(1, 0), hangUp, status(503, "starting"), say(`{"run_id":"ru`), running(2, 1), hangUp, succeeded(threeOfFour)}
	tries := 0
	s.submit = func(w http.ResponseWriter) {
		if tries++; tries < 3 {
			status(429, "too many active runs")(w)
			return
		}
		say(`{"run_id":"run-1","status":"queued"}`)(w)
	}
	b := openAt(t, s, nil)
	r, err := b.run(t)
	if err != nil || !r.Score.Complete || r.Score.Score.Micro != 750_000 || tries != 3 {
		t.Errorf("%+v, %v, %d tries", r, err, tries)
	}
}

// TestResume: another process goes on where the state says, but not with a run whose relay has ended: its agents ask nobody.
func TestResume(t *testing.T) {
	s := good(t)
	first := openAt(t, s, nil)
	for range 2 {
		if _, err := first.step(false); err != nil {
			t.Fatal(err)
		}
	}
	later := openAt(t, s, nil)
	later.state, later.relay = first.state, "another-token"
	if _, err := later.step(false); err == nil || !strings.Contains(err.Error(), "asks a relay that has ended with its runner") {
		t.Errorf("another relay: %v", err)
	}
	second := openAt(t, s, nil)
	second.state = first.state
	if r, err := second.run(t); err != nil || !r.Score.Complete || s.count("POST /v1/runs") != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	second.state = []byte(`{"run":"../x"}`)
	if _, err := second.step(false); sdktest.Code(err) != sdk.CodeInvalidArgument {
		t.Errorf("a foreign state: %v", err)
	}
}

// TestCancel: the run at the service is stopped, also where the step that began it did not hold.
func TestCancel(t *testing.T) {
	for name, keep := range map[string]bool{"later": true, "in the first step": false} {
		t.Run(name, func(t *testing.T) {
			s := good(t)
			b := openAt(t, s, nil)
			if _, err := b.step(false); err != nil {
				t.Fatal(err)
			}
			if !keep {
				b.state = nil
			}
			r, err := b.step(true)
			if err != nil || !r.Done || r.Score.Complete || r.Score.Score != nil || r.Status != "run run-1 cancelled" {
				t.Errorf("%+v, %v", r, err)
			}
			if s.count("POST /v1/runs/run-1/cancel") != 1 {
				t.Errorf("the service heard %v", s.requests)
			}
			if _, err := b.run(t); keep && (err == nil || !strings.Contains(err.Error(), "--evaluate-anew")) {
				t.Errorf("gone on with: %v", err)
			}
		})
	}
	s := good(t)
	b := openAt(t, s, nil)
	if r, err := b.step(true); err != nil || r.Status != "nothing to cancel" || len(s.requests) != 1 {
		t.Errorf("%+v, %v, %v", r, err, s.requests)
	}
	_, _ = b.step(false)
	s.Close()
	if r, err := b.step(true); err != nil || !r.Done || !strings.Contains(r.Status, "could not be cancelled") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestArtifacts: what cannot be had is counted, and the score stands.
func TestArtifacts(t *testing.T) {
	s := good(t)
	delete(s.artifact, "swe_bench_eval.log")
	s.artifact["preds.json"] = strings.Repeat("a", maxArtifact+1)
	s.artifact[resultsName] = threeOfFour
	s.looks = []func(http.ResponseWriter){succeeded("null")}
	folder := t.TempDir()
	b := openAt(t, s, map[string]any{"artifacts": folder})
	r, err := b.run(t)
	if err != nil || part(r, "artifacts_missing").Micro != 2_000_000 || r.Score.Score.Micro != 750_000 || !r.Score.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "run-1", "*"))
	if hidden, _ := filepath.Glob(filepath.Join(folder, "run-1", ".*")); len(files) != 3 || len(hidden) != 0 {
		t.Errorf("kept %v, %v", files, hidden)
	}
	log := strings.Join(b.Logs.Lines, "\n")
	for _, want := range []string{"preds.json is missing: GET /v1/runs/run-1/artifacts/preds.json: the answer has more than 67108864 bytes", "swe_bench_eval.log is missing"} {
		if !strings.Contains(log, want) {
			t.Errorf("logged %s", log)
		}
	}
}

func TestDefinition(t *testing.T) {
	p := Plugin()
	if d := sdktest.Describe(t, &p); len(d.Components) != 1 || d.Components[0].Name != "service" {
		t.Errorf("%+v", d)
	}
}
