package stats

import (
	"errors"
	"math"
	"strconv"
)

// Num is a figure that may be missing. The zero Num is missing.
type Num struct {
	v  float64
	ok bool
}

// Of is the figure v; it is missing where v is not a finite number.
func Of(v float64) Num {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Num{}
	}
	return Num{v: v, ok: true}
}

// None is the missing figure.
func None() Num { return Num{} }

// Get returns the figure and whether there is one.
func (n Num) Get() (float64, bool) { return n.v, n.ok }

// Valid reports whether there is a figure.
func (n Num) Valid() bool { return n.ok }

// Or returns the figure, or other where it is missing.
func (n Num) Or(other float64) float64 {
	if !n.ok {
		return other
	}
	return n.v
}

// digits is the number of significant digits of every figure in a file.
const digits = 9

// round9 rounds to nine significant digits.
func round9(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil || r == 0 {
		return 0 // Never a negative zero.
	}
	return r
}

// String writes nine significant digits, or "null".
func (n Num) String() string { return string(n.append(nil)) }

func (n Num) append(b []byte) []byte {
	if !n.ok {
		return append(b, "null"...)
	}
	r := round9(n.v)
	if a := math.Abs(r); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.AppendFloat(b, r, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, r, 'f', -1, 64)
}

// MarshalJSON writes a JSON number with nine significant digits, or null.
func (n Num) MarshalJSON() ([]byte, error) { return n.append(nil), nil }

// UnmarshalJSON reads a number or null.
func (n *Num) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Num{}
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return errors.New("read figure: not a number")
	}
	*n = Of(v)
	return nil
}
