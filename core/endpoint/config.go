package endpoint

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"paceline/core/chat"
)

// Header is one header that every request carries. The value of a secret one is replaced wherever it would show.
type Header struct {
	Name   string
	Value  string
	Secret bool // also taken as true for names that usually carry one, see SecretName
}

// Config says what the target is and how it is talked to. Its zero fields are the defaults.
type Config struct {
	// URL is the target's base, such as http://127.0.0.1:8000/v1; see Target for how it is joined. A user part becomes
	// Basic authorization.
	URL string
	// API is what the endpoint speaks; empty is chat.
	API chat.API
	// Path, if set, is the path of the endpoint, put behind the URL's path as it is.
	Path string
	// APIKey is sent as a bearer token, by APIMessages as X-Api-Key.
	APIKey string
	// Headers go with every request, after those of the client itself.
	Headers []Header
	// KeepHeaders are the response headers that answers keep, by name in any case. Default: Retry-After, X-Request-Id.
	KeepHeaders []string

	CAFile     string // PEM file of further certificates to trust
	Insecure   bool   // do not check certificates
	ServerName string // for TLS, where it is not the URL's host

	// Dial opens a connection. Default: a net.Dialer. Tests put an in-memory network here.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	ConnectTimeout time.Duration // default 10 s, TLS included
	MaxIdle        time.Duration // idle connections older than this are not used again; default 4 s
	MaxAnswer      int64         // bytes of one response body; default 64 MiB
	KeepReceived   int           // bytes of a failed answer's body that are kept as evidence; default 1 MiB
}

const (
	defaultConnectTimeout = 10 * time.Second
	defaultMaxIdle        = 4 * time.Second
	defaultMaxAnswer      = 64 << 20
	defaultKeepReceived   = 1 << 20
)

// Check lists every fault of the configuration; texts hold no secrets.
func (c *Config) Check() error {
	var errs []error
	if err := c.API.Check(); err != nil {
		errs = append(errs, err)
	}
	if _, err := newTarget(c.URL, c.Path, c.API); err != nil {
		errs = append(errs, err)
	}
	if !headerValue(c.APIKey) {
		errs = append(errs, errors.New("api key: holds a character that no header may carry"))
	}
	for i, h := range c.Headers {
		switch {
		case !headerName(h.Name):
			errs = append(errs, fmt.Errorf("headers[%d]: %q is no header name", i, h.Name))
		case !headerValue(h.Value):
			errs = append(errs, fmt.Errorf("headers[%d]: the value of %s holds a character that no header may carry", i, h.Name))
		case reserved(h.Name):
			errs = append(errs, fmt.Errorf("headers[%d]: %s is set by the client", i, h.Name))
		}
	}
	for _, limit := range []struct {
		name     string
		negative bool
	}{
		{"connect timeout", c.ConnectTimeout < 0}, {"max idle", c.MaxIdle < 0}, {"max answer", c.MaxAnswer < 0}, {"keep received", c.KeepReceived < 0},
	} {
		if limit.negative {
			errs = append(errs, fmt.Errorf("%s: is negative", limit.name))
		}
	}
	return errors.Join(errs...)
}

// SecretName reports whether a header of that name usually carries a secret.
func SecretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"authorization", "key", "token", "secret", "cookie", "password", "credential"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Info is what a report tells of the client.
type Info struct {
	URL       string `json:"url"`      // of the endpoint, without secrets
	Protocol  string `json:"protocol"` // HTTP/1.1
	Proxy     string `json:"proxy"`    // none
	TLS       bool   `json:"tls"`
	TLSVerify bool   `json:"tls_verify"` // false only where checking was switched off
}

func (c *Config) tlsConfig(host string) (*tls.Config, error) {
	conf := &tls.Config{ServerName: c.ServerName, InsecureSkipVerify: c.Insecure, NextProtos: []string{"http/1.1"}}
	if conf.ServerName == "" {
		conf.ServerName = host
	}
	if c.CAFile == "" {
		return conf, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read CA file: %w", err)
	}
	conf.RootCAs, err = x509.SystemCertPool()
	if err != nil {
		conf.RootCAs = x509.NewCertPool()
	}
	if !conf.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read CA file %s: no certificate in it", c.CAFile)
	}
	return conf, nil
}

func headerName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

func headerValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// reserved reports whether the client writes a header of that name itself, so that another one would change the framing.
func reserved(name string) bool {
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding", "connection", "host", "content-type", "accept", "expect", "upgrade", "te", "trailer":
		return true
	}
	return false
}

// clean drops what no header may carry from a value that came with a request.
func clean(h chat.Header) (name, value string, ok bool) {
	if !headerName(h.Name) || reserved(h.Name) {
		return "", "", false
	}
	if headerValue(h.Value) {
		return h.Name, h.Value, true
	}
	return h.Name, strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, h.Value), true
}
