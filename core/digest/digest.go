// Package digest is the one digest of the project: SHA-256, written as lower-case hex but where a page's policy wants it otherwise.
package digest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

// SHA256 is a SHA-256 digest.
type SHA256 [sha256.Size]byte

// Of returns the digest of b.
func Of(b []byte) SHA256 { return sha256.Sum256(b) }

// Inline names a page's inline style or script in its Content-Security-Policy.
func Inline(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// String returns the digest as lower-case hex.
func (d SHA256) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d SHA256) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *SHA256) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return hex.ErrLength
	}
	_, err := hex.Decode(d[:], text)
	return err
}
