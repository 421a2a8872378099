package sim

import (
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString adds text as a JSON string. It exists because json.Marshal costs
// several times as much per chunk of a stream.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, text)
	return append(b, '"')
}

func appendEscaped(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, text[start:i]...)
				b = append(b, `\ufffd`...)
				start = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			b = append(b, text[start:i]...)
			b = appendEscape(b, c)
			start = i + 1
		}
		i++
	}
	return append(b, text[start:]...)
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendField adds a JSON key as given and a number.
func appendField(b []byte, key string, n int) []byte {
	return strconv.AppendInt(append(b, key...), int64(n), 10)
}
