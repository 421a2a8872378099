package shape

import (
	"fmt"
	"strings"
)

const (
	width     = 80
	barWidth  = 36
	labelWide = 24
)

// Text draws the shape as lines of at most 80 columns.
func (s *Shape) Text() []byte {
	w := &writer{}
	w.line("%s", clip(s.Title, width))
	for _, note := range append(s.facts(), s.Notes...) {
		w.wrapped(note)
	}
	for i := range s.Series {
		w.series(&s.Series[i])
	}
	w.growth(s)
	w.sharing(&s.Sharing)
	return []byte(w.String())
}

type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) {
	w.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// clip cuts a text to so many signs.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-3]) + "..."
}

// wrapped writes a text on as many lines as it takes, later ones indented.
func (w *writer) wrapped(text string) {
	line := "  "
	for word := range strings.FieldsSeq(text) {
		word = clip(word, width-4)
		if len([]rune(line))+1+len([]rune(word)) > width {
			w.line("%s", line)
			line = "   "
		}
		if strings.TrimSpace(line) != "" {
			line += " "
		}
		line += word
	}
	w.line("%s", line)
}

func (w *writer) series(s *Series) {
	w.line("")
	w.line("%s", clip(s.heading()+"   "+s.summary(), width))
	w.line("  %s", s.scope())
	for _, b := range s.drawn() {
		w.bar(b.label(s.Unit), b.Count, s.highest(), fmt.Sprintf("%s  %s", grouped(b.Count), percent(b.Count, s.Count)))
	}
}

func (w *writer) bar(label string, part, whole int64, figures string) {
	w.line("  %*s |%-*s %s", labelWide, label, barWidth, strings.Repeat("#", share(part, whole, barWidth)), figures)
}

// levels are the heights of a column in one line of text.
var levels = []rune(" ▁▂▃▄▅▆▇█")

// growth draws one column for each turn.
func (w *writer) growth(s *Shape) {
	if len(s.Growth) < 2 {
		return
	}
	w.line("")
	w.line("by turn in its branch, from turn 1 to %s", s.lastTurn())
	for _, x := range s.rows() {
		most := x.most(s.Growth)
		var columns []rune
		note := ""
		for _, g := range s.Growth {
			columns = append(columns, levels[min(share(x.of(g), most, len(levels)-1), len(levels)-1)])
			if g.Turn == positions {
				note = laterNote(x, g)
			}
		}
		w.line("  %-19s|%s| %s", clip(x.name, 19), string(columns), value(most, x.unit))
		if note != "" {
			w.line("  %-19s %s", "", note)
		}
	}
}

func (w *writer) sharing(s *Sharing) {
	if s.total() == 0 {
		return
	}
	w.line("")
	w.line("%s   %s %s in all", sharingTitle, grouped(s.total()), s.Unit)
	for _, p := range s.parts() {
		w.bar(p.Name, p.Size, s.total(), percent(p.Size, s.total()))
	}
	if s.Full {
		w.wrapped(fullNote)
	}
}
