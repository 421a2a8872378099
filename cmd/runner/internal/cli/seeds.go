package cli

import (
	"fmt"
	"os"
	"strconv"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
	"paceline/mlperf/rules"
)

// maxSeedSets bounds a file of seed sets in bytes.
const maxSeedSets = 1 << 20

// seedSet finds the published set of seeds that a run is bound to; nil: it is bound to none. No set is ever guessed.
func seedSet(s config.Seeds) (*journal.Seeds, error) {
	if s.Cohort == "" {
		return nil, nil //nolint:nilnil // no cohort is no error
	}
	cohort, err := rules.ParseCohort(s.Cohort)
	if err != nil {
		return nil, fail(exitUsage, fmt.Errorf("seeds.cohort: %w", err))
	}
	var file []byte
	if s.Sets != "" {
		if file, err = readSeedSets(s.Sets); err != nil {
			return nil, fail(exitInput, err)
		}
	}
	all, err := rules.KnownSeedSets(file)
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("%s: %w", s.Sets, err))
	}
	set, err := all.For(cohort)
	if err != nil {
		return nil, failHint(exitInput, err, "a newer set comes as a file: --seed-sets FILE, in the form of paceline/seed-sets/v1 (docs/mlperf.md)")
	}
	return &journal.Seeds{
		ID: set.ID, Cohort: set.Cohort.String(), Target: cohort.String(), Scheduler: strconv.FormatUint(set.Scheduler, 10),
		SampleIndex: strconv.FormatUint(set.SampleIndex, 10), Model: strconv.FormatUint(set.Model, 10),
	}, nil
}

func readSeedSets(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read seed sets: %w", err)
	case info.Size() == 0 || info.Size() > maxSeedSets:
		return nil, fmt.Errorf("read seed sets: %s has %d bytes; want 1 to %d", path, info.Size(), maxSeedSets)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read seed sets: %w", err)
	}
	return text, nil
}

// bindSeeds finds the run's set and its seed: the one given, else the set's scheduler seed, else one that is drawn.
func (b *builder) bindSeeds() (err error) {
	if b.stage.seeds, err = seedSet(b.run.Seeds); err != nil {
		return err
	}
	text := b.run.Seed
	if text == "" && b.stage.seeds != nil {
		text = b.stage.seeds.Scheduler
	}
	if b.stage.seed, err = seedOf(text); err != nil {
		return fail(exitUsage, err)
	}
	return nil
}
