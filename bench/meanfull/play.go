package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
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
	defer cancel(nil)
	done := make([]chan Record, len(runs)) // one for each run
	for i := range done {
		done[i] = make(chan Record, 1)
	}
	next, began, had := len(records), time.Now(), len(records)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(runs) {
					return
				}
				r, err := b.play(ctx, runs[i])
				if err != nil {
					cancel(fmt.Errorf("%+v: %w", runs[i], err))
					return
				}
				done[i] <- Record{runs[i], r}
			}
		})
	}
	defer wg.Wait()
	for len(records) < len(runs) {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case r := <-done[len(records)]:
			records = append(records, r)
			if f != nil {
				if _, err := fmt.Fprintln(f, strings.Join(r.row(), ",")); err != nil {
					cancel(err)
					return nil, err
				}
			}
			tell(progress, &r, len(records), len(runs), time.Since(began)/time.Duration(len(records)-had))
		}
	}
	return records, nil
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
