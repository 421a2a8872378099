package lock

import (
	"errors"
	"fmt"
	"strings"
)

// Pinning says how far a run's plugins and inputs are pinned.
type Pinning string

// Pinnings.
const (
	Locked     Pinning = "locked"     // a lock was there and everything fits it
	Unpinned   Pinning = "unpinned"   // there was no lock
	Unofficial Pinning = "unofficial" // --dev-plugin took a plugin past the lock
)

// Difference is one thing that is not as the lock says.
type Difference struct {
	What   string // e.g. plugin std/mlperf, file mlperf.wasm
	Locked string // empty: the lock has no such entry
	Found  string // empty: it is not there
}

// Error shows both values.
func (d Difference) Error() string {
	if d.Locked == "" {
		return fmt.Sprintf("%s: found %s, and the lock has no such entry", d.What, d.Found)
	}
	if d.Found == "" {
		return fmt.Sprintf("%s: the lock says %s, and there is none", d.What, d.Locked)
	}
	return fmt.Sprintf("%s: the lock says %s, found %s", d.What, d.Locked, d.Found)
}

// EnforceError lists every difference from the lock.
type EnforceError struct {
	Differences []Difference
}

// Error names each difference in its own line.
func (e *EnforceError) Error() string {
	lines := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		lines[i] = d.Error()
	}
	return "what is here differs from the lock:\n  " + strings.Join(lines, "\n  ")
}

// ErrNoLock says that --locked was asked for and there is no lock.
var ErrNoLock = errors.New("--locked was asked for and there is no " + FileName + "; `runner plugin lock` makes one")

// Enforce holds what was resolved to the lock. Entries of the lock that this run does not use are fine. Without a lock
// (nil) the run is unpinned, or refused where strict is set (--locked). A lock that is there is enforced either way. The
// error is ErrNoLock or an *EnforceError. Plugins of actual that are not official are neither held to the lock nor
// refused, and make the run unofficial.
func Enforce(locked, actual *Lock, strict bool) (Pinning, error) {
	pinning := Locked
	for _, p := range actual.Plugins {
		if !p.Official {
			pinning = Unofficial
		}
	}
	if locked == nil {
		if strict {
			return "", ErrNoLock
		}
		if pinning == Locked {
			pinning = Unpinned
		}
		return pinning, nil
	}
	if diffs := differences(locked, actual); len(diffs) > 0 {
		return "", &EnforceError{Differences: diffs}
	}
	return pinning, nil
}

func differences(locked, actual *Lock) []Difference {
	var diffs list
	if len(actual.Plugins) > 0 {
		diffs.compare("engine", engineText(locked.Engine), engineText(actual.Engine))
	}
	for _, p := range actual.Plugins {
		if p.Official {
			diffs.plugin(locked, p)
		}
	}
	for _, in := range actual.Inputs {
		what := fmt.Sprintf("input %s of %s", in.Name, in.Component)
		found := fmt.Sprintf("sha256 %s of %d bytes", in.SHA256, in.Size)
		want := ""
		for _, l := range locked.Inputs {
			if compareInputs(l, in) == 0 {
				want = fmt.Sprintf("sha256 %s of %d bytes", l.SHA256, l.Size)
			}
		}
		diffs.compare(what, want, found)
	}
	return diffs
}

func engineText(e Engine) string { return e.Name + " " + e.Version + ", " + e.Mode }

// list collects differences.
type list []Difference

func (d *list) compare(what, locked, found string) {
	if locked != found {
		*d = append(*d, Difference{What: what, Locked: locked, Found: found})
	}
}

func (d *list) plugin(locked *Lock, p Plugin) {
	what := "plugin " + p.Name
	var want *Plugin
	for i := range locked.Plugins {
		if locked.Plugins[i].Name == p.Name {
			want = &locked.Plugins[i]
		}
	}
	if want == nil {
		d.compare(what, "", filesText(p))
		return
	}
	d.compare(what+", source", want.Source, p.Source)
	d.compare(what+", version", want.Version, p.Version)
	d.files(what, want.Files, p.Files)
	d.compare(what+", kind", kindText(want.Native), kindText(p.Native))
	d.compare(what+", granted", capabilityText(want.Granted), capabilityText(p.Granted))
	d.compare(what+", limits", limitsText(want.Limits), limitsText(p.Limits))
	d.compare(what+", signers", signersText(want.Signers), signersText(p.Signers))
}

// files compares both lists, which are sorted by name.
func (d *list) files(what string, want, have []File) {
	names := map[string]bool{}
	for _, f := range have {
		names[f.Name] = true
		pinned := ""
		for _, w := range want {
			if w.Name == f.Name {
				pinned = fileText(w)
			}
		}
		d.compare(what+", file "+f.Name, pinned, fileText(f))
	}
	for _, w := range want {
		if !names[w.Name] {
			d.compare(what+", file "+w.Name, fileText(w), "")
		}
	}
}

func fileText(f File) string { return fmt.Sprintf("sha256 %s of %d bytes", f.SHA256, f.Size) }

func filesText(p Plugin) string {
	texts := make([]string, len(p.Files))
	for i, f := range p.Files {
		texts[i] = f.Name + " " + fileText(f)
	}
	return strings.Join(texts, ", ")
}

func kindText(native bool) string {
	if native {
		return "native"
	}
	return "not native"
}

func capabilityText(granted []Capability) string {
	texts := make([]string, len(granted))
	for i, c := range granted {
		texts[i] = string(c)
	}
	return orNone(strings.Join(texts, " "))
}

func signersText(signers []Signer) string {
	texts := make([]string, len(signers))
	for i, s := range signers {
		texts[i] = s.Scheme + ":" + s.Key
	}
	return orNone(strings.Join(texts, " "))
}

func limitsText(l Limits) string {
	l = l.WithDefaults()
	return fmt.Sprintf("memory %d, open %v, plan %v, next %v, batch %v, log %d, findings %d",
		l.Memory, l.Open, l.Plan, l.Next, l.Batch, l.Log, l.Findings)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
