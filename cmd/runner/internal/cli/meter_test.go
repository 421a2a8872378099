package cli

import (
	"testing"

	"paceline/core/endpoint"
)

// TestElsewhere: the key, the headers and an unchecked certificate stay with the target's origin.
func TestElsewhere(t *testing.T) {
	of := func(target string) endpoint.Config {
		return endpoint.Config{URL: target, Path: "/x", APIKey: "k", Headers: []endpoint.Header{{Name: "X-A", Value: "v"}}, Insecure: true, CAFile: "ca"}
	}
	for _, tc := range []struct {
		target, page, url, path string
		same                    bool
	}{
		{"http://h:80/v1", "http://h/metrics", "http://h", "/metrics", true},
		{"http://u:p@h/v1", "http://h/m?x=1", "http://u:p@h", "/m?x=1", true},
		{"http://h/v1", "http://h:9090", "http://h:9090", "/metrics", false},
		{"http://h/v1", "https://h/metrics", "https://h", "/metrics", false},
		{"http://u:p@h/v1", "http://g/metrics", "http://g", "/metrics", false},
		{"http://h/v1", "http://a:b@g/metrics", "http://a:b@g", "/metrics", false},
	} {
		c, paths, err := elsewhere(of(tc.target), tc.page)
		if err != nil || c.URL != tc.url || len(paths) != 1 || paths[0] != tc.path || c.Path != "" || c.CAFile != "ca" {
			t.Errorf("%s: %+v, %v, %v", tc.page, c, paths, err)
		}
		if has := c.APIKey != "" && len(c.Headers) == 1 && c.Insecure; has != tc.same || !tc.same && (c.APIKey != "" || c.Headers != nil || c.Insecure) {
			t.Errorf("%s: %+v", tc.page, c)
		}
	}
	if got := shownMetrics("http://a:b@g/metrics?token=x"); got != "http://g/metrics" {
		t.Error(got)
	}
}
