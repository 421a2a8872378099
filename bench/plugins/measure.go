package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"paceline/plugins/host"
)

// Report is the whole outcome.
type Report struct {
	Calls   []Call    `json:"calls"`
	Ratios  []Ratio   `json:"ratios"`
	Opens   []Open    `json:"opens,omitempty"`
	Scoring []Scoring `json:"scoring,omitempty"`
}

func measure(ctx context.Context, o *Options, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "paceline-plugins-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	text := out
	if o.asJSON {
		text = io.Discard
	}
	r, err := all(ctx, o, dir, text)
	if err != nil || !o.asJSON {
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func all(ctx context.Context, o *Options, dir string, out io.Writer) (*Report, error) {
	h, err := newHost(filepath.Join(dir, "cache"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = h.Close() }()
	r := &Report{}
	if r.Calls, err = calls(ctx, o, h, dir); err != nil {
		return nil, err
	}
	r.Ratios = ratios(r.Calls)
	printCalls(out, r.Calls)
	if o.Opens > 0 {
		if r.Opens, err = measureOpens(ctx, o, dir); err != nil {
			return nil, err
		}
		fmt.Fprintln(out)
		printOpens(out, r.Opens)
	}
	if o.Turns > 0 {
		if r.Scoring, err = measureScoring(ctx, h, o.Turns); err != nil {
			return nil, err
		}
		fmt.Fprintln(out)
		printScoring(out, r.Scoring)
	}
	return r, nil
}

func calls(ctx context.Context, o *Options, h *host.Host, dir string) ([]Call, error) {
	w, err := allWays(ctx, h, dir)
	defer w.close()
	if err != nil {
		return nil, err
	}
	return measureCalls(ctx, w, o.Rounds)
}
