package journal

import (
	"fmt"
	"path/filepath"

	"paceline/core/digest"
)

// HeadDigest is the digest of a run's head: of the first record of its first segment, the line without its end. That record
// carries the digests of run.json, where configuration, seed and target stand, and of the lock; so the digest, told before
// the first request of the load, binds all of them.
func HeadDigest(dir string) (digest.SHA256, error) {
	path := filepath.Join(dir, SegmentFile(1))
	for r, err := range Lines(path) {
		if err != nil {
			return digest.SHA256{}, fmt.Errorf("read the head of %s: %w", path, err)
		}
		if kind, err := kindOf(r.Line); err != nil || kind != "head" {
			return digest.SHA256{}, fmt.Errorf("%s: %w", path, errHead)
		}
		return digest.Of(r.Line), nil
	}
	return digest.SHA256{}, fmt.Errorf("%s: %w", path, errHead)
}
