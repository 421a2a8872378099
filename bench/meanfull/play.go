package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// playAll plays what the file does not have yet, several runs at a time, and appends each to it in the order of the runs, so that
// the same experiment gives the same file. Without a name there is no file.
func (b *Bench) playAll(ctx context.Context, runs []Run, name string, workers int, progress io.Writer) ([]Record, error) {
	f, records, err := b.open(name, runs)
	if err != nil {
		return nil, err
	}
	if f != nil {
		defer f.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	had, began := len(records), time.Now()
	done := make([]chan Record, len(runs)) // one for each run
	for i := range done {
		done[i] = make(chan Record, 1)
	}
	next := atomic.Int64{} // the next run that nobody plays
	next.Store(int64(had))
	for range workers {
		wg.Go(func() {
			if err := b.work(ctx, runs, &next, done); err != nil {
				cancel(err)
			}
		})
	}
	for len(records) < len(runs) {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case r := <-done[len(records)]:
			records = append(records, r)
			if err := keep(f, &r); err != nil {
				return nil, err
			}
			tell(progress, &r, len(records), len(runs), time.Since(began)/time.Duration(len(records)-had))
		}
	}
	return records, nil
}

// work plays runs until none is left.
func (b *Bench) work(ctx context.Context, runs []Run, next *atomic.Int64, done []chan Record) error {
	for i := next.Add(1) - 1; i < int64(len(runs)); i = next.Add(1) - 1 {
		r, err := b.play(ctx, runs[i])
		if err != nil {
			return fmt.Errorf("%+v: %w", runs[i], err)
		}
		done[i] <- Record{runs[i], r}
	}
	return nil
}

func keep(f *os.File, r *Record) error {
	if f == nil {
		return nil
	}
	_, err := fmt.Fprintln(f, strings.Join(r.row(), ","))
	return err
}

// open reads the file and puts it in order.
func (b *Bench) open(name string, runs []Run) (*os.File, []Record, error) {
	if name == "" {
		return nil, nil, nil
	}
	records, err := b.readRows(name, runs)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(name, b.rows(records), 0o644); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	return f, records, err
}

func tell(w io.Writer, r *Record, done, all int, each time.Duration) {
	fmt.Fprintf(w, "%4d of %d, about %v left: %s, %d users, KV x %v, seed %d, %s: %.0f tok/s\n",
		done, all, (each * time.Duration(all-done)).Round(time.Second), r.Profile, r.Users, r.Factor, r.Seed, r.Mode, r.rate())
}
