package sign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/digest"
	"paceline/plugins/strict"
)

// FileSuffix is how the name of the signatures beside a file ends.
const FileSuffix = ".sig.json"

// Bounds of the signatures of one file.
const (
	MaxFile      = 4 << 20
	MaxEnvelopes = 32
)

// ParseFile reads the signatures beside a file: a JSON array of envelopes.
func ParseFile(data []byte) ([]*Envelope, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("signatures: %d bytes, and at most %d are allowed", len(data), MaxFile)
	}
	var raw []json.RawMessage
	if err := strict.Decode(data, &raw); err != nil {
		return nil, fmt.Errorf("signatures: %w", err)
	}
	if len(raw) > MaxEnvelopes {
		return nil, fmt.Errorf("signatures: %d, and at most %d are allowed", len(raw), MaxEnvelopes)
	}
	list := make([]*Envelope, len(raw))
	for i, text := range raw {
		e, err := ParseEnvelope(text)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		list[i] = e
	}
	return list, nil
}

// Encode writes an envelope as one line.
func (e *Envelope) Encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(e) // neither the type nor the buffer can fail
	return bytes.TrimRight(b.Bytes(), "\n")
}

// EncodeFile writes envelopes as the file beside what they sign: sorted, each once.
func EncodeFile(list []*Envelope) []byte {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = string(e.Encode())
	}
	slices.Sort(lines)
	var b bytes.Buffer
	b.WriteString("[")
	for i, line := range slices.Compact(lines) {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  " + line)
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

// Found is what the signatures of one file say: who signed it, and which signatures are not right.
type Found struct {
	Signers []Signed
	Faults  []error
}

// Signed is one signer with the envelope that proves it.
type Signed struct {
	Signer
	Envelope []byte
}

// Check looks at the envelopes of a file with that digest. Signers come sorted by key, each once, with the signature that
// holds longest.
func Check(envelopes [][]byte, file digest.SHA256) Found {
	best := map[Key]Signed{}
	var found Found
	for _, text := range envelopes {
		e, err := ParseEnvelope(text)
		if err != nil {
			found.Faults = append(found.Faults, err)
			continue
		}
		signers, err := e.Verify(file)
		if err != nil {
			found.Faults = append(found.Faults, fmt.Errorf("signature: %w", err))
			continue
		}
		for _, s := range signers {
			if have, ok := best[s.Key]; !ok || s.ValidUntil.After(have.ValidUntil) {
				best[s.Key] = Signed{Signer: s, Envelope: e.Encode()}
			}
		}
	}
	for _, s := range best {
		found.Signers = append(found.Signers, s)
	}
	slices.SortFunc(found.Signers, func(a, b Signed) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return found
}
