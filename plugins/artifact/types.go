package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paceline/core/digest"
)

// Media types.
const (
	typeManifest  = "application/vnd.oci.image.manifest.v1+json"
	typeIndex     = "application/vnd.oci.image.index.v1+json"
	typeWasmConf  = "application/vnd.wasm.config.v0+json"
	typeWasm      = "application/wasm"
	typeNative    = "application/vnd.paceline.plugin.native.v1"
	typeNativeMan = "application/vnd.paceline.manifest.v1+json"
	typeExec      = "application/vnd.paceline.executable.v1"
	// TypeSignature is the artifact type of a signature, and the media type of its configuration and its layer.
	TypeSignature = "application/vnd.dsse.envelope.v1+json"
)

// Limits, in bytes where nothing else is said.
const (
	MaxManifest   = 4 << 20
	MaxModule     = 64 << 20
	MaxExecutable = 256 << 20
	MaxPlatforms  = 32 // number
	MaxReferrers  = 32 // number
)

// annotationTag is where an index names the tag of an entry.
const annotationTag = "org.opencontainers.image.ref.name"

// annotationTitle is the name of a layer's file.
const annotationTitle = "org.opencontainers.image.title"

// Digest is a SHA-256 digest in OCI's form, sha256:HEX.
type Digest digest.SHA256

// DigestOf is the digest of data.
func DigestOf(data []byte) Digest { return Digest(digest.Of(data)) }

// ParseDigest reads sha256:HEX; other algorithms are refused.
func ParseDigest(text string) (Digest, error) {
	var d digest.SHA256
	digits, ok := strings.CutPrefix(text, "sha256:")
	if !ok || strings.ToLower(digits) != digits || d.UnmarshalText([]byte(digits)) != nil {
		return Digest{}, fmt.Errorf("%q is no digest: sha256: and 64 digits of lower-case hex are expected", cutText(text))
	}
	return Digest(d), nil
}

// String writes sha256:HEX.
func (d Digest) String() string { return "sha256:" + d.Hex() }

// Hex is the digest without its algorithm.
func (d Digest) Hex() string { return digest.SHA256(d).String() }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDigest(string(text))
	return err
}

// Descriptor names a blob: its kind, its digest and its size.
type Descriptor struct {
	MediaType    string            `json:"mediaType"`
	Digest       Digest            `json:"digest"`
	Size         int64             `json:"size"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	Platform     *Platform         `json:"platform,omitempty"`
	ArtifactType string            `json:"artifactType,omitempty"`
}

// Platform is what an executable runs on.
type Platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// document is a manifest or an index.
type document struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	ArtifactType  string            `json:"artifactType,omitempty"`
	Config        *Descriptor       `json:"config,omitempty"`
	Layers        []Descriptor      `json:"layers,omitempty"`
	Manifests     []Descriptor      `json:"manifests,omitempty"`
	Subject       *Descriptor       `json:"subject,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`

	blob Blob // the bytes that it was read from
}

// Blob is content with its descriptor.
type Blob struct {
	Descriptor
	Data []byte
}

func blobOf(mediaType string, data []byte) Blob {
	return Blob{Descriptor: Descriptor{MediaType: mediaType, Digest: DigestOf(data), Size: int64(len(data))}, Data: data}
}

func encoded(mediaType string, v any) (Blob, error) {
	data, err := json.Marshal(v)
	return blobOf(mediaType, data), err
}

// Source is where content is read from. What Blob gives has the descriptor's size and digest.
type Source interface {
	Blob(ctx context.Context, d Descriptor) ([]byte, error)
	// Referrers lists the manifests of signatures over root.
	Referrers(ctx context.Context, root Descriptor) ([]Descriptor, error)
}

// ErrNotFound says that a source does not have something.
var ErrNotFound = errors.New("not found")

// MismatchError says that bytes are not those that were promised.
type MismatchError struct {
	What        string
	Want, Found string
}

// Error shows both.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: %s was promised, found %s", e.What, e.Want, e.Found)
}

// Check holds bytes to the descriptor.
func (d Descriptor) Check(what string, data []byte) error {
	if found := DigestOf(data); found != d.Digest {
		return &MismatchError{What: what, Want: d.Digest.String(), Found: found.String()}
	}
	if int64(len(data)) != d.Size {
		return &MismatchError{What: what, Want: fmt.Sprintf("%d bytes", d.Size), Found: fmt.Sprintf("%d bytes", len(data))}
	}
	return nil
}

// within refuses a descriptor above a limit before anything is read.
func (d Descriptor) within(what string, limit int64) error {
	if d.Size < 0 || d.Size > limit {
		return fmt.Errorf("%s %s: %d bytes, and at most %d are allowed", what, d.Digest, d.Size, limit)
	}
	return nil
}

func cutText(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
