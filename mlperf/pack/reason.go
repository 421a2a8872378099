package pack

import (
	"fmt"
	"strings"
)

// Reason is why something may not be packed.
type Reason struct {
	Point string `json:"point,omitempty"` // empty: the package as a whole
	Why   string `json:"why"`
	Fix   string `json:"fix"`
}

// String tells it on one line.
func (r Reason) String() string {
	text := r.Why
	if r.Point != "" {
		text = r.Point + ": " + text
	}
	if r.Fix != "" {
		text += " (" + r.Fix + ")"
	}
	return text
}

// Refused lists every reason against a package.
type Refused struct{ Reasons []Reason }

// Error implements error, one reason a line.
func (r *Refused) Error() string {
	lines := []string{"not packed"}
	if len(r.Reasons) > 1 {
		lines[0] = fmt.Sprintf("not packed, for %d reasons", len(r.Reasons))
	}
	for _, reason := range r.Reasons {
		lines = append(lines, reason.String())
	}
	return strings.Join(lines, "\n")
}

// reasons gathers them.
type reasons struct{ list []Reason }

func (r *reasons) add(point, fix, format string, args ...any) {
	r.list = append(r.list, Reason{point, fmt.Sprintf(format, args...), fix})
}

func (r *reasons) err() error {
	if len(r.list) == 0 {
		return nil
	}
	return &Refused{r.list}
}
