package shape

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the assets
	"encoding/base64"
	"fmt"
	"html/template"
)

var (
	//go:embed assets/page.css
	style string
	//go:embed assets/page.html.tmpl
	page string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
	}).Parse(page))
)

// bar is one drawn bar with its figures.
type bar struct {
	Label, Figures string
	Y, Text, Width int
}

// drawing is a list of bars.
type drawing struct {
	Heading, Summary, Scope string
	Bars                    []bar
	Height                  int
}

// column is one drawn turn.
type column struct {
	X, Y, Height int
	Says         string
}

// growth is one row of columns.
type growth struct {
	Heading string
	Columns []column
	Most    string
}

// Geometry of the drawings, in units of their view boxes.
const (
	rowHeight    = 22
	barRoom      = 520
	columnHeight = 120
	columnWide   = 20
)

// HTML makes one page that works from a file and without a network.
func (s *Shape) HTML() ([]byte, error) {
	data := struct {
		Shape   *Shape
		Facts   []string
		Policy  string
		Figures []drawing
		Growth  []growth
		Last    string
		Sharing drawing
		Full    string
	}{Shape: s, Facts: s.facts(), Policy: policy(), Growth: s.columns(), Last: s.lastTurn()}
	for i := range s.Series {
		data.Figures = append(data.Figures, s.Series[i].drawing())
	}
	data.Sharing = s.Sharing.drawing()
	if s.Sharing.Full {
		data.Full = fullNote
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("draw the shape of %q: %w", s.Title, err)
	}
	return b.Bytes(), nil
}

// policy allows the page its own style, by digest, and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

func (d *drawing) add(label string, part, whole int64, figures string) {
	d.Bars = append(d.Bars, bar{Label: label, Figures: figures, Y: d.Height + 3, Text: d.Height + 15, Width: share(part, whole, barRoom)})
	d.Height += rowHeight
}

func (s *Series) drawing() drawing {
	d := drawing{Heading: s.heading(), Summary: s.summary(), Scope: s.scope()}
	most := int64(0)
	for _, b := range s.Bins {
		most = max(most, b.Count)
	}
	for _, b := range s.Bins {
		d.add(b.label(s.Unit), b.Count, most, grouped(b.Count)+"   "+percent(b.Count, s.Count))
	}
	return d
}

func (s *Sharing) drawing() drawing {
	d := drawing{Heading: sharingTitle, Scope: grouped(s.total()) + " " + s.Unit + " in all"}
	for _, p := range s.parts() {
		d.add(p.Name, p.Size, s.total(), percent(p.Size, s.total()))
	}
	return d
}

// columns draws what grows by turn.
func (s *Shape) columns() []growth {
	var out []growth
	for _, x := range s.rows() {
		most := x.most(s.Growth)
		row := growth{Heading: x.name, Most: value(most, x.unit)}
		for i, g := range s.Growth {
			high := share(x.of(g), most, columnHeight)
			row.Columns = append(row.Columns, column{
				X: i*columnWide + 1, Y: columnHeight - high, Height: high, Says: fmt.Sprintf("turn %d: %s", g.Turn, value(x.of(g), x.unit)),
			})
		}
		out = append(out, row)
	}
	return out
}
