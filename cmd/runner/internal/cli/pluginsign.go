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
	"paceline/plugins/registry"
	"paceline/plugins/sign"
	"paceline/plugins/store"
)

func (a *app) keygenCommand() *cobra.Command {
	var passphrase string
	var asJSON bool
	c := &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a key to sign plugins with",
		Long: "Writes a new ed25519 key to FILE, encrypted under a passphrase (argon2id, AES-256-GCM), and its public part to FILE.pub. The\n" +
			"passphrase is asked for on a terminal, or comes from --passphrase-file or PACELINE_KEY_PASSPHRASE. Nothing is replaced.",
		Example: "  runner plugin keygen acme.key\n  PACELINE_KEY_PASSPHRASE=... runner plugin keygen acme.key",
		Args:    exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			pass, err := a.passphrase(passphrase, true)
			if err != nil {
				return err
			}
			public, err := keygen(args[0], pass)
			if err != nil {
				return fail(filesCode(err), err)
			}
			if asJSON {
				return writeJSON(a.Stdout, map[string]string{"key": args[0], "public": public.String()})
			}
			fmt.Fprintf(a.Stdout, "key       %s, and its public part %s.pub\npublic    %s\n", args[0], args[0], public)
			return nil
		},
	}
	c.Flags().StringVar(&passphrase, "passphrase-file", "", "`FILE` whose first line is the passphrase")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func keygen(path string, passphrase []byte) (sign.Key, error) {
	secret, err := sign.Generate()
	if err != nil {
		return sign.Key{}, err
	}
	text, err := secret.Seal(passphrase)
	if err != nil {
		return sign.Key{}, err
	}
	if _, err := os.Lstat(path + ".pub"); err == nil {
		return sign.Key{}, fmt.Errorf("%s.pub is there already", path)
	}
	if err := sign.WriteKey(path, text); err != nil {
		return sign.Key{}, err
	}
	return secret.Public(), writeWhole(path+".pub", []byte(secret.Public().String()+"\n"), 0o644)
}

// signed is what is told of a signature that was made.
type signed struct {
	Name       string        `json:"name"`
	SHA256     digest.SHA256 `json:"sha256"` // of the file that it is over
	Key        string        `json:"key"`
	ValidUntil string        `json:"valid_until"`
	To         string        `json:"to"`
}

// signing are the flags of sign.
type signing struct {
	sourceFlags
	key, passphrase, until string
}

func (a *app) signCommand() *cobra.Command {
	var s signing
	c := &cobra.Command{
		Use:   "sign FILE|DIR[:TAG]|oci://HOST/NAME:TAG",
		Short: "Sign a plugin",
		Long: "Signs the digest of a plugin's file (of a native plugin: of its manifest, which has those of its executables) until a date. For a\n" +
			"file the signature is added to FILE.sig.json, in a layout or a registry it is an artifact that refers to the plugin.",
		Example: "  runner plugin sign acme.wasm --key acme.key\n" +
			"  runner plugin sign oci://127.0.0.1:5000/acme/search:1.0.0 --key acme.key \\\n      --valid-until 2028-01-31",
		Args: exactly("SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			until, err := validUntil(s.until, time.Now())
			if err != nil {
				return fail(exitUsage, err)
			}
			if s.key == "" {
				return failHint(exitUsage, errors.New("--key is missing"), "`runner plugin keygen FILE` makes one")
			}
			secret, err := a.openKey(s.key, s.passphrase)
			if err != nil {
				return err
			}
			done, err := a.sign(c.Context(), args[0], secret, until, s.plainHTTP)
			if err != nil {
				return fail(filesCode(err), err)
			}
			if s.json {
				return writeJSON(a.Stdout, done)
			}
			fmt.Fprintf(a.Stdout, "signed    %s\nsha256    %s\nby        %s until %s\nwrote     %s\n", done.Name, done.SHA256, done.Key, done.ValidUntil, done.To)
			return nil
		},
	}
	c.Flags().StringVar(&s.key, "key", "", "`FILE` of the key, as keygen wrote it")
	c.Flags().StringVar(&s.passphrase, "passphrase-file", "", "`FILE` whose first line is the passphrase")
	c.Flags().StringVar(&s.until, "valid-until", "", "`DATE` (2028-01-31, the whole day in UTC) until which the signature holds (default: one year)")
	s.registerReading(c)
	return c
}

// validUntil reads a day, whose last second is meant.
func validUntil(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now.UTC().AddDate(1, 0, 0).Truncate(time.Second), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fmt.Errorf("--valid-until %q: want a date such as 2028-01-31", text)
	}
	return day.Add(24*time.Hour - time.Second), nil
}

func (a *app) openKey(path, passphraseFile string) (sign.Secret, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return sign.Secret{}, fail(exitInput, fmt.Errorf("--key: %w", err))
	}
	pass, err := a.passphrase(passphraseFile, false)
	if err != nil {
		return sign.Secret{}, err
	}
	secret, err := sign.Open(text, pass)
	if err != nil {
		return sign.Secret{}, fail(exitInput, fmt.Errorf("%s: %w", path, err))
	}
	return secret, nil
}

func (a *app) sign(ctx context.Context, source string, secret sign.Secret, until time.Time, plainHTTP bool) (*signed, error) {
	f := a.finder(plainHTTP)
	if artifact.IsRef(source) {
		return f.signContent(ctx, source, secret, until)
	}
	m, err := f.source(ctx, source, source, "")
	if err != nil {
		return nil, err
	}
	manifest, _, err := manifestOf(m)
	if err != nil {
		return nil, err
	}
	path := m.Path
	if m.Native != nil {
		path = m.Native.Path
	}
	name, _ := m.Head()
	e, err := sign.Sign(secret, name, m.HeadDigest(), until)
	if err != nil {
		return nil, err
	}
	have, err := store.ReadSignatures(path)
	if err != nil {
		return nil, err
	}
	path += sign.FileSuffix
	return &signed{manifest.Name + " " + manifest.Version, m.HeadDigest(), secret.Public().String(), date(until), path},
		writeWhole(path, sign.EncodeFile(append(have, e)), 0o644)
}

// signContent adds a signature to what is in a layout folder or a registry.
func (f *finder) signContent(ctx context.Context, source string, secret sign.Secret, until time.Time) (*signed, error) {
	ref, err := artifact.ParseRef(source)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(ref.Path, ".tar") {
		return nil, errTarChange
	}
	c, err := f.content(ctx, source, artifact.EveryPlatform)
	if err != nil {
		return nil, err
	}
	name, head := c.Head()
	e, err := sign.Sign(secret, name, digest.Of(head), until)
	if err != nil {
		return nil, err
	}
	if err := c.AddSignature(e.Encode()); err != nil {
		return nil, err
	}
	done := &signed{c.manifest.Name + " " + c.manifest.Version, digest.Of(head), secret.Public().String(), date(until), ref.Pinned(c.Root.Digest)}
	if !ref.Remote() {
		return done, artifact.WriteLayout(ref.Path, c.Artifact, ref.Tag)
	}
	r, err := registry.Open(ref, registry.Options{PlainHTTP: f.plainHTTP})
	if err != nil {
		return nil, err
	}
	return done, r.Push(ctx, c.Artifact, "")
}
