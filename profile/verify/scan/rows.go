package main

import (
	"os"
	"slices"

	"paceline/profile/rows"
	"paceline/workloads/profiles/shape"
)

// resampled draws traces of a file, each as likely as the others.
type resampled []shape.Trace

func rowsOf(file string) (resampled, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all resampled
	_, err = rows.Read(f, func(t *shape.Trace) {
		all = append(all, shape.Trace{Input: t.Input, Final: t.Final, Turns: slices.Clone(t.Turns)})
	})
	return all, err
}

// Draw implements shape.Source.
func (all resampled) Draw(r *shape.Random, t *shape.Trace) {
	from := all[uint64(r.Chance())*uint64(len(all))>>32]
	t.Reset()
	t.Input, t.Final, t.Turns = from.Input, from.Final, append(t.Turns, from.Turns...)
}
