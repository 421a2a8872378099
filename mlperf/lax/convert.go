package lax

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

var wholeText = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)*(\.0+)?$`)

// Whole takes a value for an integer: an integer, a float without a fraction, true as 1, or text of digits.
func (v *Value) Whole() (*big.Int, bool) {
	if v == nil {
		return nil, false
	}
	switch v.Kind {
	case Int:
		return v.Int, true
	case Bool:
		if v.Bool {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case Float:
		if v.Float != math.Trunc(v.Float) || math.Abs(v.Float) >= 1<<63 {
			return nil, false
		}
		return big.NewInt(int64(v.Float)), true
	case Text:
		return wholeOf(strings.TrimSpace(v.Text))
	}
	return nil, false
}

func wholeOf(text string) (*big.Int, bool) {
	if len(text) > maxDigits || !wholeText.MatchString(text) {
		return nil, false
	}
	digits, _, _ := strings.Cut(strings.ReplaceAll(text, "_", ""), ".")
	return new(big.Int).SetString(strings.TrimPrefix(digits, "+"), 10)
}

// Small is Whole where it fits an int; what does not is cut to the nearest one that does.
func (v *Value) Small() (int, bool) {
	n, ok := v.Whole()
	switch {
	case !ok:
		return 0, false
	case n.IsInt64() && n.Int64() <= math.MaxInt32 && n.Int64() >= math.MinInt32:
		return int(n.Int64()), true
	case n.Sign() < 0:
		return math.MinInt32, true
	}
	return math.MaxInt32, true
}

var numberText = regexp.MustCompile(`^[+-]?([0-9]+(_[0-9]+)*\.?([0-9]+(_[0-9]+)*)?|\.[0-9]+(_[0-9]+)*)([eE][+-]?[0-9]+)?$`)

// Number takes a value for a number: any number that float64 can hold, true as 1, or text that spells one, NaN and infinities
// included.
func (v *Value) Number() (float64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Kind {
	case Int:
		f, _ := new(big.Float).SetInt(v.Int).Float64()
		return f, !math.IsInf(f, 0)
	case Float:
		return v.Float, true
	case Bool:
		if v.Bool {
			return 1, true
		}
		return 0, true
	case Text:
		return NumberOf(v.Text)
	}
	return 0, false
}

// NumberOf reads a number from text.
func NumberOf(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	switch strings.TrimLeft(strings.ToLower(text), "+-") {
	case "nan":
		return math.NaN(), len(text) <= 4
	case "inf", "infinity":
		sign := 1
		if text[0] == '-' {
			sign = -1
		}
		return math.Inf(sign), len(strings.TrimLeft(text, "+-"))+1 >= len(text)
	}
	if !numberText.MatchString(text) {
		return 0, false
	}
	f, _ := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64) // out of range gives an infinity, as it does there
	return f, true
}

// Plain is a number that is written as one: no text, no boolean.
func (v *Value) Plain() (float64, bool) {
	if v == nil || v.Kind != Int && v.Kind != Float {
		return 0, false
	}
	return v.Number()
}

// Truth takes a value for a boolean: true or false, 1 or 0, or the words for them.
func (v *Value) Truth() (val, ok bool) {
	if v == nil {
		return false, false
	}
	switch v.Kind {
	case Bool:
		return v.Bool, true
	case Int, Float:
		f, _ := v.Number()
		return f == 1, f == 0 || f == 1
	case Text:
		switch strings.ToLower(v.Text) {
		case "1", "on", "t", "true", "y", "yes":
			return true, true
		case "0", "off", "f", "false", "n", "no":
			return false, true
		}
	}
	return false, false
}

// Words is a text, or "" where the value is none.
func (v *Value) Words() string {
	if v == nil || v.Kind != Text {
		return ""
	}
	return v.Text
}
