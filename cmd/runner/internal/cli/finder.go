package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/plugins/artifact"
	"paceline/plugins/lock"
	"paceline/plugins/policy"
	"paceline/plugins/registry"
	"paceline/plugins/sign"
	"paceline/plugins/store"
	"paceline/workloads"
)

// sourceFlags are the flags of commands that fetch plugins.
type sourceFlags struct {
	policy    string
	plainHTTP bool
	json      bool
}

func (f *sourceFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.policy, "policy", "", "refuse what the policy `FILE` does not allow (schemas/policy/v1)")
	f.registerReading(c)
}

func (f *sourceFlags) registerReading(c *cobra.Command) {
	c.Flags().BoolVar(&f.plainHTTP, "plain-http", false, "speak http to registries; without it only to those on the loopback")
	c.Flags().BoolVar(&f.json, "json", false, "write JSON")
}

// readPolicy reads the policy that was asked for; nil: none was.
func readPolicy(path string) (*policy.Policy, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // no policy is no error
	}
	p, err := config.PolicyFile(path)
	if err != nil {
		return nil, failHint(exitUsage, err, "schemas/policy/v1 lists every key")
	}
	return p, nil
}

// finder finds plugins wherever they are.
type finder struct {
	files     *store.Store // what ships, files, and --dev-plugin
	shelf     *store.Shelf
	plainHTTP bool
	offline   bool // no registry is asked

	held, pins *lock.Lock          // as in a builder: the lock that is enforced, and one whose digests are taken
	fresh      func(p string) bool // plugins that are resolved anew; nil: none
}

func (a *app) finder(plainHTTP bool) *finder {
	return &finder{files: &store.Store{Std: workloads.Modules()}, shelf: a.shelf(), plainHTTP: plainHTTP}
}

func (a *app) shelf() *store.Shelf { return &store.Shelf{Dir: a.cacheDir("plugins")} }

// open opens where a reference leads. The source must be closed.
func (f *finder) open(ref artifact.Ref) (remoteSource, error) {
	if !ref.Remote() {
		l, err := artifact.OpenLayout(ref.Path)
		if err != nil {
			return nil, err
		}
		return l, nil
	}
	r, err := registry.Open(ref, registry.Options{PlainHTTP: f.plainHTTP})
	if err != nil {
		return nil, err
	}
	return unclosed{r}, nil
}

// remoteSource is a registry's repository or a layout.
type remoteSource interface {
	artifact.Source
	Resolve(ctx context.Context, want string) (artifact.Descriptor, error)
	Close() error
}

// unclosed is a repository, which needs no closing.
type unclosed struct{ *registry.Repository }

// Close does nothing.
func (unclosed) Close() error { return nil }

// artifact reads a plugin from where a reference leads.
func (f *finder) artifact(ctx context.Context, ref artifact.Ref, want artifact.Platforms) (*artifact.Artifact, error) {
	src, err := f.open(ref)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	root, err := src.Resolve(ctx, ref.Want())
	if err != nil {
		return nil, err
	}
	a, err := artifact.Read(ctx, src, root, want)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", ref, err)
	}
	return a, nil
}

// ref reads a plugin by a reference; what comes from a registry is taken from the shelf where its digest is known, and put
// there.
func (f *finder) ref(ctx context.Context, name string, ref artifact.Ref) (*store.Module, error) {
	if ref.Remote() && ref.Digest != nil {
		m, err := f.shelf.Fetch(ctx, name, ref.Pinned(*ref.Digest), *ref.Digest)
		if err == nil || !errors.Is(err, artifact.ErrNotFound) {
			return m, err
		}
	}
	if ref.Remote() && f.offline {
		return nil, failHint(exitInput, fmt.Errorf("plugin %s is not on this machine, and a run folder does not decide which registries are asked", name),
			"`runner plugin install "+ref.From()+"` fetches it, if you trust that place")
	}
	a, err := f.artifact(ctx, ref, artifact.Only(runtime.GOOS, runtime.GOARCH))
	if err != nil {
		return nil, err
	}
	if ref.Remote() && f.shelf.Dir != "" {
		if err := f.shelf.Put(a); err != nil {
			return nil, err
		}
	}
	return store.FromArtifact(name, ref.Pinned(a.Root.Digest), a)
}

// source reads a plugin from what a run file or a command line names as its source: a file, a layout or a registry. The
// lock's source says which digest is meant; it is empty where no lock does.
func (f *finder) source(ctx context.Context, name, text, locked string) (*store.Module, error) {
	if !artifact.IsRef(text) {
		if !store.IsFile(text) {
			text = "./" + text
		}
		return f.files.Fetch(text)
	}
	ref, err := artifact.ParseRef(text)
	if err != nil {
		return nil, err
	}
	if d, ok := ref.LockedDigest(locked); ok && ref.Digest == nil {
		ref.Digest = &d
	}
	return f.ref(ctx, name, ref)
}

// locked reads a plugin that only a lock names, by the digest that stands there: from the shelf, else from its registry.
func (f *finder) locked(ctx context.Context, name, source string) (*store.Module, error) {
	text, digits, _ := strings.Cut(source, "@")
	d, err := artifact.ParseDigest(digits)
	if err != nil {
		return nil, fmt.Errorf("%w: the lock does not say where to fetch it", artifact.ErrNotFound)
	}
	if !strings.HasPrefix(source, "oci://") {
		return f.shelf.Fetch(ctx, name, source, d)
	}
	ref, err := artifact.ParseRef(text)
	if err != nil {
		return nil, err
	}
	ref.Digest = &d
	return f.ref(ctx, name, ref)
}

// installed reads a plugin that was given a name on this machine.
func (f *finder) installed(ctx context.Context, name string) (*store.Module, error) {
	in, err := f.shelf.Named(name)
	if err != nil {
		return nil, err
	}
	return f.shelf.Fetch(ctx, name, in.Source, in.Root)
}

// named reads what a command line means: a plugin's name, or where it is.
func (f *finder) named(ctx context.Context, text string) (*store.Module, error) {
	name := store.Canonical(text)
	if strings.HasPrefix(name, store.StdSource+"/") && !artifact.IsRef(text) {
		return f.files.Fetch(name)
	}
	if store.CheckName(name) == nil {
		m, err := f.installed(ctx, name)
		if err == nil || !errors.Is(err, artifact.ErrNotFound) {
			return m, err
		}
		if !artifact.IsRef(text) {
			return f.files.Fetch(name) // which says what there is
		}
	}
	return f.source(ctx, filepath.Base(text), text, "")
}

func signersOf(found sign.Found) []sign.Signer {
	list := make([]sign.Signer, len(found.Signers))
	for i, s := range found.Signers {
		list[i] = s.Signer
	}
	return list
}

// vouch checks a plugin's signatures and, where there is one, the policy. Without a policy an unsigned plugin is a warning.
func (a *app) vouch(m *store.Module, manifest *lock.Manifest, p *policy.Policy) (sign.Found, error) {
	found := sign.Check(m.Envelopes, m.HeadDigest())
	found.Faults = append(found.Faults, m.Faults...)
	for _, err := range found.Faults {
		fmt.Fprintf(a.Stderr, "warning: plugin %s: %v\n", m.Name, err)
	}
	if p == nil {
		a.warnUnsigned(m, found)
		return found, nil
	}
	if err := p.Check(policy.Plugin{Name: m.Name, Source: m.Source, Native: m.Native != nil, Granted: asks(manifest), Signers: signersOf(found)}, time.Now()); err != nil {
		return found, fail(exitInput, err)
	}
	return found, nil
}

func (a *app) warnUnsigned(m *store.Module, found sign.Found) {
	if m.Source == store.StdSource {
		return
	}
	if len(found.Signers) == 0 {
		fmt.Fprintf(a.Stderr, "warning: plugin %s (%s) is not signed\n", m.Name, m.Source)
		return
	}
	for _, s := range found.Signers {
		if s.Expired(time.Now()) {
			fmt.Fprintf(a.Stderr, "warning: plugin %s (%s): the signature of %s expired at %s\n", m.Name, m.Source, s.Key, date(s.ValidUntil))
		}
	}
}

func date(t time.Time) string { return t.UTC().Format(time.RFC3339) }
