package sign

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"strings"
)

// Scheme names the kind of signature, in keys and in the lock.
const Scheme = "ed25519"

// Key is a public key, and by that the name of a signer.
type Key [ed25519.PublicKeySize]byte

// ParseKey reads what String writes.
func ParseKey(text string) (Key, error) {
	var k Key
	digits, ok := strings.CutPrefix(text, Scheme+":")
	if ok && len(digits) == 2*len(k) && strings.ToLower(digits) == digits {
		if _, err := hex.Decode(k[:], []byte(digits)); err == nil {
			return k, nil
		}
	}
	return Key{}, fmt.Errorf("%q is no public key: %s: and 64 digits of lower-case hex are expected", shortened(text), Scheme)
}

// String writes the key as it stands in policies, e.g. ed25519:1f2e and so on.
func (k Key) String() string { return Scheme + ":" + k.Hex() }

// Hex is the key without its scheme, as a lock has it.
func (k Key) Hex() string { return hex.EncodeToString(k[:]) }

// MarshalText implements encoding.TextMarshaler.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKey(string(text))
	return err
}

func shortened(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}
