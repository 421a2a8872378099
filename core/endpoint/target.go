package endpoint

import (
	"encoding/base64"
	"errors"
	"net"
	"net/url"
	"strings"

	"paceline/core/chat"
)

// Target is a target's address, taken apart. How a base URL becomes the URL of an endpoint:
//
//   - repeated slashes count as one, and one at the end as none; the query is kept;
//   - with a path of one's own, that path follows the base's path as it is;
//   - a base that ends in the suffix of an API (/chat/completions, /completions, /responses, /messages) loses it, and that
//     of the API that is asked for follows;
//   - a base that ends in /v1 is followed by that suffix, any other one by /v1 and the suffix.
type Target struct {
	TLS     bool   // https
	Host    string // for the Host header: without the port where it is the scheme's own
	Address string // host:port to connect to
	name    string // host without port, for TLS
	root    string // path of the server: the base without /v1 and what follows
	api     string // path of the API: models are below it
	ask     string // path of the endpoint that requests go to
	query   string // with its question mark, or empty
	basic   string // user:password in base64, or empty
	secrets []string
}

// suffixOf is the path of an API's endpoint below /v1.
func suffixOf(api chat.API) string {
	switch api.Named() {
	case chat.APICompletions:
		return "/completions"
	case chat.APIResponses:
		return "/responses"
	case chat.APIMessages:
		return "/messages"
	}
	return "/chat/completions"
}

func newTarget(base, path string, a chat.API) (*Target, error) {
	u, err := url.Parse(base)
	switch {
	case base == "":
		return nil, errors.New("target URL: is empty; want http://host:port/v1")
	case err != nil:
		// The parser's text quotes what it was given, perhaps a password.
		return nil, errors.New("target URL: cannot be parsed; want http://host:port/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("target URL: must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("target URL: has no host")
	case path != "" && path[0] != '/':
		return nil, errors.New("target path: must begin with a slash")
	case !visible(path) || !visible(u.EscapedPath()) || !visible(u.RawQuery):
		return nil, errors.New("target URL: holds a blank or control character")
	}
	t := &Target{TLS: u.Scheme == "https", name: u.Hostname()}
	port := u.Port()
	standard := "80"
	if t.TLS {
		standard = "443"
	}
	if port == "" {
		port = standard
	}
	t.Address = net.JoinHostPort(t.name, port)
	t.Host = t.Address
	if port == standard {
		t.Host = strings.TrimSuffix(t.Address, ":"+port)
	}
	if u.RawQuery != "" {
		t.query = "?" + u.RawQuery
	}
	t.paths(u.EscapedPath(), path, suffixOf(a))
	for name, values := range u.Query() {
		if SecretName(name) {
			t.secrets = append(t.secrets, values...)
			for _, v := range values {
				t.secrets = append(t.secrets, url.QueryEscape(v))
			}
		}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		t.basic = base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		if password == "" { // a key given as the user's name
			password = u.User.Username()
		}
		t.secrets = append(t.secrets, password, url.QueryEscape(password), url.PathEscape(password), t.basic)
	}
	return t, nil
}

func (t *Target) paths(base, path, suffix string) {
	for strings.Contains(base, "//") {
		base = strings.ReplaceAll(base, "//", "/")
	}
	base = strings.TrimSuffix(base, "/")
	if base != "" && base[0] != '/' {
		base = "/" + base
	}
	api, whole := base, false
	for _, name := range chat.APIs() { // chat's goes first: it ends in that of completions
		if api, whole = strings.CutSuffix(base, suffixOf(chat.API(name))); whole {
			break
		}
	}
	t.root = strings.TrimSuffix(api, "/v1")
	if !whole && !strings.HasSuffix(api, "/v1") {
		api += "/v1"
	}
	t.api = api
	t.ask = api + suffix
	if path != "" {
		t.ask = base + path
	}
}

// at is a path of the server as a request line has it: below the API's own path where it begins with /v1/.
func (t *Target) at(path string) string {
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok {
		return t.api + "/" + rest
	}
	return t.root + path
}

// URL returns the URL of the endpoint, without the user part.
func (t *Target) URL() string {
	scheme := "http://"
	if t.TLS {
		scheme = "https://"
	}
	return scheme + t.Host + t.ask + t.query
}

// ParseTarget takes a base URL and a path of one's own, empty for none, apart. Errors hold no part of the URL, since it may
// carry a password.
func ParseTarget(base, path string, a chat.API) (*Target, error) { return newTarget(base, path, a) }

func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
