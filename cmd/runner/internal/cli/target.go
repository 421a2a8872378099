package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/endpoint"
)

// openTarget makes the target's client and asks for its models, so that an endpoint that is down, refuses or is something
// else ends the command before anything was prepared. It returns the served name of the model.
func (a *app) openTarget(ctx context.Context, t config.Target, epoch time.Time) (*endpoint.Client, string, error) {
	r, err := a.reach(ctx, t, epoch)
	if err != nil {
		return nil, "", err
	}
	return r.client, r.model, nil
}

// reached is a target that has answered.
type reached struct {
	client *endpoint.Client
	model  string
	models *endpoint.Reply // its list of models, or that it has none
}

// reach is openTarget with the target's own words.
func (a *app) reach(ctx context.Context, t config.Target, epoch time.Time) (*reached, error) {
	c, err := a.endpointConfig(t)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	client, err := endpoint.New(c, epoch)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	model, models, err := served(ctx, client, t)
	if err != nil {
		client.Close()
		return nil, err
	}
	return &reached{client, model, models}, nil
}

// endpointConfig is the configuration of a client of the target, with its key and headers.
func (a *app) endpointConfig(t config.Target) (endpoint.Config, error) {
	key, err := t.Key(a.getenv)
	if err != nil {
		return endpoint.Config{}, err
	}
	c := endpoint.Config{
		URL: t.URL, API: chat.API(t.API), Path: t.Path, APIKey: key, CAFile: t.CAFile, Insecure: t.Insecure,
		ConnectTimeout: t.ConnectTimeout, MaxIdle: t.MaxIdle, MaxAnswer: t.MaxAnswer,
	}
	for _, name := range sortedNames(t.Headers) {
		c.Headers = append(c.Headers, endpoint.Header{Name: name, Value: t.Headers[name], Secret: true})
	}
	return c, c.Check()
}

// chatClient returns a client that asks the same target by chat completions, as validators' probes and evaluations do whatever
// the API of the load. The stage closes it.
func (s *stage) chatClient(client *endpoint.Client, t config.Target) (*endpoint.Client, error) {
	if chat.API(t.API).Named() == chat.APIChat {
		return client, nil
	}
	other, err := client.By(chat.APIChat)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	s.closers = append(s.closers, other.Close)
	return other, nil
}

const baseURLHint = "is --target the base URL of an OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1?"

// served asks for the target's models and returns the name of the one to ask, with what the target said. A target that does
// not list them (404, 405, 501) is fine where the model is named.
func served(ctx context.Context, client *endpoint.Client, t config.Target) (string, *endpoint.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, max(t.ConnectTimeout, time.Second)+20*time.Second)
	defer cancel()
	where := client.Info().URL
	reply, err := client.Get(ctx, "/v1/models")
	if err != nil {
		return "", nil, failHint(exitTarget, fmt.Errorf("ask %s for its models: %w", where, err), "is the engine running, and is --target its base URL?")
	}
	listed := map[int]bool{http.StatusNotFound: true, http.StatusMethodNotAllowed: true, http.StatusNotImplemented: true}
	if t.Model != "" && listed[reply.Status] {
		return t.Model, reply, nil
	}
	if reply.Status == http.StatusUnauthorized || reply.Status == http.StatusForbidden {
		return "", nil, failHint(exitTarget, fmt.Errorf("ask %s for its models: status %d", where, reply.Status),
			"give the API key by PACELINE_API_KEY, --api-key-env or --api-key-file")
	}
	if bytes.HasPrefix(bytes.TrimSpace(reply.Body), []byte("<")) {
		return "", nil, failHint(exitTarget, fmt.Errorf("%s answers with HTML where it should list its models (status %d)", where, reply.Status), baseURLHint)
	}
	names, err := endpoint.ModelNames(reply)
	if err != nil {
		return "", nil, failHint(exitTarget, fmt.Errorf("%s: %w", where, err), baseURLHint)
	}
	switch {
	case t.Model == "" && len(names) == 0:
		return "", nil, failHint(exitTarget, fmt.Errorf("%s lists no models", where), "name the served one with --model")
	case t.Model == "" && len(names) == 1:
		return names[0], reply, nil
	case t.Model == "":
		return "", nil, failHint(exitTarget, fmt.Errorf("%s serves %d models (%s)", where, len(names), strings.Join(names, ", ")), "name one with --model")
	case len(names) > 0 && !slices.Contains(names, t.Model):
		return "", nil, failHint(exitTarget, fmt.Errorf("%s does not serve the model %q; it serves %s", where, t.Model, strings.Join(names, ", ")),
			"--model is the served name")
	}
	return t.Model, reply, nil
}

func (a *app) getenv(name string) string {
	for _, kv := range slices.Backward(a.Environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
