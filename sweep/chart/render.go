package chart

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"

	"paceline/core/digest"
)

//go:embed assets
var assets embed.FS

// asset is a file that is compiled in.
func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // the compiler has put it there
	}
	return string(text)
}

var (
	chartStyle, pageStyle, script = asset("chart.css"), asset("page.css"), asset("page.js")

	templates = template.Must(template.New("").Funcs(template.FuncMap{
		"style":     func() template.CSS { return template.CSS(chartStyle) },
		"pageStyle": func() template.CSS { return template.CSS(pageStyle) },
		"script":    func() template.JS { return template.JS(script) },
		"axis":      axisName,
		"fit":       func(s string, size, room float64) string { return fit(s, size, px(room)) },
		"plus":      func(a, b any) px { return coordinate(a) + coordinate(b) },
		"minus":     func(a, b any) px { return coordinate(a) - coordinate(b) },
		"half":      func(a, b px) px { return (a + b) / 2 },
	}).ParseFS(assets, "assets/*.tmpl"))
)

// coordinate takes the numbers that templates write.
func coordinate(v any) px {
	switch n := v.(type) {
	case px:
		return n
	case int:
		return px(n)
	case float64:
		return px(n)
	}
	panic(fmt.Sprintf("no coordinate: %T", v))
}

func axisName(a Axis) string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + " (" + a.Unit + ")"
}

// SVG draws the curve as one file that needs nothing else.
func SVG(c Curve) ([]byte, error) {
	if err := check(c); err != nil {
		return nil, fmt.Errorf("draw %q: %w", plain(c.Title), err)
	}
	return execute("svg", lay(clean(c), false))
}

// HTML makes a page of the drawing, what a pointer or the keyboard asks of a point, and a table of all points.
func HTML(c Curve) ([]byte, error) {
	if err := check(c); err != nil {
		return nil, fmt.Errorf("draw %q: %w", plain(c.Title), err)
	}
	c = clean(c)
	return execute("page", struct {
		Scene  *scene
		Tables []table
		Policy string
	}{lay(c, true), tables(c), policy()})
}

// policy allows the page its own style and script, by digest, and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
		digest.Inline(chartStyle+pageStyle), digest.Inline(script))
}

func execute(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	return b.Bytes(), nil
}
