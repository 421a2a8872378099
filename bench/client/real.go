package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// recorder is the journal; measuring begins when the scheduler's load does, and what the plans cost the journal is over
// by then.
type recorder struct {
	*journal.Writer
	begin func()
}

// Planned implements the scheduler's Recorder. It is called off the timed path, before the load starts.
func (r *recorder) Planned(t *trajectory.Trajectory, repeat uint32) {
	r.Writer.Planned(t, repeat)
	_ = r.Writer.Flush() // an error comes again from the next Flush
}

// Phase implements the scheduler's Recorder.
func (r *recorder) Phase(p sample.Phase, at sample.Offset) {
	if p == sample.Measure {
		r.begin()
	}
	r.Writer.Phase(p, at)
}

// real plays role B: the runner's own path from the scheduler to the journal's files.
func real(ctx context.Context, o *Options) (_ *Measured, err error) {
	dir, err := os.MkdirTemp("", "paceline-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: "http://" + o.Address + "/v1"}, epoch)
	if err != nil {
		return nil, err
	}
	defer client.Close()

	// The first run opens the connections; the second one is measured from the start of its load until its last record is
	// in the journal's file.
	if _, _, err := o.replay(ctx, client, epoch, filepath.Join(dir, "warm"), o.trajectories(1), o.Users, func() {}); err != nil {
		return nil, fmt.Errorf("warm up: %w", err)
	}
	var m meter
	var faulty error
	folder, list := filepath.Join(dir, "run"), o.trajectories(turnsEach)
	w, turns, err := o.replay(ctx, client, epoch, folder, list, o.Users*o.conversations(), func() { faulty = m.begin(o) })
	if err = errors.Join(err, faulty); err != nil {
		return nil, err
	}
	found, err := m.end(turns)
	if err != nil {
		return nil, err
	}
	if found.Lost = w.Lost(); found.Lost > 0 {
		return nil, fmt.Errorf("the journal lost %d records", found.Lost)
	}
	return found, fromJournal(found, folder, o)
}

// replay plays so many conversations and returns the closed journal with how many turns were good; all of them are.
func (o *Options) replay(ctx context.Context, client *endpoint.Client, epoch time.Time, dir string, list memory, conversations int, measure func()) (*journal.Writer, int, error) {
	if err := journal.Create(dir); err != nil {
		return nil, 0, err
	}
	w, err := journal.NewWriter(dir, journal.Options{Head: journal.Head{Run: "bench", Epoch: epoch, Build: "bench"}, Workload: "bench/memory"})
	if err != nil {
		return nil, 0, err
	}
	salt, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		return nil, 0, err
	}
	config := sched.Config{
		Workload: "bench/memory", Info: trajectory.Info{Trajectories: uint64(len(list)), Fixed: true},
		Users: load.Constant(o.Users), Budget: uint64(conversations), Seed: 1, Salt: salt, Wire: o.wire(), MaxTokens: maxTokens,
		Duration: o.limit(), Grace: -1,
	}
	result, err := sched.Run(ctx, sched.Needs{Source: list, Issuer: client, Recorder: &recorder{w, measure}}, config, epoch)
	if err = errors.Join(err, w.Flush()); err != nil {
		return nil, 0, err
	}
	turns := int(result.Counts.TurnsOK)
	ending := journal.Ending{At: sample.At(epoch, time.Now()), Reason: journal.Reason(result.Reason)}
	if err := w.Close(ending); err != nil {
		return nil, 0, err
	}
	if want := conversations * len(list[0].Turns); turns != want {
		return nil, 0, fmt.Errorf("%d turns of %d succeeded, %d failed (%s)", turns, want, result.Counts.TurnsFailed, result.Reason)
	}
	return w, turns, nil
}

// fromJournal adds what only the samples tell.
func fromJournal(m *Measured, dir string, o *Options) error {
	run, err := journal.Read(dir)
	if err != nil {
		return err
	}
	var late, burst []time.Duration
	opening := sample.Unset
	for _, p := range run.Phases {
		if p.Phase == sample.Measure {
			opening = p.At
		}
	}
	chunks, reads := 0, 0
	for i := range run.Samples {
		s := &run.Samples[i]
		if d, ok := s.Timing.Sent.Since(s.Timing.Due); ok && s.Timing.Due == opening {
			burst = append(burst, d)
		} else if ok {
			late = append(late, d)
		}
		first := true
		for c := range s.Chunks.All() {
			chunks++
			if first || c.GapMicros > 0 { // chunks of one read have one stamp
				reads++
			}
			first = false
		}
	}
	m.LateP50, m.LateP99, m.Burst = micros(quantile(late, 50)), micros(quantile(late, 99)), micros(quantile(burst, 100))
	if reads > 0 {
		m.ChunksPerRead = round2(float64(chunks) / float64(reads))
	}
	if !o.NoStream && chunks != m.Turns*o.Chunks {
		return fmt.Errorf("the journal holds %d chunks, the stub sent %d", chunks, m.Turns*o.Chunks)
	}
	return nil
}
