package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/core/digest"
)

var update = flag.Bool("update", false, "rewrite testdata")

// draw gives both forms, and holds them to what is true of every curve: well-formed, the same again, nothing from elsewhere,
// nothing inline that the page's policy would refuse.
func draw(t *testing.T, c Curve) (svg, page string) {
	t.Helper()
	var out [2][2][]byte
	for i := range out {
		var err error
		if out[i][0], err = SVG(c); err != nil {
			t.Fatal(err)
		}
		if out[i][1], err = HTML(c); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(out[0][0], out[1][0]) || !bytes.Equal(out[0][1], out[1][1]) {
		t.Error("the same curve gave other bytes")
	}
	d := xml.NewDecoder(bytes.NewReader(out[0][0]))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("svg: %v", err)
		}
	}
	svg, page = string(out[0][0]), string(out[0][1])
	for _, text := range []string{svg, page} {
		text = strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, "")
		for _, bad := range []string{`style="`, "NaN", "Inf", "ZgotmplZ", "<no value>", "://", "href=", "src=", "@import"} {
			if strings.Contains(text, bad) {
				t.Errorf("%q in the drawing", bad)
			}
		}
	}
	return svg, page
}

func TestGolden(t *testing.T) {
	svg, page := draw(t, small())
	for name, got := range map[string]string{"small.svg": svg, "small.html": page} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; look at it, then go test ./sweep/chart -update", file)
		}
	}
}

func TestTextsOfStrangers(t *testing.T) {
	svg, page := draw(t, small())
	for _, bad := range []string{"<b ", "<script>alert", "\x00", "\u202e", "<2026", "]]>"} {
		if strings.Contains(svg, bad) || strings.Contains(page, bad) {
			t.Errorf("%q came through", bad)
		}
	}
	if n := strings.Count(page, "</script>"); n != 1 {
		t.Errorf("%d ends of scripts", n)
	}
	if n := strings.Count(page, "</style>"); n != 1 {
		t.Errorf("%d ends of styles", n)
	}
	if !strings.Contains(page, "<h1>&lt;/script&gt;&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; &#39;Qwen&#39;??</h1>") {
		t.Error("the title is not told as it is")
	}
}

// TestPolicy holds the digests of the page's policy against the very bytes between its tags.
func TestPolicy(t *testing.T) {
	_, page := draw(t, small())
	inside := func(tag string) string {
		_, rest, _ := strings.Cut(page, "<"+tag+">")
		text, _, _ := strings.Cut(rest, "</"+tag+">")
		return text
	}
	for _, tag := range []string{"style", "script"} {
		want := strings.ReplaceAll(tag+"-src &#39;"+strings.Trim(digest.Inline(inside(tag)), "'")+"&#39;", "+", "&#43;")
		if !strings.Contains(page, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
}

func TestNumbersOfPoints(t *testing.T) {
	one := Curve{Title: "one", X: interactivity, Y: throughput, Points: []Point{{Concurrency: 8, X: ptr(10), Y: ptr(80)}}}
	flat := Curve{Title: "zero", X: interactivity, Y: throughput, Points: []Point{{Concurrency: 8, X: ptr(0), Y: ptr(0)}}}
	for _, c := range []struct {
		curve        Curve
		marks, lines int
		text         string
	}{
		{Curve{}, 0, 0, "no point to draw"},
		{one, 1, 1, ">8</text>"},
		{flat, 1, 1, ">8</text>"},
		{example(), 7 + 7, 7 + 7, "sweep of 2026-11-12"},
		{full(), 32, 32, "Ultra Low: 1–32"},
	} {
		svg, page := draw(t, c.curve)
		if n := strings.Count(svg, "data-row="); n != c.marks {
			t.Errorf("%s: %d marks, want %d", c.curve.Title, n, c.marks)
		}
		if n := strings.Count(page, "<tr id="); n != c.lines {
			t.Errorf("%s: %d lines in tables, want %d", c.curve.Title, n, c.lines)
		}
		if !strings.Contains(svg, c.text) {
			t.Errorf("%s: no %q", c.curve.Title, c.text)
		}
	}
}

func TestEveryPointIsLabelled(t *testing.T) {
	s := lay(full(), false)
	if len(s.Labels) != 32 {
		t.Errorf("%d labels of 32", len(s.Labels))
	}
}

func TestNotDrawn(t *testing.T) {
	c := Curve{X: Axis{Name: "speed"}, Y: Axis{Name: "sum"}, Points: []Point{
		{Concurrency: 1, Y: ptr(1), Missing: "a turn failed"}, {Concurrency: 2, X: ptr(1)}, {Concurrency: 3, X: ptr(math.NaN()), Y: ptr(1)},
		{Concurrency: 4, X: ptr(1), Y: ptr(math.Inf(1))}, {Concurrency: 5, X: ptr(-1), Y: ptr(1)}}}
	svg, page := draw(t, c)
	want := []string{"no speed: a turn failed", "no sum", "speed is no figure that can be drawn", "sum is no figure that can be drawn", "speed is no figure that can be drawn"}
	for i, m := range lay(clean(c), true).Missing {
		if m.Why != want[i] || m.Concurrency != i+1 {
			t.Errorf("%+v, want %s", m, want[i])
		}
		if text := fmt.Sprintf("<li>concurrency %d: %s</li>", i+1, want[i]); !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	if !strings.Contains(svg, "Not drawn: concurrency 1 (no speed: a turn failed), concurrency 2") {
		t.Error("the drawing does not tell what it lacks")
	}
	if !strings.Contains(page, "not drawn: no sum; speed 1.000") {
		t.Error("the table does not tell what is known")
	}
}

func TestLimits(t *testing.T) {
	many := Curve{Points: make([]Point, maxPoints+1)}
	for name, c := range map[string]Curve{
		"points: 1001; want at most 1000":             many,
		"points[0].concurrency: 0; want 1 to 1000000": {Points: []Point{{}}},
		"regions[0]: 0 to 3; want concurrencies":      {Regions: []Region{{First: 0, Last: 3}}},
		"overlays: 5; want at most 4":                 {Overlays: make([]Overlay, 5)},
		"overlays[0].points[0].facts: 49":             {Overlays: []Overlay{{Points: []Point{{Concurrency: 1, Facts: make([]Fact, 49)}}}}},
	} {
		if _, err := HTML(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// TestWritePages writes what .ci/pages opens in a browser.
func TestWritePages(t *testing.T) {
	dir := os.Getenv("CHART_PAGES")
	if dir == "" {
		t.Skip("CHART_PAGES names no folder; .ci/pages does")
	}
	for name, c := range map[string]Curve{"small": small(), "example": example(), "full": full(), "empty": {Title: "empty", X: interactivity, Y: throughput}} {
		svg, page := draw(t, c)
		for ending, text := range map[string]string{"svg": svg, "html": page} {
			if err := os.WriteFile(filepath.Join(dir, name+"."+ending), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
