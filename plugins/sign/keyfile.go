package sign

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/crypto/argon2"

	"paceline/plugins/strict"
)

// KeySchema names the format of a file with a secret key.
const KeySchema = "paceline/key/v1"

// keyFile is a secret key as it is kept: encrypted under a passphrase.
type keyFile struct {
	Schema string     `json:"schema"`
	Public Key        `json:"public"`
	KDF    derivation `json:"kdf"`
	Cipher string     `json:"cipher"`
	Nonce  []byte     `json:"nonce"`
	Sealed []byte     `json:"sealed"` // the seed
}

// derivation says how the passphrase becomes a key.
type derivation struct {
	Name      string `json:"name"`
	Salt      []byte `json:"salt"`
	Time      uint32 `json:"time"`
	MemoryKiB uint32 `json:"memory_kib"`
	Threads   uint8  `json:"threads"`
}

const (
	kdfName    = "argon2id"
	cipherName = "aes-256-gcm"
	saltSize   = 16
	maxKeyFile = 64 << 10
	// leastPassphrase keeps empty and trivial passphrases out.
	leastPassphrase = 8
)

// Secret is an opened secret key. It is never printed.
type Secret struct {
	private ed25519.PrivateKey
}

// String hides the key.
func (Secret) String() string { return "secret key" }

// Public is the key that others check with.
func (s Secret) Public() Key { return Key(s.private.Public().(ed25519.PublicKey)) } //nolint:errcheck // it always is one

// Generate makes a key.
func Generate() (Secret, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Secret{}, fmt.Errorf("make a key: %w", err)
	}
	return Secret{private: private}, nil
}

// Seal encrypts the key under a passphrase and gives the text of its file.
func (s Secret) Seal(passphrase []byte) ([]byte, error) {
	if len(passphrase) < leastPassphrase {
		return nil, fmt.Errorf("the passphrase has %d bytes, and at least %d are needed", len(passphrase), leastPassphrase)
	}
	f := keyFile{Schema: KeySchema, Public: s.Public(), Cipher: cipherName,
		KDF: derivation{Name: kdfName, Salt: make([]byte, saltSize), Time: 3, MemoryKiB: 64 << 10, Threads: 4}}
	_, _ = rand.Read(f.KDF.Salt) // it never fails
	box, err := f.box(passphrase)
	if err != nil {
		return nil, err
	}
	f.Nonce = make([]byte, box.NonceSize())
	_, _ = rand.Read(f.Nonce)
	f.Sealed = box.Seal(nil, f.Nonce, s.private.Seed(), f.bound())
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// Open decrypts the text of a key file.
func Open(text, passphrase []byte) (Secret, error) {
	var f keyFile
	if len(text) > maxKeyFile {
		return Secret{}, fmt.Errorf("key: %d bytes, and at most %d are allowed", len(text), maxKeyFile)
	}
	if err := strict.Decode(text, &f); err != nil {
		return Secret{}, fmt.Errorf("key: %w", err)
	}
	if err := f.check(); err != nil {
		return Secret{}, fmt.Errorf("key: %w", err)
	}
	box, err := f.box(passphrase)
	if err != nil {
		return Secret{}, err
	}
	seed, err := box.Open(nil, f.Nonce, f.Sealed, f.bound())
	if err != nil {
		return Secret{}, errors.New("key: the passphrase does not open it, or the file is damaged")
	}
	s := Secret{private: ed25519.NewKeyFromSeed(seed)}
	if s.Public() != f.Public {
		return Secret{}, errors.New("key: its public part is not that of the secret part")
	}
	return s, nil
}

// check bounds what a file may ask for, before anything is derived.
func (f *keyFile) check() error {
	switch k := f.KDF; {
	case f.Schema != KeySchema:
		return fmt.Errorf("schema: found %q, supported %s", f.Schema, KeySchema)
	case f.Cipher != cipherName || k.Name != kdfName:
		return fmt.Errorf("%q and %q are found, %s and %s supported", f.Cipher, k.Name, cipherName, kdfName)
	case len(k.Salt) != saltSize || k.Time < 1 || k.Time > 16 || k.MemoryKiB < 8<<10 || k.MemoryKiB > 1<<20 || k.Threads < 1 || k.Threads > 16:
		return errors.New("kdf: out of its bounds")
	case len(f.Nonce) != 12 || len(f.Sealed) != ed25519.SeedSize+16:
		return errors.New("nonce or sealed: of a wrong size")
	}
	return nil
}

// box is the cipher that the passphrase gives.
func (f *keyFile) box(passphrase []byte) (cipher.AEAD, error) {
	k := f.KDF
	block, err := aes.NewCipher(argon2.IDKey(passphrase, k.Salt, k.Time, k.MemoryKiB, k.Threads, 32))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// bound is what the secret part is bound to.
func (f *keyFile) bound() []byte { return []byte(f.Schema + "\n" + f.Public.String()) }

// WriteKey writes the text of a key file for its owner alone. A file that is there is never replaced.
func WriteKey(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("write key %s: %w", path, err)
	}
	return nil
}
