package artifact

import (
	"context"
	"fmt"
	"slices"

	"paceline/plugins/sign"
)

// signatures reads the envelopes that refer to the plugin. Bytes that are not the promised ones are an error; a manifest that
// is no signature of ours is left out and told, since anybody who may write to a repository can add one.
func (r *reader) signatures(ctx context.Context) error {
	list, err := r.src.Referrers(ctx, r.a.Root)
	if err != nil {
		return fmt.Errorf("signatures: %w", err)
	}
	if len(list) > MaxReferrers {
		return fmt.Errorf("signatures: %d, and at most %d are allowed", len(list), MaxReferrers)
	}
	slices.SortFunc(list, func(a, b Descriptor) int { return slices.Compare(a.Digest[:], b.Digest[:]) })
	for _, d := range list {
		if err := r.signature(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) signature(ctx context.Context, d Descriptor) error {
	doc, err := r.document(ctx, d)
	if err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	if doc.Subject == nil || doc.Subject.Digest != r.a.Root.Digest || len(doc.Layers) != 1 || doc.Layers[0].MediaType != TypeSignature {
		r.a.Faults = append(r.a.Faults, fmt.Errorf("signature %s: not one over this plugin with one layer %s", d.Digest, TypeSignature))
		return nil
	}
	if doc.Config != nil {
		if _, err := r.blob(ctx, *doc.Config, "signature's configuration", sign.MaxEnvelope); err != nil {
			return err
		}
	}
	envelope, err := r.blob(ctx, doc.Layers[0], "signature", sign.MaxEnvelope)
	if err != nil {
		return err
	}
	b := doc.blob
	b.ArtifactType = TypeSignature
	r.a.Signatures = append(r.a.Signatures, r.a.add(b))
	r.a.Envelopes = append(r.a.Envelopes, envelope)
	return nil
}
