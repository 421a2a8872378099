package cli

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/session"
)

// maxMetrics bounds a metrics page in bytes: one with a series for each of some ten thousand experts is below it.
const maxMetrics = 8 << 20

// metrics makes what reads the target's metrics page, with a client of its own; nil where it is not to be read. What it
// returns last frees it.
func (a *app) metrics(t config.Target, epoch time.Time) (session.Meter, func(), error) {
	if t.Metrics == config.NoMetrics {
		return nil, func() {}, nil
	}
	c, err := a.endpointConfig(t)
	if err != nil {
		return nil, nil, fail(exitUsage, err)
	}
	c.MaxAnswer = maxMetrics
	paths := engine.MetricsPaths()
	if t.Metrics != "" {
		if c, paths, err = elsewhere(c, t.Metrics); err != nil {
			return nil, nil, fail(exitUsage, err)
		}
	}
	client, err := endpoint.New(c, epoch)
	if err != nil {
		return nil, nil, fail(exitUsage, err)
	}
	return &session.EndpointMeter{Client: client, Root: client.Root(), Paths: paths}, client.Close, nil
}

// elsewhere points a client of the target at a metrics page of its own URL. The key, the headers and an unchecked
// certificate are the target's: they do not go to another origin.
func elsewhere(c endpoint.Config, page string) (endpoint.Config, []string, error) {
	u, err := url.Parse(page)
	if err != nil {
		return c, nil, errors.New("target.metrics: cannot be parsed; want e.g. http://127.0.0.1:8000/metrics") // the text may hold a password
	}
	path := u.EscapedPath()
	if path == "" || path == "/" {
		path = "/metrics"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	base := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	its, err := endpoint.ParseTarget(base.String(), "", c.API)
	if err != nil {
		return c, nil, fmt.Errorf("target.metrics: %w", err)
	}
	mine, err := endpoint.ParseTarget(c.URL, "", c.API)
	if err != nil {
		return c, nil, err
	}
	if mine.TLS != its.TLS || mine.Address != its.Address {
		c.APIKey, c.Headers, c.Insecure = "", nil, false
	} else if of, err := url.Parse(c.URL); err == nil && u.User == nil {
		base.User = of.User
	}
	c.URL, c.Path = base.String(), ""
	return c, []string{path}, nil
}

// shownMetrics is the page's URL for files: without user, password and query.
func shownMetrics(page string) string {
	if page == "" || page == config.NoMetrics {
		return page
	}
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
