package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	godigest "github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"paceline/plugins/artifact"
)

// Options say how a registry is spoken to.
type Options struct {
	// PlainHTTP speaks http also to a registry that is not on the loopback.
	PlainHTTP bool
}

// Repository is one repository of a registry. It is an artifact.Source.
type Repository struct {
	name string
	repo *remote.Repository
}

// Limits of one request. A body may come slowly, since modules are large and lines are not.
const (
	dialLimit    = 15 * time.Second
	headLimit    = time.Minute
	requestLimit = 15 * time.Minute
	maxPages     = 16
)

// Open names a repository; nothing is sent yet. Credentials come from the Docker configuration when the registry asks.
func Open(ref artifact.Ref, o Options) (*Repository, error) {
	repo, err := remote.NewRepository(ref.Repository)
	if err != nil {
		return nil, fmt.Errorf("registry %s: %w", ref.Repository, err)
	}
	host := repo.Reference.Host()
	local := isLoopback(host)
	repo.PlainHTTP = o.PlainHTTP || local
	repo.MaxMetadataBytes = artifact.MaxManifest
	repo.ReferrerListMaxPages = maxPages
	repo.SkipReferrersGC = true
	client := &auth.Client{Client: httpClient(), Cache: auth.NewCache(), Credential: credential}
	client.SetUserAgent("paceline")
	if local { // a token service beside a registry on this machine is no surprise
		client.BlockedRealmPrefixes = []netip.Prefix{}
	}
	repo.Client = client
	return &Repository{name: ref.Repository, repo: repo}, nil
}

func isLoopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// credential asks the Docker configuration, and through it credential helpers. What it finds is never shown, and neither is the
// text of its errors, which might hold some of it.
func credential(ctx context.Context, hostport string) (auth.Credential, error) {
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return auth.EmptyCredential, errors.New("the Docker configuration (DOCKER_CONFIG, or .docker/config.json in the home folder) cannot be read")
	}
	c, err := credentials.Credential(store)(ctx, hostport)
	if err != nil {
		return auth.EmptyCredential, fmt.Errorf("the Docker configuration, or a credential helper that it names, gives no credentials for %s", hostport)
	}
	return c, nil
}

func httpClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck // it is one
	t.DialContext = (&net.Dialer{Timeout: dialLimit}).DialContext
	t.TLSHandshakeTimeout = dialLimit
	t.ResponseHeaderTimeout = headLimit
	t.MaxResponseHeaderBytes = 1 << 20
	return &http.Client{Transport: t, CheckRedirect: redirect, Timeout: requestLimit}
}

// redirect follows a registry to where it keeps its content: over https to any host, which gets no credentials, and without
// encryption on the same host only.
func redirect(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	switch {
	case len(before) > 5:
		return errors.New("more than 5 redirections")
	case next.URL.Scheme == first.Scheme && next.URL.Host == first.Host:
		return nil
	case first.Scheme != "https" || next.URL.Scheme != "https" || isLoopback(next.URL.Host):
		return fmt.Errorf("the registry sends us elsewhere, to %s://%s, which is not followed", clean(next.URL.Scheme), clean(next.URL.Host))
	}
	next.Header.Del("Authorization")
	return nil
}

// Resolve asks the registry for what a tag means now, or for a digest's size.
func (r *Repository) Resolve(ctx context.Context, want string) (artifact.Descriptor, error) {
	if want == "" {
		return artifact.Descriptor{}, fmt.Errorf("registry %s: name a tag or a digest, e.g. oci://%s:1.0.0", r.name, r.name)
	}
	d, err := r.repo.Resolve(ctx, want)
	if err != nil {
		return artifact.Descriptor{}, r.failed("ask for "+want, err)
	}
	return r.descriptor(d)
}

func (r *Repository) descriptor(d ocispec.Descriptor) (artifact.Descriptor, error) {
	sum, err := artifact.ParseDigest(d.Digest.String())
	if err != nil {
		return artifact.Descriptor{}, fmt.Errorf("registry %s: %w", r.name, err)
	}
	return artifact.Descriptor{MediaType: d.MediaType, Digest: sum, Size: d.Size, ArtifactType: d.ArtifactType}, nil
}

func theirs(d artifact.Descriptor) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: d.MediaType, Digest: godigest.Digest(d.Digest.String()), Size: d.Size}
}

// Blob fetches content; its bytes are those of the descriptor.
func (r *Repository) Blob(ctx context.Context, d artifact.Descriptor) ([]byte, error) {
	body, err := r.repo.Fetch(ctx, theirs(d))
	if err != nil {
		return nil, r.failed("fetch "+d.Digest.String(), err)
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, d.Size+1))
	if err != nil {
		return nil, r.failed("fetch "+d.Digest.String(), err)
	}
	if int64(len(data)) > d.Size {
		return nil, fmt.Errorf("registry %s: fetch %s: more than the %d bytes that were promised", r.name, d.Digest, d.Size)
	}
	return data, d.Check("registry "+r.name, data)
}

// errEnough ends a list that grows beyond its limit.
var errEnough = fmt.Errorf("more than %d signatures", artifact.MaxReferrers)

// Referrers lists the signatures over root.
func (r *Repository) Referrers(ctx context.Context, root artifact.Descriptor) ([]artifact.Descriptor, error) {
	var list []artifact.Descriptor
	err := r.repo.Referrers(ctx, theirs(root), artifact.TypeSignature, func(page []ocispec.Descriptor) error {
		for _, d := range page {
			if d.ArtifactType != artifact.TypeSignature {
				continue
			}
			one, err := r.descriptor(d)
			if err != nil {
				return err
			}
			if list = append(list, one); len(list) > artifact.MaxReferrers {
				return errEnough
			}
		}
		return nil
	})
	if err != nil {
		return nil, r.failed("list the signatures of "+root.Digest.String(), err)
	}
	return list, nil
}

// Push uploads a plugin with its signatures and gives its root the tag, which may be empty.
func (r *Repository) Push(ctx context.Context, a *artifact.Artifact, tag string) error {
	for _, b := range a.Blobs {
		if err := r.push(ctx, a, b, tag); err != nil {
			return r.failed("push "+b.Digest.String(), err)
		}
	}
	return nil
}

func (r *Repository) push(ctx context.Context, a *artifact.Artifact, b artifact.Blob, tag string) error {
	d := theirs(b.Descriptor)
	if b.Digest == a.Root.Digest && tag != "" {
		return r.repo.PushReference(ctx, d, bytes.NewReader(b.Data), tag)
	}
	there, err := r.repo.Exists(ctx, d)
	if err != nil || there {
		return err
	}
	return r.repo.Push(ctx, d, bytes.NewReader(b.Data))
}
