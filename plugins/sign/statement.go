package sign

import (
	"encoding/json"
	"fmt"
	"time"

	"paceline/core/digest"
	"paceline/plugins/strict"
)

// Types of the statement and of its predicate.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "urn:paceline:plugin-signature:v1"
)

// statement is an in-toto statement: these files, and until when that is said of them.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string  `json:"name"`
	Digest digests `json:"digest"`
}

type digests struct {
	SHA256 digest.SHA256 `json:"sha256"`
}

type predicate struct {
	ValidUntil time.Time `json:"valid_until"`
}

// Sign states that the file of that name and digest is the signer's plugin, until a date, in whole seconds.
func Sign(s Secret, name string, file digest.SHA256, until time.Time) (*Envelope, error) {
	payload, err := json.Marshal(statement{
		Type: statementType, PredicateType: predicateType,
		Subject:   []subject{{Name: name, Digest: digests{SHA256: file}}},
		Predicate: predicate{ValidUntil: until.UTC().Truncate(time.Second)},
	})
	if err != nil {
		return nil, fmt.Errorf("sign %s: %w", name, err)
	}
	e := &Envelope{PayloadType: PayloadType, Payload: payload}
	e.add(s)
	return e, nil
}

// Signer is one who signed a file, and until when the signature holds.
type Signer struct {
	Key        Key
	ValidUntil time.Time
}

// Expired reports whether the signature no longer holds.
func (s Signer) Expired(now time.Time) bool { return now.After(s.ValidUntil) }

// SubjectError says that a signature is over another file.
type SubjectError struct {
	Signed, Found digest.SHA256
}

// Error shows both digests.
func (e *SubjectError) Error() string {
	return fmt.Sprintf("it is over another file: it signs sha256 %s, found sha256 %s", e.Signed, e.Found)
}

// Verify checks that every signature of the envelope fits, and that it is over the file of that digest. Whether it has
// expired is the caller's to see.
func (e *Envelope) Verify(file digest.SHA256) ([]Signer, error) {
	keys, err := e.keys()
	if err != nil {
		return nil, err
	}
	var s statement
	if err := strict.Decode(e.Payload, &s); err != nil {
		return nil, fmt.Errorf("statement: %w", err)
	}
	if err := s.check(file); err != nil {
		return nil, err
	}
	signers := make([]Signer, len(keys))
	for i, k := range keys {
		signers[i] = Signer{Key: k, ValidUntil: s.Predicate.ValidUntil}
	}
	return signers, nil
}

func (s *statement) check(file digest.SHA256) error {
	if s.Type != statementType || s.PredicateType != predicateType {
		return fmt.Errorf("statement: found %q and %q, supported %s and %s", shortened(s.Type), shortened(s.PredicateType), statementType, predicateType)
	}
	if s.Predicate.ValidUntil.IsZero() {
		return fmt.Errorf("statement: it does not say until when it is valid")
	}
	if len(s.Subject) != 1 {
		return fmt.Errorf("statement: %d subjects, and 1 is expected", len(s.Subject))
	}
	if signed := s.Subject[0].Digest.SHA256; signed != file {
		return &SubjectError{Signed: signed, Found: file}
	}
	return nil
}
