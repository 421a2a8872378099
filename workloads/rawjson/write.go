package rawjson

// AppendCompact appends v without the white space between its tokens; strings and numbers stay byte for byte.
func AppendCompact(dst []byte, v Value) []byte {
	for i := 0; i < len(v); {
		switch v[i] {
		case ' ', '\n', '\t', '\r':
			i++
		case '"':
			end, err := skipString(v, i)
			if err != nil {
				end = len(v)
			}
			dst = append(dst, v[i:end]...)
			i = end
		default:
			dst = append(dst, v[i])
			i++
		}
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendString appends text as a JSON string. Only what JSON demands is escaped: quotes, backslashes and control
// characters. The text is taken as UTF-8 and not looked at further.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}
