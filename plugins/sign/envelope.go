package sign

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"

	"paceline/plugins/strict"
)

// PayloadType is what an envelope holds.
const PayloadType = "application/vnd.in-toto+json"

// Bounds of an envelope.
const (
	MaxEnvelope   = 64 << 10
	maxSignatures = 16
)

// Envelope is a DSSE envelope: a statement and the signatures over it.
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     []byte      `json:"payload"`
	Signatures  []Signature `json:"signatures"`
}

// Signature is one signature; its key id is the public key.
type Signature struct {
	Key Key    `json:"keyid"`
	Sig []byte `json:"sig"`
}

// ParseEnvelope reads an envelope strictly: it has one form but for white space.
func ParseEnvelope(data []byte) (*Envelope, error) {
	if len(data) > MaxEnvelope {
		return nil, fmt.Errorf("signature: %d bytes, and at most %d are allowed", len(data), MaxEnvelope)
	}
	var e Envelope
	if err := strict.Decode(data, &e); err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	if err := strict.Form(data, &e); err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	return &e, nil
}

func (e *Envelope) check() error {
	if e.PayloadType != PayloadType {
		return fmt.Errorf("payloadType: found %q, supported %s", shortened(e.PayloadType), PayloadType)
	}
	if n := len(e.Signatures); n == 0 || n > maxSignatures {
		return fmt.Errorf("signatures: %d, and from 1 to %d are allowed", n, maxSignatures)
	}
	seen := map[Key]bool{}
	for i, s := range e.Signatures {
		if seen[s.Key] || len(s.Sig) != ed25519.SignatureSize {
			return fmt.Errorf("signatures[%d]: of a wrong size, or a second one by this key", i)
		}
		seen[s.Key] = true
	}
	return nil
}

// signed are the bytes that a signature is over (DSSE's pre-authentication encoding).
func (e *Envelope) signed() []byte {
	b := []byte("DSSEv1 " + strconv.Itoa(len(e.PayloadType)) + " " + e.PayloadType + " " + strconv.Itoa(len(e.Payload)) + " ")
	return append(b, e.Payload...)
}

// add signs the envelope.
func (e *Envelope) add(s Secret) {
	e.Signatures = append(e.Signatures, Signature{Key: s.Public(), Sig: ed25519.Sign(s.private, e.signed())})
}

// errTampered says that a signature does not fit what it is over.
var errTampered = errors.New("the signature does not fit the statement: it was changed, or another key made it")

// keys checks every signature and gives who made them.
func (e *Envelope) keys() ([]Key, error) {
	text := e.signed()
	keys := make([]Key, len(e.Signatures))
	for i, s := range e.Signatures {
		if !ed25519.Verify(s.Key[:], text, s.Sig) {
			return nil, fmt.Errorf("by %s: %w", s.Key, errTampered)
		}
		keys[i] = s.Key
	}
	return keys, nil
}
