package endpoint_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// TestURLs is case 37.
func TestURLs(t *testing.T) {
	lines := bufio.NewScanner(bytes.NewReader(coretest.LoadCase(t, "37").File(t, "urls.jsonl")))
	for lines.Scan() {
		var c struct {
			Base, Path, URL string
			Error           bool
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		target, err := endpoint.ParseTarget(c.Base, c.Path, chat.APIChat)
		switch {
		case c.Error != (err != nil):
			t.Errorf("%s: error %v, want one: %v", lines.Bytes(), err, c.Error)
		case err == nil && target.URL() != c.URL:
			t.Errorf("%s: got %s", lines.Bytes(), target.URL())
		}
	}
}

func TestURLsOfAPIs(t *testing.T) {
	for _, tt := range []struct {
		base, path string
		api        chat.API
		want       string
	}{
		{"http://h:8000", "", chat.APICompletions, "http://h:8000/v1/completions"},
		{"http://h:8000/v1/", "", chat.APIResponses, "http://h:8000/v1/responses"},
		{"http://h/x/v1?k=v", "", chat.APIMessages, "http://h/x/v1/messages?k=v"},
		{"http://h/anthropic/messages", "", chat.APIMessages, "http://h/anthropic/messages"},
		{"http://h/v1/chat/completions", "", chat.APICompletions, "http://h/v1/completions"},
		{"http://h/v1/messages", "", "", "http://h/v1/chat/completions"},
		{"http://h/v1", "/ask", chat.APIMessages, "http://h/v1/ask"},
	} {
		target, err := endpoint.ParseTarget(tt.base, tt.path, tt.api)
		if err != nil || target.URL() != tt.want {
			t.Errorf("%s by %s: got %v, %v, want %s", tt.base, tt.api, target, err, tt.want)
		}
	}
}

func TestTargetHost(t *testing.T) {
	for base, want := range map[string]string{
		"http://h":             "h h:80",
		"http://h:80/v1":       "h h:80",
		"https://h:443":        "h h:443",
		"https://h:80":         "h:80 h:80",
		"http://[::1]":         "[::1] [::1]:80",
		"http://[::1]:8000/v1": "[::1]:8000 [::1]:8000",
	} {
		target, err := endpoint.ParseTarget(base, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := target.Host + " " + target.Address; got != want {
			t.Errorf("%s: got %s, want %s", base, got, want)
		}
	}
}

func TestConfigFaults(t *testing.T) {
	for _, base := range []string{"http://user:hunter2", "http://u:hunter2@h:x", "ftp://u:hunter2@h", "http://u:hunter2@"} {
		if _, err := endpoint.New(endpoint.Config{URL: base}, time.Now()); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", base, err)
		}
	}
	err := (&endpoint.Config{
		URL: "http://h", APIKey: "a\nb", Headers: []endpoint.Header{{Name: "a b"}, {Name: "X", Value: "\r"}, {Name: "Content-Length"}}, MaxIdle: -1,
	}).Check()
	for _, want := range []string{"api key", "headers[0]", "headers[1]", "headers[2]", "max idle"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s in it", err, want)
		}
	}
}

// The scheduler's Issuer, which this package may not import.
var _ interface {
	Issue(context.Context, *chat.Request, *sample.Exchange)
} = (*endpoint.Client)(nil)
