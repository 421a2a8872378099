package answers

import "strings"

// number is a decimal number in a text, in one form for equal values: no sign but a minus, no zeros that say nothing.
type number struct {
	digits string // empty: there is none
	length int    // bytes of text that it took
}

// numberAt reads the number that begins at a place. Commas, underscores and thin gaps between groups of three digits are
// left out: 1,500 and 1_500 are 1500.
func numberAt(text string, at int) number {
	i := at
	if i < len(text) && text[i] == '-' {
		i++
	}
	whole, n := group(text[i:])
	if n == 0 {
		return number{}
	}
	i += n
	fraction := ""
	if i+1 < len(text) && text[i] == '.' && isDigit(text[i+1]) {
		end := i + 1
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		fraction, i = strings.TrimRight(text[i+1:end], "0"), end
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if text[at] == '-' && whole != "0" {
		whole = "-" + whole
	}
	return number{whole, i - at}
}

// group reads digits, also in groups of three.
func group(text string) (digits string, n int) {
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	digits = text[:n]
	if n == 0 || n > 3 {
		return digits, n
	}
	for n+3 < len(text) && (text[n] == ',' || text[n] == '_') && isDigit(text[n+1]) && isDigit(text[n+2]) && isDigit(text[n+3]) &&
		(n+4 == len(text) || !isDigit(text[n+4])) {
		digits, n = digits+text[n+1:n+4], n+4
	}
	return digits, n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// holdsNumber reports whether a text holds the number as one of its own: not as part of a longer number, a version, a date
// or a name. Letters may follow, since units do: 45s.
func holdsNumber(want, text string) bool {
	value := numberAt(want, 0).digits
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		at := i
		if at > 0 && text[at-1] == '-' && wordStarts(text[:at-1]) {
			at--
		}
		n := numberAt(text, at)
		end := at + n.length
		if n.digits == value && numberStarts(text[:at]) && numberEnds(text[end:]) {
			return true
		}
		i = end
	}
	return false
}

func numberStarts(before string) bool {
	return wordStarts(before) && !strings.HasSuffix(before, "-") && !endsWithDigitAnd(before, ".:/,")
}

// endsWithDigitAnd reports whether a digit and then one of the signs come last.
func endsWithDigitAnd(before, signs string) bool {
	n := len(before)
	return n > 1 && strings.IndexByte(signs, before[n-1]) >= 0 && isDigit(before[n-2])
}

func numberEnds(after string) bool {
	if len(after) > 1 && strings.IndexByte(".:/-_", after[0]) >= 0 && isDigit(after[1]) {
		return false
	}
	letters := strings.TrimLeft(after, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return letters == "" || !isDigit(letters[0]) && letters[0] != '_'
}
