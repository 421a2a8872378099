package conformance

import (
	"iter"
	"maps"
	"slices"
)

// inOrder ranges over a map by its sorted keys, so that of several faults the same one is told each time.
func inOrder[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
