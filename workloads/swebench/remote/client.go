package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of one exchange with the service.
const (
	maxAnswer   = 16 << 20 // bytes of a JSON answer
	maxArtifact = 64 << 20
	quick       = 10 * time.Second // health and cancel
	patient     = 20 * time.Second // everything else; a step has a minute for two of them and the pause
)

// client speaks with one service.
type client struct {
	root  *url.URL
	token string
	relay string // the token that the service has of us, as far as it is known
	http  *http.Client
}

func newClient(root *url.URL, token string) *client {
	return &client{root: root, token: token, http: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // seconds between two requests, and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// failure is why an exchange came to nothing.
type failure struct {
	text   string
	status int  // 0: no answer
	again  bool // asking again may help
	unsent bool // nothing of the request has reached the service
}

func (f *failure) Error() string { return f.text }

func passing(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.again
}

// exchange sends a request and returns the answer's body, of at most so many bytes.
func (c *client) exchange(method, path string, body []byte, limit int64, bound time.Duration) ([]byte, error) {
	what := method + " " + path
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, c.root.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(q)
	if err != nil {
		op, ok := errors.AsType[*net.OpError](err)
		return nil, &failure{text: fmt.Sprintf("%s: the service does not answer: %v", what, plainCause(err)), again: true, unsent: ok && op.Op == "dial"}
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, &failure{text: fmt.Sprintf("%s: the answer broke off: %v", what, plainCause(err)), again: true}
	}
	if answer.StatusCode/100 != 2 {
		return nil, refusal(what, answer.StatusCode, c.short(text))
	}
	if int64(len(text)) > limit {
		return nil, &failure{text: fmt.Sprintf("%s: the answer has more than %d bytes", what, limit), status: answer.StatusCode}
	}
	return text, nil
}

// plainCause leaves out the address, which the error of package http repeats.
func plainCause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func refusal(what string, status int, text string) error {
	f := &failure{status: status}
	switch {
	case status/100 == 3:
		f.text = fmt.Sprintf("%s: the service answers with a redirect (status %d), and none is followed: set url to where it really is", what, status)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.text = fmt.Sprintf("%s: the service refuses the token (status %d): check token_file", what, status)
	default:
		f.text = strings.TrimRight(fmt.Sprintf("%s: status %d: %s", what, status, text), ": ")
		f.again = status >= 500 || status == http.StatusTooManyRequests
	}
	return f
}

// hide takes out of a text what nobody else shall read: a service knows our tokens, and may repeat them.
func (c *client) hide(text string) string {
	for _, secret := range []string{c.token, c.relay} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

// short makes a stranger's text fit for an error: one line, not long.
func (c *client) short(text []byte) string {
	s := c.hide(strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "?")), " "))
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}

// named is a stranger's word, where it looks like one.
func named(text string) string {
	if plain(text, 64) {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("a text of %d bytes", len(text))
}

// ask is an exchange whose answer is a JSON object. One that is none may be one that broke off, so asking again may help.
func (c *client) ask(method, path string, body []byte, bound time.Duration, into any) error {
	text, err := c.exchange(method, path, body, maxAnswer, bound)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &failure{text: fmt.Sprintf("%s %s: the answer is not the JSON that is wanted: %v", method, path, err), again: true}
	}
	return nil
}

// health asks whether this is a service that can do what is wanted.
func (c *client) health() error {
	var said struct {
		Version      string   `json:"api_version"`
		Capabilities []string `json:"capabilities"`
	}
	if err := c.ask(http.MethodGet, "/health", nil, quick, &said); err != nil {
		return err
	}
	if said.Version != "v1" {
		return fmt.Errorf("GET /health: api_version is %s, and this client speaks v1", named(said.Version))
	}
	for _, need := range []string{"swebench.run", "swebench.cancel", "artifacts.download"} {
		if !slices.Contains(said.Capabilities, need) {
			return fmt.Errorf("GET /health: the service lacks the capability %s", need)
		}
	}
	return nil
}

// progress is what the service tells of a run.
type progress struct {
	RunID          string          `json:"run_id"`
	Status         string          `json:"status"`
	AgentCompleted uint64          `json:"agent_completed"`
	EvalCompleted  uint64          `json:"eval_completed"`
	Error          string          `json:"error"`
	Result         json.RawMessage `json:"result"`
	Artifacts      []artifact      `json:"artifacts"`
}

type artifact struct {
	Name string `json:"name"`
}

// submit begins a run and returns its id.
func (c *client) submit(body []byte) (string, error) {
	var p progress
	if err := c.ask(http.MethodPost, "/v1/runs", body, patient, &p); err != nil {
		return "", err
	}
	if !plain(p.RunID, 128) {
		return "", &failure{text: "POST /v1/runs: the service gave no usable run_id"}
	}
	return p.RunID, nil
}

// look asks how far a run is.
func (c *client) look(run string) (*progress, error) {
	var p progress
	if err := c.ask(http.MethodGet, "/v1/runs/"+run, nil, patient, &p); err != nil {
		if f, ok := errors.AsType[*failure](err); ok && f.status == http.StatusNotFound {
			return nil, fmt.Errorf("the service does not know run %s any more (it may have been started anew): begin again with --evaluate-anew", run)
		}
		return nil, err
	}
	if p.RunID != run {
		return nil, fmt.Errorf("GET /v1/runs/%s: the answer is about run %s", run, named(p.RunID))
	}
	return &p, nil
}

// stop cancels a run.
func (c *client) stop(run string) error {
	_, err := c.exchange(http.MethodPost, "/v1/runs/"+run+"/cancel", nil, maxAnswer, quick)
	return err
}
