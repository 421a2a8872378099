package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"paceline/plugins/artifact"
	"paceline/plugins/lock"
	"paceline/plugins/policy"
	"paceline/plugins/sign"
	"paceline/plugins/store"
)

// pinning says what a builder holds plugins to, beside the lock that it enforces.
type pinning struct {
	policy    *policy.Policy // nil: none
	plainHTTP bool
	pins      *lock.Lock          // where the digests of references come from; nil: tags are resolved
	fresh     func(p string) bool // plugins whose digests are resolved anew; nil: none
	silent    bool                // no warnings about signatures
}

// finder finds plugins by what the builder holds them to.
func (b *builder) finder(dev map[string]string) *finder {
	f := b.app.finder(b.plainHTTP)
	f.files.Dev, f.held, f.pins, f.fresh, f.offline = dev, b.locked, b.pins, b.fresh, b.judges
	return f
}

// find reads a plugin from where a run says that it is; named are the run's own names.
func (f *finder) find(ctx context.Context, plugin string, named map[string]string) (*store.Module, error) {
	m, err := f.findIn(ctx, plugin, named)
	if err != nil {
		return nil, err
	}
	m.Name = plugin
	return m, nil
}

func (f *finder) findIn(ctx context.Context, plugin string, named map[string]string) (*store.Module, error) {
	if _, dev := f.files.Dev[plugin]; dev {
		return f.files.Fetch(plugin)
	}
	locked := f.lockedSource(plugin)
	if text, ok := named[plugin]; ok {
		return f.source(ctx, plugin, text, locked)
	}
	if store.CheckName(plugin) != nil {
		return f.files.Fetch(plugin)
	}
	if f.held != nil && locked != "" { // what is installed may have gone on
		m, err := f.locked(ctx, plugin, locked)
		if err == nil || !errors.Is(err, artifact.ErrNotFound) {
			return m, err
		}
	}
	m, err := f.installed(ctx, plugin)
	if errors.Is(err, artifact.ErrNotFound) {
		_, err = f.files.Fetch(plugin) // which says what there is
		return nil, failHint(exitInput, err, "`runner plugin install SOURCE --name "+plugin+"` installs one, and `plugins: {"+plugin+": SOURCE}` names one in a run file")
	}
	return m, err
}

// lockedSource is the source that the lock has for a plugin.
func (f *finder) lockedSource(plugin string) string {
	if f.fresh != nil && f.fresh(plugin) {
		return ""
	}
	for _, l := range []*lock.Lock{f.held, f.pins} {
		if p := entryOf(l, plugin); p != nil {
			return p.Source
		}
	}
	return ""
}

// entry is what the lock that holds has for a plugin; nil also where the plugin is being updated.
func (b *builder) entry(plugin string) *lock.Plugin {
	if b.fresh != nil && b.fresh(plugin) {
		return nil
	}
	return entryOf(b.locked, plugin)
}

func entryOf(l *lock.Lock, plugin string) *lock.Plugin {
	if l == nil {
		return nil
	}
	for i := range l.Plugins {
		if l.Plugins[i].Name == plugin {
			return &l.Plugins[i]
		}
	}
	return nil
}

// signatures checks who signed a plugin, from what came with it and from what the lock keeps.
func (b *builder) signatures(m *module) error {
	envelopes := m.file.Envelopes
	if p := b.entry(m.file.Name); p != nil && m.file.Official {
		for _, s := range p.Signers {
			if len(s.Envelope) == 0 {
				continue
			}
			if err := lockedSignature(s, m.file); err != nil {
				return fail(exitInput, fmt.Errorf("plugin %s: the lock's signature by %s:%s: %w", m.file.Name, s.Scheme, s.Key, err))
			}
			envelopes = append(envelopes[:len(envelopes):len(envelopes)], s.Envelope)
		}
	}
	m.found = sign.Check(envelopes, m.file.HeadDigest())
	if b.silent {
		return nil
	}
	for _, err := range append(m.found.Faults, m.file.Faults...) {
		fmt.Fprintf(b.app.Stderr, "warning: plugin %s: %v\n", m.file.Name, err)
	}
	if b.policy == nil {
		b.app.warnUnsigned(m.file, m.found)
	}
	return nil
}

// lockedSignature holds an envelope of the lock to its signer and to the file.
func lockedSignature(s lock.Signer, m *store.Module) error {
	e, err := sign.ParseEnvelope(s.Envelope)
	if err != nil {
		return err
	}
	signers, err := e.Verify(m.HeadDigest())
	if err != nil {
		return err
	}
	for _, have := range signers {
		if s.Scheme == sign.Scheme && have.Key.Hex() == s.Key {
			return nil
		}
	}
	return errors.New("it is another signer's")
}

// signers are the plugin's signers as a lock has them. Held to a lock, they are those of the lock that are here: a signature
// that was added later changes nothing, and one that has expired is still one over these bytes. Otherwise only those whose
// signatures hold now.
func (b *builder) signers(m *module) []lock.Signer {
	var list []lock.Signer
	if p := b.entry(m.file.Name); p != nil && m.file.Official {
		for _, s := range p.Signers {
			for _, have := range m.found.Signers {
				if s.Scheme == sign.Scheme && have.Key.Hex() == s.Key {
					list = append(list, s)
				}
			}
		}
		return list
	}
	for _, s := range m.found.Signers {
		if !s.Expired(time.Now()) {
			list = append(list, lock.Signer{Scheme: sign.Scheme, Key: s.Key.Hex(), Envelope: s.Envelope})
		}
	}
	return list
}

// allows holds a plugin with what it is granted to the policy.
func (b *builder) allows(m *module, entry lock.Plugin) error {
	if b.policy == nil {
		return nil
	}
	return b.policy.Check(policy.Plugin{Name: entry.Name, Source: entry.Source, Native: entry.Native, Granted: entry.Granted,
		Signers: signersOf(m.found)}, time.Now())
}

// held is what is compared with the lock: all but the plugins that are being updated.
func (b *builder) held() *lock.Lock {
	if b.fresh == nil {
		return &b.actual
	}
	l := b.actual
	l.Plugins = nil
	for _, p := range b.actual.Plugins {
		if !b.fresh(p.Name) {
			l.Plugins = append(l.Plugins, p)
		}
	}
	return &l
}
