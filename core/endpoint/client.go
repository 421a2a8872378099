package endpoint

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

const (
	typeEvents = "text/event-stream"
	typeJSON   = "application/json"
)

// serverHeaders are kept of replies to probes beside those that answers keep, in lower case.
var serverHeaders = [...]string{"server", "via", "x-powered-by", "openai-version"}

// Client sends requests to one target. It is safe for concurrent use and implements the scheduler's Issuer.
type Client struct {
	config  Config
	target  *Target
	dialect *dialect
	tls     *tls.Config // nil without TLS
	epoch   time.Time
	keep    []string // lower-case names of response headers
	// keepAsked is keep and those that tell what the server is, for replies to questions
	keepAsked []string
	secrets   secrets

	headStream, headDoc []byte // heads of requests up to the routing headers
	headGet             []byte // the same for GET, without its request line

	pool   pool
	drains sync.WaitGroup

	mu      sync.Mutex
	free    []*flight
	senders []*sender
}

// New returns a client whose instants count from epoch. It opens no connection yet; Close frees those that it will open.
func New(c Config, epoch time.Time) (*Client, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	target, err := newTarget(c.URL, c.Path, c.API)
	if err != nil {
		return nil, err
	}
	c = c.withDefaults()
	client := &Client{config: c, target: target, dialect: dialectOf(c.API), epoch: epoch}
	client.pool.maxIdle = c.MaxIdle
	if target.TLS {
		if client.tls, err = c.tlsConfig(target.name); err != nil {
			return nil, err
		}
	}
	for _, name := range c.KeepHeaders {
		client.keep = append(client.keep, strings.ToLower(name))
	}
	client.keepAsked = slices.Concat(client.keep, serverHeaders[:])
	client.secrets = newSecrets(secretTexts(&c, target))
	client.writeHeads()
	return client, nil
}

// By returns a client of the same target that asks it by another API, at that API's own path.
func (c *Client) By(api chat.API) (*Client, error) {
	config := c.config
	config.API, config.Path = api, ""
	return New(config, c.epoch)
}

func (c Config) withDefaults() Config {
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = defaultConnectTimeout
	}
	if c.MaxIdle == 0 {
		c.MaxIdle = defaultMaxIdle
	}
	if c.MaxAnswer == 0 {
		c.MaxAnswer = defaultMaxAnswer
	}
	if c.KeepReceived == 0 {
		c.KeepReceived = defaultKeepReceived
	}
	if c.KeepHeaders == nil {
		c.KeepHeaders = []string{"Retry-After", "X-Request-Id"}
	}
	return c
}

func secretTexts(c *Config, t *Target) []string {
	texts := append([]string{c.APIKey}, t.secrets...)
	for _, h := range c.Headers {
		if h.Secret || SecretName(h.Name) {
			_, word, _ := strings.Cut(h.Value, " ") // of "Bearer x" also x alone
			texts = append(texts, h.Value, word)
		}
	}
	return texts
}

func (c *Client) writeHeads() {
	fixed := []byte("Host: " + c.target.Host + "\r\n")
	fixed = append(fixed, c.credentials()...)
	var others []byte
	for _, h := range c.config.Headers {
		if !strings.EqualFold(h.Name, "Authorization") {
			others = append(others, h.Name+": "+h.Value+"\r\n"...)
		}
	}
	post := func(accept string) []byte {
		b := []byte("POST " + c.target.ask + c.target.query + " HTTP/1.1\r\n" + string(fixed))
		b = append(b, "Content-Type: "+typeJSON+"\r\nAccept: "+accept+"\r\n"...)
		return append(b, others...)
	}
	c.headStream, c.headDoc = post(typeEvents), post(typeJSON)
	c.headGet = append(append(fixed, "Accept: "+typeJSON+"\r\n"...), others...)
}

// credentials are the headers by which the client says who it is: one of its own first, else the API's way to carry the key.
func (c *Client) credentials() string {
	messages := c.config.API == chat.APIMessages
	var own string
	keyed, versioned := false, false
	for _, h := range c.config.Headers {
		switch strings.ToLower(h.Name) {
		case "authorization":
			own = "Authorization: " + h.Value + "\r\n"
		case "x-api-key":
			keyed = messages
		case "anthropic-version":
			versioned = true
		}
	}
	switch key := c.config.APIKey; {
	case own != "" || keyed:
	case key != "" && messages:
		own = "X-Api-Key: " + key + "\r\n"
	case key != "":
		own = "Authorization: Bearer " + key + "\r\n"
	case c.target.basic != "":
		own = "Authorization: Basic " + c.target.basic + "\r\n"
	}
	if messages && !versioned {
		own += "Anthropic-Version: " + anthropicVersion + "\r\n"
	}
	return own
}

// anthropicVersion is the version of APIMessages that requests name where the run's headers do not.
const anthropicVersion = "2023-06-01"

// Info tells what a report says of the client.
func (c *Client) Info() Info {
	return Info{
		URL: c.secrets.text(c.target.URL()), Protocol: "HTTP/1.1", Proxy: "none",
		TLS: c.tls != nil, TLSVerify: c.tls != nil && !c.config.Insecure,
	}
}

// Stats returns the connections so far.
func (c *Client) Stats() Stats {
	p := &c.pool
	return Stats{
		Opened: p.opened.Load(), Reused: p.reused.Load(), Retried: p.retried.Load(), Stale: p.stale.Load(), Idle: p.size(),
	}
}

// Redact returns text without the client's secrets.
func (c *Client) Redact(text string) string { return c.secrets.text(text) }

// Close closes the idle connections and waits for what is still being read to its end, at most about a second. Requests
// in flight are left alone, but their connections are closed when they end.
func (c *Client) Close() {
	c.pool.close()
	c.drains.Wait()
}

// Issue sends req and fills x, whatever happens; of what x held before, only Timing.Due stays. It returns within
// milliseconds after ctx ended, with outcome timeout where ctx's cause is context.DeadlineExceeded and cancelled otherwise.
func (c *Client) Issue(ctx context.Context, req *chat.Request, x *sample.Exchange) {
	due := x.Timing.Due
	*x = sample.Exchange{Timing: sample.NoTiming()}
	x.Timing.Due = due
	f := c.takeFlight(x)
	f.stream = req.Stream
	head := c.headDoc
	if req.Stream {
		head = c.headStream
	}
	f.plan(head, req.Headers, req.Body)
	err := f.exchange(ctx)
	f.conclude(ctx, err)
	if x.Status == http.StatusOK && x.Outcome != sample.OK {
		// A server that gave up inside an answer may still be about to close the connection, and the next request with it:
		// uvicorn does when an application fails after its last byte.
		f.spoiled = true
	}
	f.leave()
}

func (c *Client) takeFlight(x *sample.Exchange) *flight {
	c.mu.Lock()
	var f *flight
	if n := len(c.free); n > 0 {
		f, c.free[n-1] = c.free[n-1], nil
		c.free = c.free[:n-1]
	}
	c.mu.Unlock()
	if f == nil {
		f = &flight{client: c, reader: reader{epoch: c.epoch, buf: make([]byte, readSize)}}
	}
	f.x = x
	return f
}

// giveFlight keeps a flight's buffers for the next one, but not the ones that a rare large answer has grown.
func (c *Client) giveFlight(f *flight) {
	f.reset()
	c.mu.Lock()
	c.free = append(c.free, f)
	c.mu.Unlock()
}
