package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"paceline/plugins/artifact"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/policy"
	"paceline/plugins/sign"
	"paceline/plugins/store"
)

// content is a plugin as OCI content, from a file, a layout or a registry.
type content struct {
	*artifact.Artifact
	manifest *lock.Manifest
	source   string // as a lock names it
	name     string // for messages
	found    sign.Found
}

// content reads a plugin with its signatures, which are not judged yet.
func (f *finder) content(ctx context.Context, text string, want artifact.Platforms) (*content, error) {
	c := &content{name: text}
	var err error
	if artifact.IsRef(text) {
		err = c.fetch(ctx, f, text, want)
	} else {
		err = c.pack(ctx, f, text)
	}
	if err != nil {
		return nil, fail(exitInput, err)
	}
	if c.manifest = c.Artifact.Manifest; c.manifest == nil {
		if c.manifest, err = host.Inspect(c.Module); err != nil {
			return nil, fail(exitInput, fmt.Errorf("plugin %s: %w", text, err))
		}
	}
	_, head := c.Head()
	c.found = sign.Check(c.Envelopes, [32]byte(artifact.DigestOf(head)))
	c.found.Faults = append(c.found.Faults, c.Faults...)
	return c, nil
}

func (c *content) fetch(ctx context.Context, f *finder, text string, want artifact.Platforms) error {
	ref, err := artifact.ParseRef(text)
	if err != nil {
		return err
	}
	if c.Artifact, err = f.artifact(ctx, ref, want); err != nil {
		return err
	}
	c.source = ref.Pinned(c.Root.Digest)
	return nil
}

// pack makes content of a plugin's file and of the signatures beside it.
func (c *content) pack(ctx context.Context, f *finder, path string) error {
	m, err := f.source(ctx, path, path, "")
	if err != nil {
		return err
	}
	c.source = store.FileSource
	if m.Native != nil {
		dir := filepath.Dir(m.Native.Path)
		c.Artifact, err = artifact.PackNative(m.Native.Text, func(n lock.Native) ([]byte, error) { return readExecutable(filepath.Join(dir, n.File)) })
	} else {
		var manifest *lock.Manifest
		if manifest, err = host.Inspect(m.Bytes); err == nil {
			c.Artifact, err = artifact.PackWasm(m.Bytes, manifest.Name)
		}
	}
	if err != nil {
		return fmt.Errorf("plugin %s: %w", path, err)
	}
	found := sign.Check(m.Envelopes, m.HeadDigest())
	c.Faults = append(append(c.Faults, m.Faults...), found.Faults...)
	for _, s := range found.Signers {
		if err := c.AddSignature(s.Envelope); err != nil {
			return err
		}
	}
	return nil
}

func readExecutable(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, artifact.MaxExecutable+1))
	if err == nil && len(data) > artifact.MaxExecutable {
		err = fmt.Errorf("%s: more than %d bytes", path, artifact.MaxExecutable)
	}
	return data, err
}

// module is the plugin for this platform.
func (c *content) module(name string) (*store.Module, error) {
	if c.Artifact.Manifest != nil && c.Executable == nil {
		c.Executable = c.executable()
	}
	return store.FromArtifact(name, c.source, c.Artifact)
}

// executable finds the one for this platform among the blobs.
func (c *content) executable() []byte {
	said, ok := c.manifest.Executable(runtime.GOOS, runtime.GOARCH)
	if !ok {
		return nil
	}
	for _, b := range c.Blobs {
		if b.Digest == artifact.Digest(said.SHA256) {
			return b.Data
		}
	}
	return nil
}

// judgeContent warns of what is wrong with the signatures and holds the plugin to the policy, if there is one.
func (a *app) judgeContent(c *content, p *policy.Policy) error {
	name := c.manifest.Name
	head, data := c.Head()
	m := &store.Module{Name: name, Source: c.source, Path: head, Bytes: data, Digest: [32]byte(artifact.DigestOf(data)), Envelopes: c.Envelopes, Faults: c.Faults}
	if c.Artifact.Manifest != nil {
		m.Native = &store.Native{Manifest: c.manifest, Text: data, Path: head, SHA256: m.Digest}
	}
	_, err := a.vouch(m, c.manifest, p)
	return err
}

// errTarChange says why a tar file stays as it is.
var errTarChange = errors.New("a tar file is not changed; sign the file or a layout folder, and push that")
