package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func page1(t testing.TB, in Input) string {
	t.Helper()
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	var b, again bytes.Buffer
	if err := WriteHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	if err := WriteHTML(&again, r); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("equal input, other bytes: %v", err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	html := page1(t, apart())
	for _, want := range []string{
		"<h2>Targets</h2>", "<h2>Tenants</h2>", "<caption>by tenant</caption>", "<caption>by turn</caption>", "<caption>by input tokens</caption>",
		`<th title="west">west</th><td>3</td><td>1</td>`, "<title>east: 62.5% of turns</title>", "goodput, conversations",
		"Not ok at west: not_sent 1, overload 1", "<td>turns 40.00 %; trajectories 0 %; under ttft 51.5 ms</td>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q:\n%s", want, html)
		}
	}
	if strings.Contains(page1(t, small()), "<h2>Targets</h2>") {
		t.Error("one target is split")
	}
}

// TestPageOfStrangers: names are texts and nothing else, and no script runs whatever they say.
func TestPageOfStrangers(t *testing.T) {
	in := apart()
	const evil = `<img src=x onerror=alert(1)>"'` + "\x1b"
	for i := range in.Run.Conversations {
		in.Run.Conversations[i].Domain = evil
		in.Run.Conversations[i].Labels[0].Value += evil
		in.Run.Conversations[i].Target += evil
	}
	for i := range in.Config.Targets {
		in.Config.Targets[i].Name += evil
	}
	html := page1(t, in)
	if strings.Contains(html, "<img") || strings.Contains(html, "<script") || strings.Contains(html, "\x1b") || !strings.Contains(html, "default-src &#39;none&#39;") {
		t.Errorf("what strangers say is not harmless:\n%s", html)
	}
}

// TestWritePages writes what .ci/pages opens in a browser.
func TestWritePages(t *testing.T) {
	dir := os.Getenv("CHART_PAGES")
	if dir == "" {
		t.Skip("CHART_PAGES names no folder; .ci/pages does")
	}
	if err := os.WriteFile(filepath.Join(dir, "run.html"), []byte(page1(t, apart())), 0o600); err != nil {
		t.Fatal(err)
	}
}
