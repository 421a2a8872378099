package artifact

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"paceline/plugins/lock"
)

// Platforms says which executables of a native plugin are read.
type Platforms func(os, arch string) bool

// EveryPlatform reads all.
func EveryPlatform(string, string) bool { return true }

// Only reads those of one platform.
func Only(os, arch string) Platforms {
	return func(o, a string) bool { return o == os && a == arch }
}

// reader reads one artifact.
type reader struct {
	src  Source
	a    *Artifact
	want Platforms
}

// Read reads a plugin and its signatures. Every size is checked before it is read, every byte after it.
func Read(ctx context.Context, src Source, root Descriptor, want Platforms) (*Artifact, error) {
	r := &reader{src: src, want: want, a: &Artifact{}}
	doc, err := r.document(ctx, root)
	if err != nil {
		return nil, err
	}
	switch {
	case doc.MediaType == typeIndex && doc.ArtifactType == typeNative:
		err = r.native(ctx, doc)
	case doc.MediaType == typeManifest && doc.Config != nil && doc.Config.MediaType == typeWasmConf:
		err = r.wasm(ctx, doc)
	default:
		err = fmt.Errorf("%s: no plugin: media type %q, artifact type %q, configuration %q; a wasm plugin has %s",
			root.Digest, cutText(doc.MediaType), cutText(doc.ArtifactType), cutText(configType(doc)), typeWasmConf)
	}
	if err != nil {
		return nil, err
	}
	r.a.Root = Descriptor{MediaType: doc.MediaType, Digest: root.Digest, Size: root.Size}
	return r.a, r.signatures(ctx)
}

func configType(d *document) string {
	if d.Config == nil {
		return ""
	}
	return d.Config.MediaType
}

// blob reads and keeps one blob.
func (r *reader) blob(ctx context.Context, d Descriptor, what string, limit int64) ([]byte, error) {
	if err := d.within(what, limit); err != nil {
		return nil, err
	}
	data, err := r.src.Blob(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if err := d.Check(what, data); err != nil {
		return nil, err
	}
	r.a.add(Blob{Descriptor: Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, ArtifactType: d.ArtifactType}, Data: data})
	return data, nil
}

// document reads a manifest or an index; it is kept by its caller's order, after what it refers to.
func (r *reader) document(ctx context.Context, d Descriptor) (*document, error) {
	before := len(r.a.Blobs)
	data, err := r.blob(ctx, d, "manifest", MaxManifest)
	if err != nil {
		return nil, err
	}
	r.a.Blobs = r.a.Blobs[:before]
	doc, err := parseDocument(data)
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", d.Digest, err)
	}
	if d.MediaType != "" && doc.MediaType != d.MediaType {
		return nil, fmt.Errorf("manifest %s: it says %q of itself, and was announced as %q", d.Digest, cutText(doc.MediaType), cutText(d.MediaType))
	}
	doc.blob = Blob{Descriptor: Descriptor{MediaType: doc.MediaType, Digest: d.Digest, Size: d.Size}, Data: data}
	return doc, nil
}

func parseDocument(data []byte) (*document, error) {
	var doc document
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("something follows the document")
	}
	if doc.SchemaVersion != 2 {
		return nil, fmt.Errorf("schemaVersion: found %d, supported 2", doc.SchemaVersion)
	}
	return &doc, nil
}

func (r *reader) wasm(ctx context.Context, doc *document) error {
	if len(doc.Layers) != 1 || doc.Layers[0].MediaType != typeWasm {
		return fmt.Errorf("a wasm plugin has exactly one layer %s, found %d%s", typeWasm, len(doc.Layers), firstType(doc.Layers))
	}
	config, err := r.blob(ctx, *doc.Config, "configuration", MaxManifest)
	if err != nil {
		return err
	}
	var c wasmConfig
	if err := json.Unmarshal(config, &c); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	layer := doc.Layers[0]
	if len(c.LayerDigests) > 0 && (len(c.LayerDigests) != 1 || c.LayerDigests[0] != layer.Digest) {
		return &MismatchError{What: "configuration, layerDigests", Want: fmt.Sprint(c.LayerDigests), Found: layer.Digest.String()}
	}
	r.a.Module, err = r.blob(ctx, layer, "module", MaxModule)
	r.a.Name = fileName(layer, "plugin.wasm")
	r.a.add(doc.blob)
	return err
}

func firstType(layers []Descriptor) string {
	if len(layers) == 0 {
		return ""
	}
	return fmt.Sprintf(", the first of type %q", cutText(layers[0].MediaType))
}

// native reads the plugin's manifest and the executables that are wanted. Each manifest of the index must agree with it.
func (r *reader) native(ctx context.Context, index *document) error {
	if n := len(index.Manifests); n == 0 || n > MaxPlatforms {
		return fmt.Errorf("index: %d platforms, and from 1 to %d are allowed", n, MaxPlatforms)
	}
	seen := map[Platform]bool{}
	for _, d := range index.Manifests {
		if d.Platform == nil || seen[*d.Platform] {
			return fmt.Errorf("index: manifest %s names no platform, or one that is there twice", d.Digest)
		}
		seen[*d.Platform] = true
		if err := r.platform(ctx, d); err != nil {
			return fmt.Errorf("%q/%q: %w", cutText(d.Platform.OS), cutText(d.Platform.Architecture), err)
		}
	}
	if len(seen) != len(r.a.Manifest.Native) {
		return fmt.Errorf("index: %d platforms, and the plugin's manifest has %d", len(seen), len(r.a.Manifest.Native))
	}
	r.a.add(index.blob)
	return nil
}

func (r *reader) platform(ctx context.Context, d Descriptor) error {
	doc, err := r.document(ctx, d)
	if err != nil {
		return err
	}
	if doc.MediaType != typeManifest || configType(doc) != typeNativeMan || len(doc.Layers) != 1 || doc.Layers[0].MediaType != typeExec {
		return fmt.Errorf("manifest %s: a configuration %s and one layer %s are expected", d.Digest, typeNativeMan, typeExec)
	}
	if err := r.nativeManifest(ctx, *doc.Config); err != nil {
		return err
	}
	said, ok := r.a.Manifest.Executable(d.Platform.OS, d.Platform.Architecture)
	if !ok {
		return fmt.Errorf("the plugin's manifest has no executable for it")
	}
	layer := doc.Layers[0]
	if err := fits(said, layer); err != nil {
		return err
	}
	if r.want(d.Platform.OS, d.Platform.Architecture) {
		code, err := r.blob(ctx, layer, "executable", MaxExecutable)
		if err != nil {
			return err
		}
		if d.Platform.OS == runtime.GOOS && d.Platform.Architecture == runtime.GOARCH {
			r.a.Executable = code
		}
	}
	r.a.add(doc.blob)
	return nil
}

// nativeManifest reads the plugin's manifest once; all platforms have the same.
func (r *reader) nativeManifest(ctx context.Context, d Descriptor) error {
	if r.a.Manifest != nil {
		if found := DigestOf(r.a.Text); found != d.Digest {
			return &MismatchError{What: "the plugin's manifest differs between platforms", Want: found.String(), Found: d.Digest.String()}
		}
		return nil
	}
	text, err := r.blob(ctx, d, "the plugin's manifest", MaxManifest)
	if err != nil {
		return err
	}
	r.a.Text = text
	r.a.Manifest, err = lock.ParseManifest(text)
	return err
}

// fits holds a layer to what the plugin's manifest says of the executable.
func fits(said lock.Native, layer Descriptor) error {
	if Digest(said.SHA256) != layer.Digest {
		return &MismatchError{What: "executable " + said.File, Want: Digest(said.SHA256).String(), Found: layer.Digest.String()}
	}
	if said.Size > 0 && said.Size != layer.Size {
		return &MismatchError{What: "executable " + said.File, Want: fmt.Sprintf("%d bytes", said.Size), Found: fmt.Sprintf("%d bytes", layer.Size)}
	}
	return layer.within("executable", MaxExecutable)
}
