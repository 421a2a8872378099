package survey

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/engine"
)

// Asker is a target's client.
type Asker interface {
	GetWithin(ctx context.Context, path string, limit int64) (*endpoint.Reply, error)
	Post(ctx context.Context, body []byte) (*endpoint.Reply, error)
}

// Options say what is asked.
type Options struct {
	Engine     engine.Kind     // what the target is said to be
	Models     *endpoint.Reply // the list of models, where it was asked for already
	Thoroughly bool            // ask also a target whose list of models tells no engine
	Token      *chat.Wire      // how a request for one token is made; nil: none is
}

// Survey is what a target told.
type Survey struct {
	Detection engine.Detection
	Findings  []engine.Finding
}

// Limits of one question. A page of metrics is the largest of them.
const (
	maxPage   = 4 << 20
	pageTime  = 5 * time.Second
	tokenTime = time.Minute
)

// Ask asks. What a target does not answer is a finding, so it always returns something.
func Ask(ctx context.Context, client Asker, o Options) *Survey {
	var facts engine.Facts
	if o.Models != nil {
		facts = append(facts, fact(engine.ModelsPage, o.Models, nil))
	}
	for {
		page, more := engine.Next(facts, o.Engine, o.Thoroughly)
		if !more || ctx.Err() != nil {
			break
		}
		facts = append(facts, get(ctx, client, page))
	}
	var tried *engine.Tried
	if o.Token != nil {
		tried = try(ctx, client, *o.Token)
	}
	d := engine.Identify(facts, o.Engine)
	return &Survey{Detection: d, Findings: engine.Assess(d, facts, tried)}
}

func get(ctx context.Context, client Asker, page string) engine.Fact {
	ctx, cancel := within(ctx, pageTime)
	defer cancel()
	reply, err := client.GetWithin(ctx, page, maxPage)
	return fact(page, reply, err)
}

// within bounds a question, and says so where it ends one.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
}

func fact(page string, reply *endpoint.Reply, err error) engine.Fact {
	f := engine.Fact{Page: page}
	if err != nil {
		f.Error = err.Error()
		return f
	}
	f.Status, f.Body = reply.Status, reply.Body
	for _, h := range reply.Headers {
		f.Headers = append(f.Headers, engine.Header{Name: h.Name, Value: h.Value})
	}
	return f
}

// try asks for one token twice, the second time only after an answer.
func try(ctx context.Context, client Asker, wire chat.Wire) *engine.Tried {
	body, err := tokenBody(wire)
	if err != nil {
		return &engine.Tried{Replies: []engine.Fact{{Error: err.Error()}}}
	}
	t := &engine.Tried{}
	for range 2 {
		f := post(ctx, client, body)
		t.Replies = append(t.Replies, f)
		if f.Status != http.StatusOK {
			break
		}
	}
	return t
}

func post(ctx context.Context, client Asker, body []byte) engine.Fact {
	ctx, cancel := within(ctx, tokenTime)
	defer cancel()
	reply, err := client.Post(ctx, body)
	return fact("", reply, err)
}

// sentence is repeated into a prompt of some 650 tokens: more than a block of most prefix caches, and soon read on a small machine.
const (
	sentence = "The quick brown fox jumps over the lazy dog, and the dog sleeps on in the sun. "
	repeated = 32
)

func tokenBody(wire chat.Wire) ([]byte, error) {
	wire.Stream, wire.IncludeUsage = true, true
	shell, err := wire.Shell(chat.Params{}, nil, 1)
	if err != nil {
		return nil, fmt.Errorf("write a request for one token: %w", err)
	}
	message := append([]byte(`{"role":"user","content":`), chat.AppendQuoted(nil, strings.Repeat(sentence, repeated))...)
	var body []byte
	for _, part := range shell.Body([][]byte{append(message, '}')}).Body {
		body = append(body, part...)
	}
	return body, nil
}
