package sign_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paceline/core/digest"
	"paceline/plugins/sign"
)

var (
	file  = digest.Of([]byte("a module"))
	until = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
)

func key(t testing.TB) sign.Secret {
	t.Helper()
	s, err := sign.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func envelope(t testing.TB, s sign.Secret) *sign.Envelope {
	t.Helper()
	e, err := sign.Sign(s, "mine.wasm", file, until)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSignAndVerify(t *testing.T) {
	s := key(t)
	e := envelope(t, s)
	if !bytes.Equal(e.Encode(), envelope(t, s).Encode()) {
		t.Error("signing twice gives other bytes")
	}
	read, err := sign.ParseEnvelope(e.Encode())
	if err != nil {
		t.Fatal(err)
	}
	signers, err := read.Verify(file)
	if err != nil || len(signers) != 1 || signers[0].Key != s.Public() || !signers[0].ValidUntil.Equal(until) {
		t.Fatalf("got %v and %v", signers, err)
	}
	if signers[0].Expired(until) || !signers[0].Expired(until.Add(time.Second)) {
		t.Error("the last second of validity is not where it was set")
	}
	_, err = read.Verify(digest.Of([]byte("another")))
	subject, ok := errors.AsType[*sign.SubjectError](err)
	if !ok || subject.Signed != file || !strings.Contains(err.Error(), file.String()) {
		t.Errorf("another file: got %v", err)
	}
}

// TestEveryByte flips each byte of an envelope in turn: none may still verify as this signer's.
func TestEveryByte(t *testing.T) {
	s := key(t)
	good := envelope(t, s).Encode()
	for i := range good {
		for _, bit := range []byte{1, 0x20, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= bit
			found := sign.Check([][]byte{bad}, file)
			if len(found.Signers) > 0 || len(found.Faults) != 1 {
				t.Fatalf("byte %d as %q: signed by %v", i, bad[i], found.Signers)
			}
		}
	}
}

func TestSeveral(t *testing.T) {
	one, two := key(t), key(t)
	later, err := sign.Sign(one, "mine.wasm", file, until.AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := sign.Sign(two, "mine.wasm", digest.Of([]byte("other")), until)
	if err != nil {
		t.Fatal(err)
	}
	text := sign.EncodeFile([]*sign.Envelope{envelope(t, one), envelope(t, two), later, wrong, later})
	list, err := sign.ParseFile(text)
	if err != nil || len(list) != 4 {
		t.Fatalf("got %d and %v", len(list), err)
	}
	if !bytes.Equal(text, sign.EncodeFile(list)) {
		t.Error("reading and writing changes the bytes")
	}
	var raw [][]byte
	for _, e := range list {
		raw = append(raw, e.Encode())
	}
	found := sign.Check(raw, file)
	if len(found.Signers) != 2 || len(found.Faults) != 1 {
		t.Fatalf("got %d signers and %v", len(found.Signers), found.Faults)
	}
	for _, s := range found.Signers {
		want := until
		if s.Key == one.Public() {
			want = until.AddDate(1, 0, 0)
		}
		if !s.ValidUntil.Equal(want) {
			t.Errorf("%s: valid until %v, want %v", s.Key, s.ValidUntil, want)
		}
	}
	for _, bad := range []string{"", "{}", "[1]", "[", "null x", "[" + strings.Repeat("{},", 40) + "{}]"} {
		if _, err := sign.ParseFile([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestKeyFile(t *testing.T) {
	s := key(t)
	pass := []byte("correct horse")
	text, err := s.Seal(pass)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sign.Open(text, pass)
	if err != nil || again.Public() != s.Public() {
		t.Fatalf("got %v", err)
	}
	if _, err := sign.Open(text, []byte("wrong horse")); err == nil || !strings.Contains(err.Error(), "passphrase") {
		t.Errorf("a wrong passphrase: got %v", err)
	}
	if _, err := s.Seal([]byte("short")); err == nil {
		t.Error("a short passphrase was taken")
	}
	for name, c := range map[string]struct{ from, to string }{
		"memory":  {`"memory_kib": 65536`, `"memory_kib": 4000000`},
		"time":    {`"time": 3`, `"time": 99`},
		"cipher":  {"aes-256-gcm", "rot13"},
		"public":  {s.Public().String(), key(t).Public().String()},
		"unknown": {`"cipher"`, `"x": 1, "cipher"`},
		"schema":  {"paceline/key/v1", "paceline/key/v2"},
	} {
		if _, err := sign.Open([]byte(strings.Replace(string(text), c.from, c.to, 1)), pass); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
	path := filepath.Join(t.TempDir(), "my.key")
	if err := sign.WriteKey(path, text); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := sign.WriteKey(path, text); err == nil {
		t.Error("a key was replaced")
	}
}

func TestParseKey(t *testing.T) {
	k := key(t).Public()
	if got, err := sign.ParseKey(k.String()); err != nil || got != k {
		t.Errorf("got %v and %v", got, err)
	}
	for _, bad := range []string{"", "ed25519:", k.Hex(), "rsa:" + k.Hex(), k.String() + "0", strings.ToUpper(k.String()), "ed25519:" + strings.Repeat("g", 64)} {
		if _, err := sign.ParseKey(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzParseEnvelope(f *testing.F) {
	f.Add(envelope(f, key(f)).Encode())
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := sign.ParseEnvelope(data)
		if err != nil {
			return
		}
		again, err := sign.ParseEnvelope(e.Encode())
		if err != nil || !bytes.Equal(again.Encode(), e.Encode()) {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		_, _ = e.Verify(file)
	})
}
