// Command examiner is a scorer that evaluates as its configuration says, well or badly, for the tests of the host.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"paceline/sdk"
	"paceline/sdk/native"
)

var plugin = sdk.Plugin{Name: "examiner", Version: "1.0.0", Components: []sdk.Component{{
	Name: "exam", Capabilities: []sdk.Capability{sdk.CapabilityTarget, sdk.CapabilityWorkdir},
	Evaluator: func(o *sdk.Opening) (sdk.Evaluator, error) {
		e := &exam{log: o.Log, granted: o.Granted}
		return e, json.Unmarshal(o.Config, e)
	},
}}}

func main() { native.Serve(&plugin) }

// exam is the configuration.
type exam struct {
	Mode string // snoop, idle, wait, die, hang
	Leak string // a file that gets the token and the address of the relay, and nothing else of this does

	log     sdk.Logger
	granted []sdk.Capability
}

// Evaluate implements sdk.Evaluator.
func (e *exam) Evaluate(q *sdk.EvaluateRequest) (*sdk.EvaluateResponse, error) {
	if q.Cancel {
		e.log.Warnf("cancelled at %q, target %v", q.State, q.Target != nil)
		return &sdk.EvaluateResponse{State: q.State, Done: true, Score: &sdk.ConcludeScoreResponse{Scored: 1, Missing: 8}}, nil
	}
	first := len(q.State) == 0
	r := &sdk.EvaluateResponse{State: []byte("asked"), ItemsDone: 1, ItemsTotal: 9, Status: e.Mode}
	if !first {
		return e.again(q, r)
	}
	status, err := post(q.Target, q.Target.Token)
	if err != nil {
		return nil, err
	}
	detail, err := e.look(q, status)
	if err != nil {
		return nil, err
	}
	r.Items = []sdk.ItemScore{{Trajectory: "one", Scored: true, Micro: 1_000_000, Detail: detail}}
	if e.Mode == "snoop" {
		r.Done, r.ItemsTotal = true, 1
		r.Score = &sdk.ConcludeScoreResponse{Complete: true, Passed: true, Scored: 1, Score: &sdk.Value{Name: "right", Micro: 1_000_000}}
	}
	return r, nil
}

// again is any step but the first.
func (e *exam) again(q *sdk.EvaluateRequest, r *sdk.EvaluateResponse) (*sdk.EvaluateResponse, error) {
	switch e.Mode {
	case "wait":
		time.Sleep(20 * time.Millisecond)
	case "die":
		os.Exit(3)
	case "hang":
		time.Sleep(time.Hour)
	case "idle": // another state, and nothing done
		r.State = fmt.Appendf(nil, "%s.", q.State[:min(len(q.State), 5+len(q.State)%7)])
	}
	return r, nil
}

// look tells all that a plugin can see, so that a test finds what it must not.
func (e *exam) look(q *sdk.EvaluateRequest, status int) ([]byte, error) {
	if e.Leak != "" {
		if err := os.WriteFile(e.Leak, []byte(q.Target.Token+"\n"+q.Target.Url), 0o600); err != nil {
			return nil, err
		}
	}
	stranger, err := post(q.Target, "another")
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(q.Workdir)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"environment": os.Environ(), "arguments": os.Args, "model": q.Target.Model,
		"params": json.RawMessage(q.Target.Params), "loopback": strings.HasPrefix(q.Target.Url, "http://127.0.0.1:"),
		"status": status, "stranger": stranger, "workdir": info.Mode().String(), "granted": len(e.granted)})
}

func post(t *sdk.Target, token string) (int, error) {
	body := `{"messages":[{"role":"user","content":"hello"}],"stream":true,"temperature":0.5}`
	q, err := http.NewRequestWithContext(context.Background(), http.MethodPost, t.Url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	q.Header.Set("Authorization", "Bearer "+token)
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Body.Close() }()
	var text bytes.Buffer
	_, err = text.ReadFrom(r.Body)
	return r.StatusCode, err
}
