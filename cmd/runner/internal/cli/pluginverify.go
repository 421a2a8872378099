package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"paceline/core/digest"
	"paceline/plugins/artifact"
	"paceline/plugins/policy"
	"paceline/plugins/sign"
	"paceline/plugins/store"
)

// signerView is a signer as commands show it.
type signerView struct {
	Key        string `json:"key"`
	ValidUntil string `json:"valid_until"`
	Expired    bool   `json:"expired"`
}

func viewsOf(found sign.Found) []signerView {
	list := make([]signerView, len(found.Signers))
	for i, s := range found.Signers {
		list[i] = signerView{Key: s.Key.String(), ValidUntil: date(s.ValidUntil), Expired: s.Expired(time.Now())}
	}
	return list
}

// verified is what verify found of one plugin.
type verified struct {
	Name    string        `json:"name"`
	Version string        `json:"version"`
	Source  string        `json:"source"`
	SHA256  digest.SHA256 `json:"sha256"` // of the file that signatures are over
	Signers []signerView  `json:"signers"`
	Faults  []string      `json:"faults"`
	OK      bool          `json:"ok"`
}

func (a *app) verifyCommand() *cobra.Command {
	var flags sourceFlags
	var keys []string
	c := &cobra.Command{
		Use:   "verify [NAME|SOURCE]",
		Short: "Check a plugin's digests and signatures, or all that is installed",
		Long: "Reads the plugin whole, holds every byte to its digest and every signature to the file, and shows who signed. With --key each of\n" +
			"these keys must have signed, with --policy the policy must allow it. Unsigned plugins are a warning otherwise. Without an\n" +
			"argument everything in the plugin store is held to its digest. Nothing is asked of the network but what oci:// names.",
		Example: "  runner plugin verify\n  runner plugin verify ./acme.wasm --key acme.pub\n" +
			"  runner plugin verify oci://127.0.0.1:5000/acme/search:1.0.0 \\\n      --policy policy.yaml",
		Args: atMost("NAME or SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.verifyShelf(c.Context(), flags.json)
			}
			v, err := a.verify(c.Context(), args[0], keys, &flags)
			if err != nil {
				return err
			}
			return v.write(a, flags.json)
		},
	}
	c.Flags().StringArrayVar(&keys, "key", nil, "a public `key`, or a file that holds one, that must have signed; may be repeated")
	flags.register(c)
	return c
}

func (a *app) verify(ctx context.Context, what string, keys []string, flags *sourceFlags) (*verified, error) {
	p, err := readPolicy(flags.policy)
	if err != nil {
		return nil, err
	}
	required, err := readKeys(keys)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	c, err := a.finder(flags.plainHTTP).examined(ctx, what)
	if err != nil {
		return nil, err
	}
	_, head := c.Head()
	v := &verified{Name: c.manifest.Name, Version: c.manifest.Version, Source: c.source, SHA256: digest.Of(head), Signers: viewsOf(c.found), Faults: []string{}}
	for _, err := range c.found.Faults {
		v.Faults = append(v.Faults, err.Error())
	}
	v.require(required, c.found)
	if p != nil {
		native := c.Artifact.Manifest != nil
		if err := p.Check(policy.Plugin{Name: v.Name, Source: v.Source, Native: native, Granted: asks(c.manifest), Signers: signersOf(c.found)}, time.Now()); err != nil {
			v.Faults = append(v.Faults, err.Error())
		}
	} else if len(required) == 0 {
		v.unrequired(a, c)
	}
	v.OK = len(v.Faults) == 0
	return v, nil
}

// examined reads a plugin whole, of a native one all platforms, from a name or a source.
func (f *finder) examined(ctx context.Context, text string) (*content, error) {
	name := store.Canonical(text)
	if artifact.IsRef(text) && (store.CheckName(name) != nil || !f.has(name)) {
		return f.content(ctx, text, artifact.EveryPlatform)
	}
	m, err := f.named(ctx, text)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	manifest, _, err := manifestOf(m)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	c := &content{Artifact: &artifact.Artifact{}, manifest: manifest, source: m.Source, name: text, found: sign.Check(m.Envelopes, m.HeadDigest())}
	c.found.Faults = append(c.found.Faults, m.Faults...)
	if m.Native != nil {
		c.Artifact.Manifest, c.Text = manifest, m.Native.Text
	} else {
		c.Artifact.Name, c.Module = m.Name, m.Bytes
	}
	return c, nil
}

// has reports whether a name is installed.
func (f *finder) has(name string) bool {
	_, err := f.shelf.Named(name)
	return !errors.Is(err, artifact.ErrNotFound)
}

// require wants a signature of each key that holds now.
func (v *verified) require(keys []sign.Key, found sign.Found) {
	for _, k := range keys {
		why := "not signed by " + k.String()
		for _, s := range found.Signers {
			if s.Key != k {
				continue
			}
			if why = ""; s.Expired(time.Now()) {
				why = fmt.Sprintf("the signature of %s expired at %s", k, date(s.ValidUntil))
			}
		}
		if why != "" {
			v.Faults = append(v.Faults, why)
		}
	}
}

// unrequired judges the signatures where nobody said which are wanted: those that are there must not all have expired.
func (v *verified) unrequired(a *app, c *content) {
	expired := 0
	for _, s := range v.Signers {
		if s.Expired {
			expired++
		}
	}
	if expired > 0 && expired == len(v.Signers) {
		v.Faults = append(v.Faults, "every signature has expired")
		return
	}
	a.warnUnsigned(&store.Module{Name: c.name, Source: v.Source}, c.found)
}

// readKeys reads public keys, or files that hold one.
func readKeys(list []string) ([]sign.Key, error) {
	keys := make([]sign.Key, len(list))
	for i, text := range list {
		if !strings.HasPrefix(text, sign.Scheme+":") {
			data, err := os.ReadFile(text)
			if err != nil {
				return nil, fmt.Errorf("--key: %w", err)
			}
			text = strings.TrimSpace(string(data[:min(len(data), 200)]))
		}
		var err error
		if keys[i], err = sign.ParseKey(text); err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
	}
	return keys, nil
}

func (v *verified) write(a *app, asJSON bool) error {
	var failed error
	if !v.OK {
		failed = fail(exitInput, fmt.Errorf("plugin %s (%s) is not as it should be:\n%s", v.Name, v.Source, strings.Join(v.Faults, "\n")))
	}
	if asJSON {
		return errors.Join(writeJSON(a.Stdout, v), failed)
	}
	b := fmt.Appendf(nil, "plugin    %s %s\nsource    %s\nsha256    %s\n", v.Name, v.Version, v.Source, v.SHA256)
	for _, s := range v.Signers {
		state := "until"
		if s.Expired {
			state = "expired at"
		}
		b = fmt.Appendf(b, "signed    %s %s %s\n", s.Key, state, s.ValidUntil)
	}
	_, err := a.Stdout.Write(b)
	return errors.Join(err, failed)
}

// verifyShelf holds everything that is installed to its digest.
func (a *app) verifyShelf(ctx context.Context, asJSON bool) error {
	n, bad, err := a.shelf().Verify(ctx)
	if err != nil {
		return fail(exitInput, err)
	}
	if asJSON {
		faults := []string{}
		for _, d := range bad {
			faults = append(faults, d.What+": "+d.Error)
		}
		if err := writeJSON(a.Stdout, map[string]any{"checked": n, "faults": faults, "ok": len(bad) == 0}); err != nil {
			return err
		}
	}
	if len(bad) > 0 {
		lines := make([]string, len(bad))
		for i, d := range bad {
			lines[i] = d.What + ": " + d.Error
		}
		return failHint(exitInput, fmt.Errorf("the plugin store is damaged:\n%s", strings.Join(lines, "\n")), "installing a plugin again mends it")
	}
	if !asJSON {
		fmt.Fprintf(a.Stdout, "%d things in the plugin store, all as they should be\n", n)
	}
	return nil
}
