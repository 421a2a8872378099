package shape

import (
	"bytes"
	_ "embed" // for the assets
	"fmt"
	"html/template"

	"paceline/core/digest"
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
	Label, Count, Share string
	Width               int
}

// drawing is a list of bars: how many of what have which values.
type drawing struct {
	Heading, Summary, Scope string
	Values, Of              string
	Bars                    []bar
}

// column is one drawn turn.
type column struct {
	X, Y, Height int
	Class, Says  string
}

// growth is one row of columns.
type growth struct {
	Heading, Most, Note string
	Columns             []column
	Wide                int
}

// Geometry of the drawings, in units of their view boxes.
const (
	barRoom      = 1000
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
	return "default-src 'none'; style-src " + digest.Inline(style) + "; base-uri 'none'; form-action 'none'"
}

func (s *Series) drawing() drawing {
	d := drawing{Heading: s.heading(), Summary: s.summary(), Scope: s.scope(), Values: s.Unit, Of: s.Of}
	if s.Unit == unitTime {
		d.Values = "time" // each with its own unit
	}
	for _, b := range s.drawn() {
		d.Bars = append(d.Bars, bar{b.label(s.Unit), grouped(b.Count), percent(b.Count, s.Count), share(b.Count, s.highest(), barRoom)})
	}
	return d
}

func (s *Sharing) drawing() drawing {
	d := drawing{Heading: sharingTitle, Scope: grouped(s.total()) + " " + s.Unit + " in all", Values: "", Of: s.Unit}
	for _, p := range s.parts() {
		d.Bars = append(d.Bars, bar{p.Name, grouped(p.Size), percent(p.Size, s.total()), share(p.Size, s.total(), barRoom)})
	}
	if s.total() == 0 {
		d.Bars = nil
	}
	return d
}

// columns draws what grows by turn.
func (s *Shape) columns() []growth {
	var out []growth
	for _, x := range s.rows() {
		most := x.most(s.Growth)
		row := growth{Heading: x.name, Most: value(most, x.unit), Wide: len(s.Growth) * columnWide}
		for i, g := range s.Growth {
			high := min(share(x.of(g), most, columnHeight), columnHeight)
			c := column{X: i*columnWide + 1, Y: columnHeight - high, Height: high, Class: "bar", Says: fmt.Sprintf("turn %d: %s", g.Turn, value(x.of(g), x.unit))}
			if g.Turn == positions {
				c.Class, c.Says = "later", fmt.Sprintf("turn %d and later: %s", g.Turn, value(x.of(g), x.unit))
				row.Note = laterNote(x, g)
			}
			row.Columns = append(row.Columns, c)
		}
		out = append(out, row)
	}
	return out
}
