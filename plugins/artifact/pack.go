package artifact

import (
	"fmt"
	"slices"
	"strings"

	"paceline/plugins/lock"
)

// Artifact is a plugin as OCI content.
type Artifact struct {
	Root       Descriptor
	Blobs      []Blob       // what is referred to stands before what refers to it
	Signatures []Descriptor // of the signatures' manifests, which are among the blobs
	Envelopes  [][]byte     // the signatures themselves

	Name       string         // of the module's file
	Module     []byte         // of a wasm plugin
	Manifest   *lock.Manifest // of a native plugin
	Text       []byte         // of that manifest
	Executable []byte         // of this platform; nil: it was not asked for
	Faults     []error        // what is wrong with signatures that were left out
}

// created is the time that a configuration has to name. It is always the same, so that equal plugins have equal bytes.
const created = "1970-01-01T00:00:00Z"

// wasmConfig is the configuration of a wasm artifact.
type wasmConfig struct {
	Created      string   `json:"created"`
	Architecture string   `json:"architecture"`
	OS           string   `json:"os"`
	LayerDigests []Digest `json:"layerDigests"`
}

func (a *Artifact) add(b Blob) Descriptor {
	if !slices.ContainsFunc(a.Blobs, func(have Blob) bool { return have.Digest == b.Digest }) {
		a.Blobs = append(a.Blobs, b)
	}
	return b.Descriptor
}

// PackWasm packs a module whose manifest has that name.
func PackWasm(module []byte, name string) (*Artifact, error) {
	if len(module) > MaxModule {
		return nil, fmt.Errorf("module: %d bytes, and at most %d are allowed", len(module), MaxModule)
	}
	a := &Artifact{Module: module, Name: name + ".wasm"}
	layer := a.add(blobOf(typeWasm, module))
	layer.Annotations = map[string]string{annotationTitle: a.Name}
	config, err := encoded(typeWasmConf, wasmConfig{Created: created, Architecture: "wasm", OS: "wasip1", LayerDigests: []Digest{layer.Digest}})
	if err != nil {
		return nil, err
	}
	conf := a.add(config)
	root, err := encoded(typeManifest, document{SchemaVersion: 2, MediaType: typeManifest, Config: &conf, Layers: []Descriptor{layer}})
	if err != nil {
		return nil, err
	}
	a.Root = a.add(root)
	return a, nil
}

// PackNative packs a native plugin: its manifest, and the executable of each platform as read gives it.
func PackNative(text []byte, read func(lock.Native) ([]byte, error)) (*Artifact, error) {
	m, err := lock.ParseManifest(text)
	if err != nil {
		return nil, err
	}
	if len(m.Native) == 0 || len(m.Native) > MaxPlatforms {
		return nil, fmt.Errorf("manifest: %d executables, and from 1 to %d are allowed", len(m.Native), MaxPlatforms)
	}
	a := &Artifact{Manifest: m, Text: text}
	conf := a.add(blobOf(typeNativeMan, text))
	index := document{SchemaVersion: 2, MediaType: typeIndex, ArtifactType: typeNative}
	platforms := slices.Clone(m.Native)
	slices.SortFunc(platforms, func(x, y lock.Native) int { return strings.Compare(x.OS+"/"+x.Arch, y.OS+"/"+y.Arch) })
	for _, n := range platforms {
		code, err := read(n)
		if err != nil {
			return nil, err
		}
		layer := a.add(blobOf(typeExec, code))
		if err := fits(n, layer); err != nil {
			return nil, err
		}
		layer.Annotations = map[string]string{annotationTitle: n.File}
		one, err := encoded(typeManifest, document{SchemaVersion: 2, MediaType: typeManifest, ArtifactType: typeNative, Config: &conf, Layers: []Descriptor{layer}})
		if err != nil {
			return nil, err
		}
		d := a.add(one)
		d.Platform = &Platform{Architecture: n.Arch, OS: n.OS}
		index.Manifests = append(index.Manifests, d)
	}
	root, err := encoded(typeIndex, index)
	if err != nil {
		return nil, err
	}
	a.Root = a.add(root)
	return a, nil
}

// AddSignature adds an envelope as a manifest that refers to the plugin.
func (a *Artifact) AddSignature(envelope []byte) error {
	config := a.add(blobOf(TypeSignature, []byte("{}"))) // some registries take its type for that of the whole
	layer := a.add(blobOf(TypeSignature, envelope))
	subject := Descriptor{MediaType: a.Root.MediaType, Digest: a.Root.Digest, Size: a.Root.Size}
	m, err := encoded(typeManifest, document{SchemaVersion: 2, MediaType: typeManifest, ArtifactType: TypeSignature,
		Config: &config, Layers: []Descriptor{layer}, Subject: &subject})
	if err != nil {
		return err
	}
	m.ArtifactType = TypeSignature
	if d := a.add(m); !slices.ContainsFunc(a.Signatures, func(have Descriptor) bool { return have.Digest == d.Digest }) {
		a.Signatures = append(a.Signatures, d)
		a.Envelopes = append(a.Envelopes, envelope)
	}
	return nil
}

// Head is the file that signatures are over, with its name: the module, or the manifest of a native plugin.
func (a *Artifact) Head() (name string, data []byte) {
	if a.Manifest != nil {
		return a.Manifest.Name + ".manifest.json", a.Text
	}
	return a.Name, a.Module
}

// fileName takes the name of a module's file as it was told, if it is one of a module, and never a path.
func fileName(d Descriptor, otherwise string) string {
	name := d.Annotations[annotationTitle]
	if !IsFileName(name) || !strings.HasSuffix(name, ".wasm") {
		return otherwise
	}
	return name
}

// IsFileName accepts plain names that may be written into a folder: no path, nothing hidden, nothing that a shell or a terminal
// would take for more than a name.
func IsFileName(s string) bool {
	return s != "" && len(s) <= 128 && s[0] != '.' && s[0] != '-' &&
		only(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+")
}
