package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// faultOf gives what is wrong with a trace as a fault.
func faultOf(err error) sdk.Fault {
	if f, ok := errors.AsType[*FaultError](err); ok {
		fault := f.Fault
		fault.Message = strings.Replace(err.Error(), f.Error(), f.Fault.Message, 1)
		return fault
	}
	return sdk.Fault{Input: Input, Code: "trace", Message: err.Error()}
}

// maxID is the longest id of a trajectory, which becomes the value of a header. A longer one is cut, and ends in a digest of
// the key.
const maxID = 200

// printable writes a key as a trajectory's id: bytes that no header value may hold, and the percent sign, as %XX.
func printable(key string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' || c == '%' {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	if b.Len() <= maxID {
		return b.String()
	}
	sum := sha256.Sum256([]byte(key))
	return b.String()[:maxID-17] + "~" + hex.EncodeToString(sum[:8])
}

// Clip gives the beginning of a value for a message.
func Clip(v rawjson.Value) string {
	switch {
	case v == nil:
		return "missing"
	case len(v) > 40:
		return strings.ToValidUTF8(string(v[:40]), "") + "..."
	}
	return string(v)
}

// Pointer leads from a place to an element of the list there.
func Pointer(at string, element int) string { return at + "/" + strconv.Itoa(element) }
