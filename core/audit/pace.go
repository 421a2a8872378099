package audit

import (
	"slices"

	"paceline/core/sample"
)

// pace is how long a turn took per unit of output after its first chunk, in nanoseconds: the median gap between its chunks,
// times the gaps, over the units. ok is false where the answer has fewer than two units. An answer that came in one piece took
// no time.
func pace(s *sample.Sample, tokens bool) (ns int64, ok bool) {
	var gaps []uint64
	var size, first uint64
	for c := range s.Chunks.All() {
		if size == 0 {
			first = c.Bytes
		} else {
			gaps = append(gaps, c.GapMicros)
		}
		size += c.Bytes
	}
	units := int64(size - first)
	if tokens {
		units = int64(s.Answer.Usage.CompletionTokens) - 1
	} else if len(gaps) == 0 {
		units = int64(size) - 1
	}
	if units < 1 {
		return 0, false
	}
	if len(gaps) == 0 {
		return 0, true
	}
	slices.Sort(gaps)
	return int64(gaps[len(gaps)/2]) * 1000 * int64(len(gaps)) / units, true
}

// counted says whether the target told the tokens of every pair in both passes.
func counted(all []pair) bool {
	for _, p := range all {
		for _, s := range p.both {
			if !s.Answer.Usage.Reported {
				return false
			}
		}
	}
	return len(all) > 0
}
