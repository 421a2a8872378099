package session

import (
	"context"
	"fmt"
	"net/http"

	"paceline/core/endpoint"
	"paceline/core/engine"
)

// Tokenizer has the target count the tokens of texts. Its client should not be the load's, whose connections it would use.
type Tokenizer struct {
	Asked *endpoint.Client
	Kind  engine.Kind
	Model string
}

// maxCounted bounds the answer: some tokenizers list every token.
const maxCounted = 4 << 20

// Path implements filler.Tokenizer.
func (t Tokenizer) Path() string { return t.Kind.Tokenize(t.Model, nil).Path }

// Tokens implements filler.Tokenizer and sched.Tokenizer.
func (t Tokenizer) Tokens(ctx context.Context, text []byte) (uint64, error) {
	q := t.Kind.Tokenize(t.Model, text)
	reply, err := t.Asked.PostWithin(ctx, q.Path, q.Body, maxCounted)
	if err != nil {
		return 0, err
	}
	if reply.Status != http.StatusOK {
		return 0, fmt.Errorf("post to %s: status %d", q.Path, reply.Status)
	}
	return engine.Tokens(reply.Body)
}
