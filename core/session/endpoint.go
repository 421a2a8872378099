package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/verdict"
)

// EndpointProber fetches facts with the target's own client.
type EndpointProber struct {
	Client *endpoint.Client
	// Wire and Params say how the run's own requests are made: the fixed request of a probe takes from them what it does not
	// say itself. Without a model in Wire it is sent as it is.
	Wire   chat.Wire
	Params []chat.Layer // of the whole run, from the lowest to the highest
}

// probeTimeout bounds one probe: a target that hangs must not hold the run.
const probeTimeout = time.Minute

var errProbeTimeout = fmt.Errorf("no answer within %v", probeTimeout)

// Probe implements Prober.
func (p EndpointProber) Probe(ctx context.Context, probe verdict.Probe) verdict.Fact {
	f := verdict.Fact{Probe: probe.ID}
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, errProbeTimeout)
	defer cancel()
	var reply *endpoint.Reply
	var err error
	if probe.GetPath != "" {
		reply, err = p.Client.Get(ctx, probe.GetPath)
	} else {
		reply, err = p.post(ctx, probe.ChatRequest)
	}
	if err != nil {
		f.Error = p.Client.Redact(err.Error())
		return f
	}
	f.Status, f.Body = reply.Status, reply.Body
	for _, h := range reply.Headers {
		f.Headers = append(f.Headers, verdict.Header{Name: h.Name, Value: h.Value})
	}
	return f
}

func (p EndpointProber) post(ctx context.Context, request json.RawMessage) (*endpoint.Reply, error) {
	body, err := p.complete(request)
	if err != nil {
		return nil, fmt.Errorf("complete the request of a probe: %w", err)
	}
	return p.Client.Post(ctx, body)
}

// complete fills in what a probe's request leaves to the host: the model, a limit of one generated token, and the run's
// parameters below its own. The limit goes by the name that the target wants, and the answer is asked for whole.
func (p EndpointProber) complete(request json.RawMessage) ([]byte, error) {
	if p.Wire.Model == "" {
		return request, nil
	}
	var said struct {
		Model      string            `json:"model"`
		Messages   []json.RawMessage `json:"messages"`
		Limit      uint32            `json:"max_tokens"`
		Completion uint32            `json:"max_completion_tokens"`
	}
	own := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(request, &said), json.Unmarshal(request, &own)); err != nil {
		return nil, err
	}
	maps.DeleteFunc(own, func(key string, _ json.RawMessage) bool { return chat.Owned(key) })
	rest, err := json.Marshal(own) // sorted by key
	if err != nil {
		return nil, err
	}
	params, err := chat.Merge(append(slices.Clip(p.Params), chat.Layer{Name: "the probe", Params: rest})...)
	if err != nil {
		return nil, err
	}
	wire := chat.Wire{Model: cmp.Or(said.Model, p.Wire.Model), MaxTokensKey: p.Wire.MaxTokensKey}
	shell, err := wire.Shell(params, nil, cmp.Or(said.Limit, said.Completion, 1))
	if err != nil {
		return nil, err
	}
	messages := make([][]byte, len(said.Messages))
	for i, m := range said.Messages {
		messages[i] = m
	}
	return bytes.Join(shell.Body(messages).Body, nil), nil
}
