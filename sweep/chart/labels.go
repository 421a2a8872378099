package chart

// box is a rectangle in the drawing.
type box struct{ Left, Top, Right, Bottom px }

func (b box) hits(o box) bool {
	return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
}

func (b box) inside(o box) bool {
	return b.Left >= o.Left && b.Top >= o.Top && b.Right <= o.Right && b.Bottom <= o.Bottom
}

func around(x, y, reach px) box { return box{x - reach, y - reach, x + reach, y + reach} }

// label is a text beside a mark. A line leads from the mark to a label that stands away from it.
type label struct {
	X, Y    px // middle of the baseline
	Text    string
	Lead    bool
	FromX   px
	FromY   px
	ToX     px
	ToY     px
	Dropped bool // no room; the mark keeps its text for those who ask
}

const (
	labelSize   = 16 // of 13 in bold digits, which are wide
	labelHeight = px(14)
	markReach   = px(8)
)

// sides are where a label may stand, best first: above right of a point the plot is empty, since nothing beats a point of the
// curve there.
var sides = [8][2]px{{1, -1}, {1, 0}, {0, -1}, {-1, -1}, {1, 1}, {0, 1}, {-1, 0}, {-1, 1}}

// place finds room for the label of a mark at (x, y), clear of everything in taken.
func place(x, y px, text string, in box, taken []box) (label, box) {
	wide := width(text, labelSize)
	for _, gap := range []px{9, 24, 42} {
		for _, s := range sides {
			midX, midY := x+s[0]*(gap+wide/2), y+s[1]*(gap+labelHeight/3)
			b := box{midX - wide/2 - 1, midY - labelHeight/2, midX + wide/2 + 1, midY + labelHeight/2}
			if !b.inside(in) || hitsAny(b, taken) {
				continue
			}
			return label{X: midX, Y: midY + 4.5, Text: text, Lead: gap > 9,
				FromX: x + s[0]*markReach, FromY: y + s[1]*markReach, ToX: midX - s[0]*wide/2, ToY: midY - s[1]*labelHeight/3}, b
		}
	}
	return label{Text: text, Dropped: true}, box{}
}

func hitsAny(b box, taken []box) bool {
	for _, t := range taken {
		if b.hits(t) {
			return true
		}
	}
	return false
}
