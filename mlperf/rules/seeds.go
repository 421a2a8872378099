package rules

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paceline/plugins/strict"
)

//go:embed data/seed_sets.json
var seedSets []byte

// SeedSet is a published set of seeds. Seeds are unsigned and use all 64 bits: they are text in JSON, since readers that take
// numbers for float64 or int64 change them.
type SeedSet struct {
	ID          string `json:"id"`
	Cohort      Cohort `json:"cohort"` // in which it was published
	Scheduler   uint64 `json:"scheduler_rng_seed,string"`
	SampleIndex uint64 `json:"sample_index_rng_seed,string"`
	Model       uint64 `json:"model_seed,string"`
}

// adoption is for how many cohorts a set may be taken, its own included.
const adoption = 4

// Serves says whether submissions to that cohort may use the set.
func (s SeedSet) Serves(c Cohort) bool {
	n := c.Since(s.Cohort)
	return n >= 0 && n < adoption
}

// SeedSets are the sets that are known.
type SeedSets []SeedSet

// KnownSeedSets are those that this version of the rules comes with, and those of a file of the same form, which may be empty.
func KnownSeedSets(file []byte) (SeedSets, error) {
	all, err := parseSeedSets(seedSets)
	if err != nil || len(file) == 0 {
		return all, err
	}
	more, err := parseSeedSets(file)
	if err != nil {
		return nil, err
	}
	for _, s := range more {
		known, err := all.Find(s.ID)
		if err == nil && known != s {
			return nil, fmt.Errorf("seed set %q differs from the one that was published", s.ID)
		}
		if err != nil {
			all = append(all, s)
		}
	}
	return all, nil
}

func parseSeedSets(file []byte) (SeedSets, error) {
	var doc struct {
		Schema string    `json:"schema"`
		Sets   []SeedSet `json:"seed_sets"`
	}
	if err := strict.Decode(file, &doc); err != nil {
		return nil, fmt.Errorf("seed sets: %w", err)
	}
	if doc.Schema != "paceline/seed-sets/v1" || len(doc.Sets) == 0 {
		return nil, errors.New(`seed sets: want "schema": "paceline/seed-sets/v1" and at least one of "seed_sets"`)
	}
	for i, s := range doc.Sets {
		if s.ID == "" || s.Cohort == (Cohort{}) {
			return nil, fmt.Errorf("seed sets: seed_sets[%d] wants id and cohort", i)
		}
	}
	return doc.Sets, nil
}

// Find is the set of that id.
func (all SeedSets) Find(id string) (SeedSet, error) {
	var known []string
	for _, s := range all {
		if s.ID == id {
			return s, nil
		}
		known = append(known, s.ID)
	}
	return SeedSet{}, fmt.Errorf("seed set %q is not known (known: %s)", id, strings.Join(known, ", "))
}

// For is the newest set that serves a cohort.
func (all SeedSets) For(c Cohort) (SeedSet, error) {
	var best *SeedSet
	for i, s := range all {
		if s.Serves(c) && (best == nil || s.Cohort.Since(best.Cohort) > 0) {
			best = &all[i]
		}
	}
	if best == nil {
		return SeedSet{}, fmt.Errorf("no known seed set serves cohort %s (known: %s)", c, all)
	}
	return *best, nil
}

// String names the sets with the cohorts that they serve.
func (all SeedSets) String() string {
	var list []string
	for _, s := range all {
		list = append(list, fmt.Sprintf("%s for %s to %s", s.ID, s.Cohort, s.Cohort.Plus(adoption-1)))
	}
	return strings.Join(list, ", ")
}

// MarshalFile is a file that KnownSeedSets reads.
func (all SeedSets) MarshalFile() ([]byte, error) {
	return json.MarshalIndent(map[string]any{"schema": "paceline/seed-sets/v1", "seed_sets": []SeedSet(all)}, "", "  ")
}
