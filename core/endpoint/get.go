package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"paceline/core/chat"
	"paceline/core/sample"
)

// Reply is a response as it came, for probes and discovery. Its texts hold no secrets of the client.
type Reply struct {
	Status  int
	Headers []chat.Header // those on the allow list, and Server, Via, X-Powered-By and Openai-Version
	Body    []byte
}

// Get asks for a path of the target's server, such as /version or /v1/models, below the base URL's path without its /v1. An
// error means that there was no whole response; any status is a reply.
func (c *Client) Get(ctx context.Context, path string) (*Reply, error) {
	return c.GetWithin(ctx, path, c.config.MaxAnswer)
}

// GetWithin is Get with a limit of its own on the size of the reply.
func (c *Client) GetWithin(ctx context.Context, path string, limit int64) (*Reply, error) {
	if path == "" || path[0] != '/' || !visible(path) {
		return nil, fmt.Errorf("get %q: a path begins with a slash and has no blanks", path)
	}
	head := append([]byte("GET "+c.target.at(path)+" HTTP/1.1\r\n"), c.headGet...)
	reply, err := c.ask(ctx, head, nil, limit)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", path, err)
	}
	return reply, nil
}

// Post sends a chat request whose body is given and returns the response as it came.
func (c *Client) Post(ctx context.Context, body []byte) (*Reply, error) {
	reply, err := c.ask(ctx, c.headDoc, [][]byte{body}, c.config.MaxAnswer)
	if err != nil {
		return nil, fmt.Errorf("post to the chat endpoint: %w", err)
	}
	return reply, nil
}

// PostTo sends a JSON body, perhaps an empty one, to a path of the target's server, which is found as Get finds it: to order
// something, such as that its caches be emptied.
func (c *Client) PostTo(ctx context.Context, path string, body []byte) (*Reply, error) {
	return c.PostWithin(ctx, path, body, c.config.MaxAnswer)
}

// PostWithin is PostTo with a limit of its own on the size of the reply.
func (c *Client) PostWithin(ctx context.Context, path string, body []byte, limit int64) (*Reply, error) {
	if path == "" || path[0] != '/' || !visible(path) {
		return nil, fmt.Errorf("post to %q: a path begins with a slash and has no blanks", path)
	}
	head := append([]byte("POST "+c.target.at(path)+" HTTP/1.1\r\nContent-Type: "+typeJSON+"\r\n"), c.headGet...)
	reply, err := c.ask(ctx, head, [][]byte{body}, limit)
	if err != nil {
		return nil, fmt.Errorf("post to %s: %w", path, err)
	}
	return reply, nil
}

func (c *Client) ask(ctx context.Context, head []byte, body [][]byte, limit int64) (*Reply, error) {
	x := &sample.Exchange{Timing: sample.NoTiming()}
	f := c.takeFlight(x)
	defer f.leave()
	f.raw, f.limit = true, min(limit, f.limit)
	f.plan(head, nil, body)
	err := f.exchange(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		_, cause := errorOutcome(err)
		return nil, &askError{text: c.secrets.text(cause), err: err}
	}
	reply := &Reply{Status: f.resp.status, Body: c.secrets.bytes(f.kept, false)}
	for _, h := range f.resp.headers {
		reply.Headers = append(reply.Headers, chat.Header{Name: h.Name, Value: c.secrets.text(h.Value)})
	}
	return reply, nil
}

// askError is a failed question: a text without secrets over the error that callers may look into.
type askError struct {
	text string
	err  error
}

func (e *askError) Error() string { return e.text }
func (e *askError) Unwrap() error { return e.err }

// ErrNoModel is why no model could be found by asking.
var ErrNoModel = errors.New("the model must be named")

// Models returns the names that the target's /v1/models lists, in its order.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	reply, err := c.Get(ctx, modelsPath)
	if err != nil {
		return nil, err
	}
	return ModelNames(reply)
}

const modelsPath = "/v1/models"

// ModelNames returns the names that a reply of /v1/models lists, in its order.
func ModelNames(reply *Reply) ([]string, error) {
	if reply.Status != http.StatusOK {
		return nil, fmt.Errorf("get %s: status %d: %s", modelsPath, reply.Status, oneLine(errorSaid(reply.Body).text))
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(reply.Body, &list); err != nil {
		return nil, fmt.Errorf("get %s: %w", modelsPath, err)
	}
	var names []string
	for _, m := range list.Data {
		if m.ID != "" && !slices.Contains(names, m.ID) {
			names = append(names, m.ID)
		}
	}
	return names, nil
}

// OnlyModel returns the one model that the target serves. Where it serves none or several, the error wraps ErrNoModel and
// lists them.
func (c *Client) OnlyModel(ctx context.Context) (string, error) {
	names, err := c.Models(ctx)
	if err != nil {
		return "", err
	}
	switch len(names) {
	case 1:
		return names[0], nil
	case 0:
		return "", fmt.Errorf("%w: /v1/models lists none", ErrNoModel)
	}
	shown := strings.Join(names[:min(len(names), 10)], ", ")
	if len(names) > 10 {
		shown += ", ..."
	}
	return "", fmt.Errorf("%w: /v1/models lists %d: %s", ErrNoModel, len(names), shown)
}
