package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paceline/sdk"
)

// state is what travels from step to step. It holds no token.
type state struct {
	Run       string   `json:"run,omitempty"`       // the service's; empty: none has begun
	Relay     string   `json:"relay,omitempty"`     // tells the relay that it was given from any other
	Began     int64    `json:"began,omitempty"`     // seconds since 1970
	Away      int64    `json:"away,omitempty"`      // since when the service has not answered; 0: it has
	Ended     bool     `json:"ended,omitempty"`     // the run has succeeded
	Artifacts int      `json:"artifacts,omitempty"` // so many of the names were dealt with
	Missing   []string `json:"missing,omitempty"`   // artifacts that could not be had
	Done      uint64   `json:"done,omitempty"`      // instances whose evaluation ended
}

// Evaluate implements sdk.Evaluator: one exchange with the service. What the service says may hold the tokens that it was
// given, so nothing leaves without a look for them.
func (e *evaluator) Evaluate(q *sdk.EvaluateRequest) (*sdk.EvaluateResponse, error) {
	if q.Target != nil {
		e.service.relay = q.Target.Token
	}
	r, err := e.step(q)
	if coded, ok := errors.AsType[*sdk.Error](err); ok {
		return nil, sdk.Errorf(coded.Code, "%s", e.service.hide(coded.Error()))
	}
	if err != nil {
		return nil, errors.New(e.service.hide(err.Error()))
	}
	r.Status = e.service.hide(r.Status)
	return r, nil
}

func (e *evaluator) warn(format string, args ...any) {
	e.log.Warnf("%s", e.service.hide(fmt.Sprintf(format, args...)))
}

func (e *evaluator) step(q *sdk.EvaluateRequest) (*sdk.EvaluateResponse, error) {
	var s state
	if len(q.State) > 0 {
		if err := json.Unmarshal(q.State, &s); err != nil || s.Run != "" && !plain(s.Run, 128) {
			return nil, sdk.Errorf(sdk.CodeInvalidArgument, "this is no state of this plugin")
		}
	}
	switch {
	case q.Cancel:
		return e.cancel(s)
	case s.Run == "":
		return e.begin(s, q.Target)
	case !s.Ended && s.Relay != mark(q.Target):
		return nil, sdk.Errorf(sdk.CodeFailedPrecondition, "run %s asks a relay that has ended with its runner, so its agents are answered no more: begin again with --evaluate-anew", s.Run)
	case !s.Ended:
		return e.poll(s)
	case s.Artifacts < len(names()):
		return e.fetch(s)
	}
	return e.conclude(s)
}

// mark tells one relay from another without telling its token.
func mark(target *sdk.Target) string {
	if target == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(target.Url + "\n" + target.Token))
	return hex.EncodeToString(sum[:8])
}

// begin asks for a run. An error after the request went out leaves open whether one began, so it is not asked for again.
func (e *evaluator) begin(s state, target *sdk.Target) (*sdk.EvaluateResponse, error) {
	if target == nil || target.Url == "" || target.Token == "" {
		return nil, sdk.Errorf(sdk.CodeFailedPrecondition, "the host gives no relay to the target: is the capability target granted?")
	}
	body, err := e.request(target)
	if err != nil {
		return nil, err
	}
	run, err := e.service.submit(body)
	if f, ok := errors.AsType[*failure](err); ok && f.again && (f.unsent || f.status == 429 || f.status == 503) {
		return e.retry(s, err)
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeUnavailable, "no run was begun as far as is known: %w", err)
	}
	e.submitted = run
	s = state{Run: run, Relay: mark(target), Began: e.now().Unix()}
	return e.reply(s, "run "+run+" submitted")
}

// request is the order to the service. The endpoint is the relay, without the /v1 that the service adds itself.
func (e *evaluator) request(target *sdk.Target) ([]byte, error) {
	params := map[string]json.RawMessage{}
	if len(target.Params) > 0 {
		if err := json.Unmarshal(target.Params, &params); err != nil {
			return nil, sdk.Errorf(sdk.CodeInvalidArgument, "the target's parameters: %w", err)
		}
	}
	generation := map[string]json.RawMessage{}
	for _, key := range []string{"temperature", "seed", "top_p", "top_k", "repetition_penalty", "presence_penalty", "frequency_penalty", "chat_template_kwargs"} {
		if value, ok := params[key]; ok {
			generation[key] = value
		}
	}
	return json.Marshal(map[string]any{
		"model_name": target.Model, "endpoint_urls": []string{strings.TrimSuffix(strings.TrimSuffix(target.Url, "/"), "/v1")},
		"endpoint_api_key": target.Token, "generation_params": generation, "subset": e.Subset, "split": e.Split, "num_instances": len(e.instances),
		"workers": e.Workers, "max_eval_workers": e.MaxEvalWorkers, "evaluated_instance_ids": e.instances, "template": e.Template,
	})
}

// poll waits and looks at the run.
func (e *evaluator) poll(s state) (*sdk.EvaluateResponse, error) {
	if spent := e.now().Unix() - s.Began; spent >= e.LimitS {
		return nil, sdk.Errorf(sdk.CodeDeadlineExceeded, "run %s has not ended after %d s (limit_s)", s.Run, spent)
	}
	e.wait(e.settings.poll())
	p, err := e.service.look(s.Run)
	if passing(err) {
		return e.retry(s, err)
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeUnavailable, "run %s: %w", s.Run, err)
	}
	s.Away = 0
	switch p.Status {
	case "succeeded":
		s.Ended = true
		return e.reply(s, "run "+s.Run+" succeeded")
	case "failed", "cancelled":
		return nil, sdk.Errorf(sdk.CodeAborted, "run %s ended as %s: %s (it stays so; --evaluate-anew begins another)", s.Run, p.Status, e.service.short([]byte(p.Error)))
	case "queued", "running":
		s.Done = max(s.Done, min(p.EvalCompleted, uint64(len(e.instances))))
		return e.reply(s, fmt.Sprintf("run %s: %d patches, %d evaluated", s.Run, p.AgentCompleted, p.EvalCompleted))
	}
	return nil, sdk.Errorf(sdk.CodeUnavailable, "run %s has an unknown status: %s", s.Run, named(p.Status))
}

// retry stays where it is, as long as patience lasts: services are restarted.
func (e *evaluator) retry(s state, err error) (*sdk.EvaluateResponse, error) {
	now := e.now().Unix()
	if s.Away == 0 {
		s.Away = now
	}
	if away := now - s.Away; away >= e.PatienceS {
		return nil, sdk.Errorf(sdk.CodeUnavailable, "the service has been away for %d s (patience_s): %w", away, err)
	}
	if s.Run == "" || s.Ended { // poll waits before it looks
		e.wait(e.settings.poll())
	}
	return e.reply(s, "waiting for the service: "+err.Error())
}

// cancel stops the run and tells what is known. A step that was cut may have begun a run that the state does not name.
func (e *evaluator) cancel(s state) (*sdk.EvaluateResponse, error) {
	run := s.Run
	if run == "" {
		run = e.submitted
	}
	status := "nothing to cancel"
	if run != "" && !s.Ended {
		status = "run " + run + " cancelled"
		if err := e.service.stop(run); err != nil {
			status = fmt.Sprintf("run %s could not be cancelled: %v", run, err)
			e.warn("%s", status)
		}
	}
	r, err := e.reply(s, status)
	if err != nil {
		return nil, err
	}
	r.Done = true
	r.Score = &sdk.ConcludeScoreResponse{HigherIsBetter: true, Missing: uint64(len(e.instances)), Parts: e.parts(nil, s)}
	return r, nil
}

func (e *evaluator) reply(s state, status string) (*sdk.EvaluateResponse, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return &sdk.EvaluateResponse{State: text, ItemsDone: s.Done, ItemsTotal: uint64(len(e.instances)), Status: status}, nil
}
