package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"paceline/core/digest"
	"paceline/plugins/artifact"
	"paceline/plugins/registry"
	"paceline/plugins/sign"
)

// moved is what is told of a plugin that was pushed or pulled.
type moved struct {
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	From     string          `json:"from"`
	To       []string        `json:"to"`
	Artifact artifact.Digest `json:"artifact"`
	SHA256   digest.SHA256   `json:"sha256"`
	Signers  []signerView    `json:"signers"`
}

func (c *content) moved(from string, to ...string) *moved {
	_, head := c.Head()
	return &moved{Name: c.manifest.Name, Version: c.manifest.Version, From: from, To: to, Artifact: c.Root.Digest, SHA256: digest.Of(head), Signers: viewsOf(c.found)}
}

func (m *moved) write(a *app, verb string, asJSON bool) error {
	if asJSON {
		return writeJSON(a.Stdout, m)
	}
	b := fmt.Appendf(nil, "%-9s %s %s to %s\nartifact  %s\nsha256    %s\n", verb, m.Name, m.Version, strings.Join(m.To, ", "), m.Artifact, m.SHA256)
	for _, s := range m.Signers {
		b = fmt.Appendf(b, "signed    %s\n", s.Key)
	}
	_, err := a.Stdout.Write(b)
	return err
}

func (a *app) pushCommand() *cobra.Command {
	var flags sourceFlags
	c := &cobra.Command{
		Use:   "push SOURCE oci://HOST/NAME[:TAG]|DIR[:TAG]|FILE.tar",
		Short: "Put a plugin with its signatures into a registry or an OCI layout",
		Long: "Packs a plugin as an OCI artifact in the CNCF layout for wasm, or a native plugin as an index of all its platforms, and puts it\n" +
			"into a registry, a layout folder or a new tar file. Equal plugins have equal digests. Signatures beside the file go along.\n" +
			"Without a TAG it is the plugin's version. Credentials come from the Docker configuration.",
		Example: "  runner plugin push acme.wasm oci://127.0.0.1:5000/acme/search\n  runner plugin push acme.wasm ./layout:1.0.0",
		Args:    exactly("SOURCE", "TARGET"),
		RunE: func(c *cobra.Command, args []string) error {
			got, err := a.finder(flags.plainHTTP).content(c.Context(), args[0], artifact.EveryPlatform)
			if err != nil {
				return err
			}
			for _, fault := range got.found.Faults {
				return fail(exitInput, fmt.Errorf("plugin %s: %w", args[0], fault))
			}
			to, err := put(c.Context(), got, args[1], flags.plainHTTP)
			if err != nil {
				return fail(filesCode(err), err)
			}
			return got.moved(args[0], to).write(a, "pushed", flags.json)
		},
	}
	flags.registerReading(c)
	return c
}

// put writes content to where a target leads and says where that is.
func put(ctx context.Context, c *content, target string, plainHTTP bool) (string, error) {
	ref, err := artifact.ParseRef(target)
	if err != nil {
		return "", err
	}
	if ref.Digest != nil {
		return "", fmt.Errorf("target %s: a digest cannot be chosen; name a tag", target)
	}
	if ref.Tag == "" {
		ref.Tag = artifact.TagOf(c.manifest.Version)
	}
	if !ref.Remote() {
		return ref.String(), artifact.WriteLayout(ref.Path, c.Artifact, ref.Tag)
	}
	r, err := registry.Open(ref, registry.Options{PlainHTTP: plainHTTP})
	if err != nil {
		return "", err
	}
	return ref.String(), r.Push(ctx, c.Artifact, ref.Tag)
}

func (a *app) pullCommand() *cobra.Command {
	var flags sourceFlags
	var out string
	c := &cobra.Command{
		Use:   "pull oci://HOST/NAME:TAG|DIR[:TAG]|FILE.tar",
		Short: "Fetch a plugin with its signatures into a file or an OCI layout",
		Long: "Fetches a plugin, holds every byte to its digest, and writes its file with the signatures beside it, or with --output DIR/ or\n" +
			"FILE.tar an OCI layout for use offline. Files that are there are not replaced; nothing is left behind by a pull that fails.",
		Example: "  runner plugin pull oci://127.0.0.1:5000/acme/search:1.0.0\n  runner plugin pull oci://127.0.0.1:5000/acme/search:1.0.0 -o search.tar",
		Args:    exactly("SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := readPolicy(flags.policy)
			if err != nil {
				return err
			}
			layout := strings.HasSuffix(out, ".tar") || strings.HasSuffix(out, "/") || isFolder(out)
			want := artifact.Only(runtime.GOOS, runtime.GOARCH)
			if layout {
				want = artifact.EveryPlatform
			}
			got, err := a.finder(flags.plainHTTP).content(c.Context(), args[0], want)
			if err != nil {
				return err
			}
			if err := a.judgeContent(got, p); err != nil {
				return err
			}
			var to []string
			if layout {
				var place string
				place, err = put(c.Context(), got, out, flags.plainHTTP)
				to = []string{place}
			} else {
				to, err = got.writeFiles(out)
			}
			if err != nil {
				return fail(filesCode(err), err)
			}
			return got.moved(args[0], to...).write(a, "pulled", flags.json)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write, or DIR/ or FILE.tar for an OCI layout (default the plugin's own file name)")
	flags.register(c)
	return c
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

// writeFiles writes the plugin as files, all or none of them: the module, or the manifest and the executable of a native
// plugin, and the signatures.
func (c *content) writeFiles(out string) ([]string, error) {
	name, head := c.Head()
	files := map[string][]byte{}
	order := []string{}
	add := func(path string, data []byte) {
		files[path] = data
		order = append(order, path)
	}
	switch {
	case c.Artifact.Manifest == nil:
		if out == "" {
			out = name
		}
		add(out, head)
	case out != "":
		return nil, errors.New("a native plugin is several files: name a folder for an OCI layout, DIR/, or leave --output out")
	default:
		said, ok := c.manifest.Executable(runtime.GOOS, runtime.GOARCH)
		if !ok {
			return nil, fmt.Errorf("no executable for %s/%s; --output DIR/ pulls all platforms", runtime.GOOS, runtime.GOARCH)
		}
		if !artifact.IsFileName(said.File) {
			return nil, fmt.Errorf("the executable is called %q, and no file of that name is written; --output DIR/ pulls a layout", said.File)
		}
		out = strings.TrimSuffix(said.File, ".exe") + ".manifest.json"
		add(out, head)
		add(said.File, c.Executable)
	}
	if len(c.found.Signers) > 0 {
		list := make([]*sign.Envelope, 0, len(c.found.Signers))
		for _, s := range c.found.Signers {
			e, err := sign.ParseEnvelope(s.Envelope)
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
		add(out+sign.FileSuffix, sign.EncodeFile(list))
	}
	return order, writeAll(order, files)
}

// writeAll writes new files, whole, and takes them away again where one of them fails.
func writeAll(order []string, files map[string][]byte) error {
	var written []string
	for _, path := range order {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			for _, w := range written {
				_ = os.Remove(w)
			}
			return fmt.Errorf("%s is there already; --output names another file", path)
		}
		mode := fs.FileMode(0o644)
		if !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".wasm") {
			mode = 0o755
		}
		if err := writeWhole(path, files[path], mode); err != nil {
			for _, w := range written {
				_ = os.Remove(w)
			}
			return err
		}
		written = append(written, path)
	}
	return nil
}

// writeWhole writes a file beside its place, syncs it and renames it.
func writeWhole(path string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}
