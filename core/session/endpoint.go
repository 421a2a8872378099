package session

import (
	"context"

	"paceline/core/endpoint"
	"paceline/core/verdict"
)

// EndpointProber fetches facts with the target's own client.
type EndpointProber struct{ Client *endpoint.Client }

// Probe implements Prober.
func (p EndpointProber) Probe(ctx context.Context, probe verdict.Probe) verdict.Fact {
	f := verdict.Fact{Probe: probe.ID}
	var reply *endpoint.Reply
	var err error
	if probe.GetPath != "" {
		reply, err = p.Client.Get(ctx, probe.GetPath)
	} else {
		reply, err = p.Client.Post(ctx, probe.ChatRequest)
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
