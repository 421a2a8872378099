package python

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// IsSpace reports what str.isspace does, and what \s means in a pattern.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Strip is str.strip.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// Lower is str.lower: beyond Go's it knows the final sigma and the dotted capital I.
func Lower(s string) string {
	if !strings.ContainsAny(s, "ΣİI") {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var out strings.Builder
	for i, r := range runes {
		switch {
		case r == 'Σ' && finalSigma(runes, i):
			out.WriteRune('ς')
		case r == 'İ':
			out.WriteString("i\u0307")
		default:
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return out.String()
}

// finalSigma reports a sigma behind a letter and before none; what is neither, as marks and apostrophes, does not count.
func finalSigma(runes []rune, at int) bool {
	before := at - 1
	for before >= 0 && ignorable(runes[before]) {
		before--
	}
	after := at + 1
	for after < len(runes) && ignorable(runes[after]) {
		after++
	}
	return before >= 0 && cased(runes[before]) && (after == len(runes) || !cased(runes[after]))
}

func cased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) || unicode.In(r, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func ignorable(r rune) bool {
	return strings.ContainsRune("'.:·’‘․‧︓﹒﹕＇．：·", r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// ReadInt is int(text): white space around it, a sign, digits of any script with single underscores between them.
func ReadInt(text string) (Value, error) {
	digits, ok := plain(Strip(text))
	if !ok {
		return Value{}, errNumber
	}
	body := strings.TrimLeft(digits, "+-")
	if body == "" || len(digits)-len(body) > 1 || strings.Trim(body, "0123456789") != "" {
		return Value{}, errNumber
	}
	return wholeNumber(strings.TrimPrefix(digits, "+"))
}

// ReadFloat is float(text), which knows infinities and nan too.
func ReadFloat(text string) (Value, error) {
	digits, ok := plain(Strip(text))
	if !ok {
		return Value{}, errNumber
	}
	body := strings.TrimLeft(digits, "+-")
	if len(digits)-len(body) > 1 {
		return Value{}, errNumber
	}
	switch strings.ToLower(body) {
	case "inf", "infinity", "nan":
	default:
		if body == "" || strings.Trim(body, "0123456789.eE+-") != "" {
			return Value{}, errNumber
		}
	}
	if _, err := strconv.ParseFloat(digits, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return Value{}, errNumber
	}
	return float(digits), nil
}

// ToFloat is float(v) of an int; ok is false where it is too large for one.
func ToFloat(v Value) (Value, bool) {
	_, err := strconv.ParseFloat(v.Text, 64)
	return float(v.Text), err == nil
}

// plain writes digits of every script as ASCII and takes out the underscores, which must stand between digits.
func plain(text string) (string, bool) {
	var out strings.Builder
	digit, score := false, false // what the character before was
	for _, r := range text {
		d, isDigit := Digit(r)
		switch {
		case r == '_':
			if !digit {
				return "", false
			}
			digit, score = false, true
			continue
		case isDigit:
			out.WriteByte('0' + d)
		case score:
			return "", false
		default:
			out.WriteRune(r)
		}
		digit, score = isDigit, false
	}
	return out.String(), !score
}

// Digit gives the value of a decimal digit of any script. The ten of a script stand together in Unicode.
func Digit(r rune) (byte, bool) {
	if r >= '0' && r <= '9' {
		return byte(r - '0'), true
	}
	if r < 0x80 || !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, part := range unicode.Nd.R16 {
		if r >= rune(part.Lo) && r <= rune(part.Hi) {
			return byte((r - rune(part.Lo)) % 10), true
		}
	}
	for _, part := range unicode.Nd.R32 {
		if r >= rune(part.Lo) && r <= rune(part.Hi) {
			return byte((r - rune(part.Lo)) % 10), true
		}
	}
	return 0, false
}
