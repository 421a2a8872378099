package artifact

import (
	"fmt"
	"os"
	"strings"
)

// scheme begins a reference to a registry.
const scheme = "oci://"

// layoutSource is how a lock names content that came from a layout, whose path says nothing elsewhere.
const layoutSource = "layout"

// Ref is a reference to content: in a registry, or in a layout.
type Ref struct {
	Repository string  // HOST/NAME of a registry; empty: a layout
	Path       string  // of a layout's folder or tar file
	Tag        string  // may be empty
	Digest     *Digest // nil: none is given
}

// IsRef reports whether a source is a registry's or a layout's, and not a plugin's own file.
func IsRef(text string) bool {
	if strings.HasPrefix(text, scheme) {
		return true
	}
	path, _, _, err := cutRef(text)
	return err == nil && isLayout(path)
}

// isLayout reports whether a path is one that only a layout can be.
func isLayout(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return strings.HasSuffix(path, ".tar") || strings.HasSuffix(path, "/")
	}
	return info.IsDir() || strings.HasSuffix(path, ".tar")
}

// ParseRef reads oci://HOST/NAME[:TAG][@sha256:HEX] or PATH[:TAG][@sha256:HEX].
func ParseRef(text string) (Ref, error) {
	rest, remote := strings.CutPrefix(text, scheme)
	place, tag, d, err := cutRef(rest)
	if err != nil {
		return Ref{}, fmt.Errorf("source %q: %w", cutText(text), err)
	}
	if !remote {
		if place == "" {
			return Ref{}, fmt.Errorf("source %q: no path", cutText(text))
		}
		return Ref{Path: strings.TrimSuffix(place, "/"), Tag: tag, Digest: d}, nil
	}
	host, name, ok := strings.Cut(place, "/")
	if !ok || host == "" || !isRepository(name) || strings.ContainsAny(host, "@?#% \\") {
		return Ref{}, fmt.Errorf("source %q: oci://HOST/NAME[:TAG][@sha256:HEX] is expected, with a name in lower case", cutText(text))
	}
	return Ref{Repository: place, Tag: tag, Digest: d}, nil
}

// cutRef takes the digest and the tag off a reference.
func cutRef(text string) (place, tag string, d *Digest, err error) {
	place, digits, ok := strings.Cut(text, "@sha256:")
	if ok {
		parsed, err := ParseDigest("sha256:" + digits)
		if err != nil {
			return "", "", nil, err
		}
		d = &parsed
	}
	if colon := strings.LastIndexByte(place, ':'); colon > strings.LastIndexByte(place, '/') {
		place, tag = place[:colon], place[colon+1:]
		if !isTag(tag) {
			return "", "", nil, fmt.Errorf("%q is no tag", cutText(tag))
		}
	}
	return place, tag, d, nil
}

func isTag(s string) bool {
	if s == "" || len(s) > 128 || s[0] == '.' || s[0] == '-' {
		return false
	}
	return only(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
}

func isRepository(s string) bool {
	if len(s) > 255 {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || !only(part, "abcdefghijklmnopqrstuvwxyz0123456789_.-") {
			return false
		}
	}
	return true
}

func only(s, alphabet string) bool {
	return strings.Trim(s, alphabet) == ""
}

// Remote reports whether it is a registry's.
func (r Ref) Remote() bool { return r.Repository != "" }

// String is the reference without its digest.
func (r Ref) String() string {
	text := r.Path
	if r.Remote() {
		text = scheme + r.Repository
	}
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	return text
}

// From is the reference with its digest, if it has one, so that the same can be fetched again.
func (r Ref) From() string {
	if r.Digest != nil {
		return r.String() + "@" + r.Digest.String()
	}
	return r.String()
}

// Pinned is how a lock names the content: by its digest, whatever its tag says later.
func (r Ref) Pinned(d Digest) string {
	if r.Remote() {
		return r.String() + "@" + d.String()
	}
	return layoutSource + "@" + d.String()
}

// Want is what a source is asked for: the digest, else the tag.
func (r Ref) Want() string {
	if r.Digest != nil {
		return r.Digest.String()
	}
	return r.Tag
}

// LockedDigest is the digest that a lock's source pins for this reference; the other values are not concerned.
func (r Ref) LockedDigest(source string) (Digest, bool) {
	name, digits, ok := strings.Cut(source, "@")
	d, err := ParseDigest(digits)
	if !ok || err != nil {
		return Digest{}, false
	}
	return d, r.Remote() && name == r.String() || !r.Remote() && name == layoutSource
}

// TagOf makes a tag of a plugin's version: a tag may hold no plus sign.
func TagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }
