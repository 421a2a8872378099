// Command wasmbuild builds plugins as wasm modules, the same bytes on every machine. For each folder with a project and a
// manifest.json it compiles the code with pinned flags (package plugins/build), appends the manifest as canonical JSON in
// the custom section paceline.manifest, and writes <name>.wasm.zst with the module and <name>.wasm.sha256 with the digest
// of the uncompressed module. With -check it builds again with an empty build cache and compares instead.
//
// Without arguments it takes every folder of workloads/ that has a manifest and is no native plugin. With -module it
// compiles nothing: the module of its one folder is the file that another compiler made.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"paceline/plugins/build"
	"paceline/plugins/lock"
)

func main() {
	root := flag.String("root", "..", "root of the repository; folders are relative to it")
	out := flag.String("out", "", "folder that receives the files; empty: the plugin's own")
	raw := flag.Bool("raw", false, "write <name>.wasm, not compressed, too")
	check := flag.Bool("check", false, "build anew and compare with the files that are there")
	module := flag.String("module", "", "file with the compiled module, which only gets its manifest; for one folder")
	flag.Parse()
	if err := run(context.Background(), *root, *out, *raw, *check, *module, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wasmbuild:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, out string, raw, check bool, module string, folders []string) error {
	if module != "" && (len(folders) != 1 || check) {
		return errors.New("-module is for one folder, without -check")
	}
	if len(folders) == 0 {
		manifests, err := filepath.Glob(filepath.Join(root, "workloads", "*", "manifest.json"))
		if err != nil {
			return err
		}
		for _, m := range manifests {
			if _, err := os.Stat(filepath.Join(filepath.Dir(m), "plugin.py")); err == nil {
				continue // a native plugin, which no module ships
			}
			rel, err := filepath.Rel(root, filepath.Dir(m))
			if err != nil {
				return err
			}
			folders = append(folders, rel)
		}
	}
	cache := ""
	if check {
		temp, err := os.MkdirTemp("", "paceline-gocache-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		cache = temp
	}
	var errs []error
	for _, folder := range folders {
		p, err := load(filepath.Join(root, folder))
		if err == nil {
			err = p.build(ctx, cache, module)
		}
		switch {
		case err != nil:
		case check:
			err = p.check()
		default:
			err = p.write(out, raw)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", folder, err))
			continue
		}
		fmt.Printf("%s  %s  %d bytes\n", p.digest(), p.name, len(p.module))
	}
	return errors.Join(errs...)
}

// plugin is one plugin on its way from folder to module.
type plugin struct {
	folder   string
	name     string
	manifest []byte // as it is written there
	module   []byte // with its manifest, once built
}

func load(folder string) (*plugin, error) {
	source, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		return nil, err
	}
	manifest, err := lock.ParseManifest(source)
	if err != nil {
		return nil, err
	}
	if want := filepath.Base(folder); manifest.Name != want {
		return nil, fmt.Errorf("manifest.json: the plugin is called %q, its folder %q", manifest.Name, want)
	}
	return &plugin{folder: folder, name: manifest.Name, manifest: source}, nil
}

func (p *plugin) digest() string {
	sum := sha256.Sum256(p.module)
	return hex.EncodeToString(sum[:])
}

// build compiles the project, or takes the module that is there, and appends the manifest. cache is the build cache to use; empty:
// the usual one.
func (p *plugin) build(ctx context.Context, cache, module string) error {
	compiled, err := os.ReadFile(module)
	if module == "" {
		lang, failed := build.Detect(p.folder)
		if failed != nil {
			return failed
		}
		compiled, err = build.Compile(ctx, p.folder, lang, cache)
	}
	if err != nil {
		return err
	}
	p.module, _, err = lock.Annotate(compiled, p.manifest)
	return err
}

func (p *plugin) write(out string, raw bool) error {
	if out == "" {
		out = p.folder
	}
	packed, err := compress(p.module)
	if err != nil {
		return err
	}
	base := filepath.Join(out, p.name+".wasm")
	if raw {
		if err := os.WriteFile(base, p.module, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(base+".zst", packed, 0o644); err != nil {
		return err
	}
	return os.WriteFile(base+".sha256", []byte(p.sum()), 0o644)
}

// sum is the content of the digest file, in the form that sha256sum reads.
func (p *plugin) sum() string { return p.digest() + "  " + p.name + ".wasm\n" }

// check compares the module that was just built with the files in the plugin's folder.
func (p *plugin) check() error {
	base := filepath.Join(p.folder, p.name+".wasm")
	sum, err := os.ReadFile(base + ".sha256")
	if err != nil {
		return err
	}
	if string(sum) != p.sum() {
		return fmt.Errorf("the build gives %s, %s says %s", p.digest(), base+".sha256", strings.TrimSpace(string(sum)))
	}
	packed, err := os.ReadFile(base + ".zst")
	if err != nil {
		return err
	}
	module, err := decompress(packed)
	if err != nil {
		return fmt.Errorf("%s: %w", base+".zst", err)
	}
	if !bytes.Equal(module, p.module) {
		return fmt.Errorf("%s holds another module than the build gives", base+".zst")
	}
	return nil
}

func compress(b []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	packed := w.EncodeAll(b, nil)
	return packed, w.Close()
}

func decompress(b []byte) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(b, nil)
}
