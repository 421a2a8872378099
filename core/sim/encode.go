package sim

import "strconv"

const hexDigits = "0123456789abcdef"

// appendField adds a JSON key as given and a number.
func appendField(b []byte, key string, n int) []byte {
	return strconv.AppendInt(append(b, key...), int64(n), 10)
}
