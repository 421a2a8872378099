package lock_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/digest"
	"paceline/plugins/lock"
)

func sample() *lock.Lock {
	return &lock.Lock{
		Engine: lock.Engine{Name: "wazero", Version: "v1.12.0", Mode: "compiler"},
		Plugins: []lock.Plugin{
			{Name: "std/z", Source: "std", Version: "1.0.0", Official: true, Limits: lock.DefaultLimits(),
				Files: []lock.File{{Name: "z.wasm", Size: 3, SHA256: digest.Of([]byte("abc"))}}},
			{Name: "std/a", Source: "std", Version: "2.0.0", Official: true, Limits: lock.Limits{Memory: 1 << 20, Plan: 1500 * time.Millisecond}.WithDefaults(),
				Granted: []lock.Capability{lock.CapabilityInputs},
				Files:   []lock.File{{Name: "b", Size: 1, SHA256: digest.Of([]byte("b"))}, {Name: "a", Size: 1, SHA256: digest.Of([]byte("a"))}},
				Signers: []lock.Signer{{Scheme: "ed25519", Key: "2"}, {Scheme: "ed25519", Key: "1"}}},
		},
		Inputs: []lock.Input{
			{Component: "std/a/w", Name: "y", Size: 1, SHA256: digest.Of([]byte("y"))},
			{Component: "std/a/w", Name: "x", Size: 1, SHA256: digest.Of([]byte("x"))},
		},
	}
}

func TestEncode(t *testing.T) {
	one, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	turned := sample()
	turned.Plugins[0], turned.Plugins[1] = turned.Plugins[1], turned.Plugins[0]
	turned.Inputs[0], turned.Inputs[1] = turned.Inputs[1], turned.Inputs[0]
	other, err := turned.Encode()
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("order shows in the bytes (%v)", err)
	}
	want, err := os.ReadFile("testdata/paceline.lock")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(one)); diff != "" {
		t.Error(diff)
	}
	read, err := lock.Parse(one)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read.Encode()
	if err != nil || !bytes.Equal(one, again) {
		t.Errorf("reading and writing changes the bytes (%v)", err)
	}
}

func TestParse(t *testing.T) {
	good, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, from, to, want string }{
		{"version", "paceline/lock/v1", "paceline/lock/v9", "found paceline/lock/v9, supported paceline/lock/v1"},
		{"unknown field", `"engine"`, `"motor": 1, "engine"`, `unknown field "motor"`},
		{"digest", `"sha256": "`, `"sha256": "zz`, "odd length"},
		{"order", `"name": "std/a"`, `"name": "std/zz"`, "out of order"},
		{"limit", `"plan_ms": 1500`, `"plan_ms": 99000`, "plan: 1m39s is not between 0 and 20s"},
		{"unknown limit", `"plan_ms"`, `"plan_s"`, "plan_s"},
		{"case of a field", `"mode"`, `"Mode"`, "not in the form"},
		{"a field twice", `"mode": "compiler"`, `"mode": "interpreter", "mode": "compiler"`, "not in the form"},
		{"written otherwise", `"mode": "compiler"`, `"mode": "\u0063ompiler"`, "not in the form"},
		{"engine", `"mode": "compiler"`, `"mode": ""`, "engine: name, version and mode"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(string(good), test.from, test.to, 1)
			if _, err := lock.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	for _, text := range []string{"", "{", "[]", "null"} {
		if _, err := lock.Parse([]byte(text)); err == nil {
			t.Errorf("%q is a lock", text)
		}
	}
}

// TestEveryByte flips each byte of a lock in turn. What can still be read differs from what was locked, and is refused with
// both values where the run uses it.
func TestEveryByte(t *testing.T) {
	actual := sample()
	good, err := actual.Encode()
	if err != nil {
		t.Fatal(err)
	}
	actual, err = lock.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for _, bit := range []byte{1, 2, 0x10, 0x20, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= bit
			locked, err := lock.Parse(bad)
			if err != nil {
				continue
			}
			if _, err := lock.Enforce(locked, actual, true); err == nil {
				t.Errorf("byte %d, %q as %q, goes through", i, good[i], bad[i])
			}
		}
	}
}

func TestEnforce(t *testing.T) {
	good := sample()
	tests := []struct {
		name   string
		change func(l *lock.Lock)
		want   []string // texts of the error; none: it fits
	}{
		{"the same", func(*lock.Lock) {}, nil},
		{"less is used", func(l *lock.Lock) { l.Plugins, l.Inputs = l.Plugins[:1], nil }, nil},
		{"another file", func(l *lock.Lock) { l.Plugins[0].Files[0].SHA256 = digest.Of([]byte("abd")) },
			[]string{"plugin std/z, file z.wasm: the lock says sha256 ba7816bf", ", found sha256 a52d159f"}},
		{"another version", func(l *lock.Lock) { l.Plugins[0].Version = "1.0.1" }, []string{"plugin std/z, version: the lock says 1.0.0, found 1.0.1"}},
		{"more granted", func(l *lock.Lock) { l.Plugins[0].Granted = []lock.Capability{lock.CapabilityInputs} }, []string{"granted: the lock says none, found inputs"}},
		{"another limit", func(l *lock.Lock) { l.Plugins[0].Limits.Plan = time.Second }, []string{"limits: the lock says"}},
		{"a file less", func(l *lock.Lock) { l.Plugins[1].Files = l.Plugins[1].Files[:1] }, []string{"file a: the lock says", "and there is none"}},
		{"a new plugin", func(l *lock.Lock) { l.Plugins[0].Name = "std/new" }, []string{"plugin std/new: found z.wasm sha256 ba7816bf", "the lock has no such entry"}},
		{"another input", func(l *lock.Lock) { l.Inputs[0].Size = 2 }, []string{"input y of std/a/w: the lock says", "of 1 bytes, found", "of 2 bytes"}},
		{"another engine", func(l *lock.Lock) { l.Engine.Version = "v2" }, []string{"engine: the lock says wazero v1.12.0, compiler, found wazero v2, compiler"}},
		{"two things", func(l *lock.Lock) { l.Inputs[0].Size, l.Plugins[0].Version = 2, "9.0.0" }, []string{"version: ", "input y"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			actual := sample()
			test.change(actual)
			pinning, err := lock.Enforce(good, actual, false)
			if len(test.want) == 0 {
				if err != nil || pinning != lock.Locked {
					t.Errorf("got %s and %v", pinning, err)
				}
				return
			}
			if _, ok := errors.AsType[*lock.EnforceError](err); !ok {
				t.Fatalf("got %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
	if pinning, err := lock.Enforce(nil, sample(), false); err != nil || pinning != lock.Unpinned {
		t.Errorf("without a lock: got %s and %v", pinning, err)
	}
	if _, err := lock.Enforce(nil, sample(), true); !errors.Is(err, lock.ErrNoLock) {
		t.Errorf("--locked without a lock: got %v", err)
	}
	dev := sample()
	dev.Plugins[0].Official, dev.Plugins[0].Files[0].SHA256 = false, digest.Of(nil)
	if pinning, err := lock.Enforce(good, dev, true); err != nil || pinning != lock.Unofficial {
		t.Errorf("--dev-plugin: got %s and %v", pinning, err)
	}
}

func TestReadWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), lock.FileName)
	if got, err := lock.Read(path); got != nil || err != nil {
		t.Errorf("none there: got %v and %v", got, err)
	}
	if err := sample().Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := lock.Read(path)
	if err != nil || len(got.Plugins) != 2 || got.Plugins[0].Limits.Plan != 1500*time.Millisecond {
		t.Errorf("got %+v and %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want the path in it", err)
	}
}

func FuzzParse(f *testing.F) {
	good, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"schema":"paceline/lock/v1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := lock.Parse(data)
		if err != nil {
			return
		}
		text, err := l.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := lock.Parse(text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if _, err := lock.Enforce(l, again, true); err != nil {
			t.Fatalf("a lock does not fit itself: %v", err)
		}
	})
}
