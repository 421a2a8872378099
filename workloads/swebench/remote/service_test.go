package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

const (
	serviceToken = "service-token-9c1e-EXAMPLE"
	relayToken   = "relay-token-5d2b-EXAMPLE"
)

// script is a SWE-bench service whose every answer is written down beforehand. A test changes what it wants to see fail.
type script struct {
	*httptest.Server
	mu       sync.Mutex
	health   func(w http.ResponseWriter)
	submit   func(w http.ResponseWriter)
	looks    []func(w http.ResponseWriter) // one each, the last one for ever
	artifact map[string]string
	requests []string
	body     map[string]any // of the last submission
}

func say(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }
}

func status(code int, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if code/100 == 3 {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// hangUp ends the connection in the middle of an answer, as a service does that dies.
func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

const healthy = `{"api_version":"v1","capabilities":["swebench.run","swebench.cancel","artifacts.download","swebench.progress"],"status":"ok"}`

func running(agents, evaluated int) func(http.ResponseWriter) {
	return say(fmt.Sprintf(`{"run_id":"run-1","status":"running","phase":"agent","agent_completed":%d,"eval_completed":%d}`, agents, evaluated))
}

func succeeded(result string) func(http.ResponseWriter) {
	return say(`{"run_id":"run-1","status":"succeeded","phase":"succeeded","result":` + result + `,"artifacts":[` +
		`{"name":"preds.json","url":"/v1/runs/run-1/artifacts/preds.json"},{"name":"swe_bench_results.json","url":"http://127.0.0.1:1/x"},` +
		`{"name":"swe_bench_agent.log"},{"name":"swe_bench_eval.log"},{"name":"status.json"},{"name":"../../escape"},{"name":"/etc/passwd"}]}`)
}

const threeOfFour = `{"submitted_instances":4,"resolved_instances":"3","submitted_ids":["a__x-1","a__x-2","b__y-3","b__y-4"],` +
	`"resolved_ids":["a__x-1","a__x-2","b__y-4"],"empty_patch_ids":["b__y-3"]}`

// good is a service that does all of it well.
func good(t *testing.T) *script {
	s := &script{health: say(healthy), submit: status(202, `{"run_id":"run-1","status":"queued"}`), artifact: map[string]string{}}
	s.looks = []func(http.ResponseWriter){running(1, 0), running(4, 2), succeeded(threeOfFour)}
	for _, name := range names() {
		s.artifact[name] = "content of " + name
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, q.Method+" "+q.URL.Path)
	if q.Header.Get("Authorization") != "Bearer "+serviceToken {
		status(401, "unauthorized")(w)
		return
	}
	name, isArtifact := strings.CutPrefix(q.URL.Path, "/v1/runs/run-1/artifacts/")
	switch {
	case q.URL.Path == "/health":
		s.health(w)
	case q.Method == http.MethodPost && q.URL.Path == "/v1/runs":
		s.body = nil
		_ = json.NewDecoder(q.Body).Decode(&s.body)
		s.submit(w)
	case q.Method == http.MethodPost && q.URL.Path == "/v1/runs/run-1/cancel":
		s.looks = []func(http.ResponseWriter){say(`{"run_id":"run-1","status":"cancelled"}`)}
		s.looks[0](w)
	case isArtifact:
		if text, ok := s.artifact[name]; ok {
			_, _ = io.WriteString(w, text)
			return
		}
		status(404, "no such artifact")(w)
	case q.URL.Path == "/v1/runs/run-1":
		look := s.looks[0]
		if len(s.looks) > 1 {
			s.looks = s.looks[1:]
		}
		look(w)
	default:
		status(404, "no such path")(w)
	}
}

func (s *script) count(request string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if r == request {
			n++
		}
	}
	return n
}

// bench opens the component against a service, with a time of its own: waiting takes none.
type bench struct {
	*sdktest.Component
	state  []byte
	relay  string // the token of the relay
	waited []time.Duration
	now    time.Time
}

const rows = `{"instance_id":"a__x-1"}
{"instance_id":"a__x-2"}
{"instance_id":"b__y-3","problem_statement":"it breaks"}
{"instance_id":"b__y-4"}
{"instance_id":"b__y-5"}
`

func tokenFile(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func tryOpen(t *testing.T, url string, change map[string]any, input string) (*bench, error) {
	t.Helper()
	config := map[string]any{"url": url, "token_file": tokenFile(t, serviceToken+"\n"), "num_instances": 4}
	for key, value := range change {
		config[key] = value
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{now: time.Unix(1_000_000, 0), relay: relayToken}
	p := plugin(clock{func() time.Time { return b.now }, func(d time.Duration) { b.waited = append(b.waited, d); b.now = b.now.Add(d) }})
	b.Component, err = sdktest.TryOpen(t, &p, "service", sdktest.Options{Config: string(text),
		Inputs: []sdktest.Input{{Name: "instances", Data: []byte(input)}}, Granted: []sdk.Capability{sdk.CapabilityTarget, sdk.CapabilityNetwork}})
	return b, err
}

func openAt(t *testing.T, s *script, change map[string]any) *bench {
	t.Helper()
	b, err := tryOpen(t, s.URL, change, rows)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) step(cancel bool) (*sdk.EvaluateResponse, error) {
	q := &sdk.EvaluateRequest{State: b.state, Cancel: cancel}
	if !cancel {
		q.Target = &sdk.Target{Url: "http://127.0.0.1:4711/v1", Token: b.relay, Model: "m", Params: []byte(`{"temperature":1,"top_k":20,"min_p":0.5}`)}
	}
	r, err := b.Evaluate(q)
	if err == nil && !cancel {
		b.state = r.State
	}
	return r, err
}

// run takes steps until the end, an error, or more steps than any test needs.
func (b *bench) run(t *testing.T) (*sdk.EvaluateResponse, error) {
	t.Helper()
	for range 2000 {
		r, err := b.step(false)
		if err != nil || r.Done {
			return r, err
		}
	}
	t.Fatal("it does not end")
	return nil, nil
}

func part(r *sdk.EvaluateResponse, name string) sdk.Value {
	i := slices.IndexFunc(r.Score.Parts, func(v sdk.Value) bool { return v.Name == name })
	if i < 0 {
		return sdk.Value{}
	}
	return r.Score.Parts[i]
}
