package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func experiment(t *testing.T, args ...string) (*Options, *Bench) {
	t.Helper()
	o, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b, err := o.bench()
	if err != nil {
		t.Fatal(err)
	}
	return o, b
}

// TestGoesOnWhereItWas: a file that was cut in the middle of a row is completed to the same bytes.
func TestGoesOnWhereItWas(t *testing.T) {
	o, b := experiment(t, "--profiles", "office", "--users", "2,3", "--kv", "2", "--seeds", "2", "--length", "5m", "--workers", "3")
	name := filepath.Join(t.TempDir(), "rows.csv")
	records, err := b.playAll(t.Context(), o.runs(), name, o.Workers, io.Discard)
	if err != nil || len(records) != 8 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, whole[:len(whole)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	var progress bytes.Buffer
	again, err := b.playAll(t.Context(), o.runs(), name, 1, &progress)
	if err != nil || len(again) != 8 {
		t.Fatalf("%d records, %v", len(again), err)
	}
	if text, err := os.ReadFile(name); err != nil || !bytes.Equal(text, whole) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, text, whole)
	}
	if n := strings.Count(progress.String(), "\n"); n < 1 || n > 7 {
		t.Errorf("%d runs were played again", n)
	}
	first, second := tabulate(b, records), tabulate(b, again)
	if len(second.Rows) != 2 || second.Rows[1].Seeds != 2 || math.Abs(first.Rows[1].Ratio.Mean-second.Rows[1].Ratio.Mean) > 1e-6 {
		t.Errorf("%+v, then %+v", first.Rows, second.Rows)
	}
	other, otherBench := experiment(t, "--profiles", "office", "--users", "2", "--kv", "2", "--seeds", "2", "--length", "6m")
	if _, err := otherBench.playAll(t.Context(), other.runs(), name, 1, io.Discard); err == nil || !strings.Contains(err.Error(), "another experiment") {
		t.Errorf("rows of another experiment: %v", err)
	}
}

// TestPartsAddUp: every millisecond of a run is in one of the parts.
func TestPartsAddUp(t *testing.T) {
	o, b := experiment(t, "--profiles", "office", "--users", "4", "--kv", "0.5", "--seeds", "1", "--length", "5m")
	records, err := b.playAll(t.Context(), o.runs(), "", 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r := tabulate(b, records).Rows[0]
	for _, s := range []Side{r.Full, r.Mean} {
		if sum := s.Parts.Base + s.Parts.Prefill + s.Parts.Decode + s.Parts.Context + s.Parts.Idle; math.Abs(sum*s.Rate.Mean/1000-1) > 0.001 {
			t.Errorf("%v ms for each of %v tokens/s", sum, s.Rate.Mean)
		}
		if s.UseMean <= 0 || s.UseMean > s.UseMax || s.UseMax > 1 || s.Hit <= 0 || s.Hit >= 1 {
			t.Errorf("%+v", s)
		}
	}
}

// TestMeanIsTheProfiles: the mean conversation has the profile's own means, but for its whole number of turns.
func TestMeanIsTheProfiles(t *testing.T) {
	for _, name := range []string{"coding", "office"} {
		p, err := readProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(finalContext(&p.Mean))/float64(p.FinalContext) - 1; math.Abs(off) > 0.015 {
			t.Errorf("%s: the last context is %.3f off", name, off)
		}
		list := turns(&p.Mean)
		if len(list) != len(p.Mean.Turns)+1 || list[0].Append != int(p.Mean.Input) || list[0].Wait != 0 || list[len(list)-1].Answer != int(p.Mean.Final) {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

func TestStarts(t *testing.T) {
	_, b := experiment(t, "--profiles", "office")
	run := Run{Cell{"office", 8, 1}, 3, ModeFull}
	spread := b.starts(run)
	run.Mode = ModeMean
	if !slices.Equal(spread, b.starts(run)) || slices.Max(spread) > b.meanTime(run.Cell) || slices.Max(spread)-slices.Min(spread) < b.meanTime(run.Cell)/8 {
		t.Errorf("%v within %v", spread, b.meanTime(run.Cell))
	}
	b.Start = StartTogether
	if !slices.Equal(b.starts(run), make([]time.Duration, 8)) {
		t.Errorf("together: %v", b.starts(run))
	}
	if loose := b.Profiles["office"].source(ModeMean, 1, true)(); loose[1].Wait == loose[2].Wait || loose[0].Wait != 0 {
		t.Errorf("loose waits %v and %v", loose[1].Wait, loose[2].Wait)
	}
}

func TestInterval(t *testing.T) {
	if got := interval([]float64{1, 2, 3}); got.Mean != 2 || math.Abs(got.High-2-4.303/math.Sqrt(3)) > 1e-9 || math.Abs(got.Low+got.High-4) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if got := interval([]float64{7}); got != (Interval{7, 7, 7}) {
		t.Errorf("%+v", got)
	}
}

func TestRefused(t *testing.T) {
	for _, args := range []string{"x", "--users 0", "--users 1.5", "--kv x", "--seeds 0", "--length 1s", "--start late", "--workers 0", "--context-token -1s", "--what"} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
	for _, args := range []string{"--preset abacus", "--profiles nobody"} {
		o, err := parse(strings.Fields(args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.bench(); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
	if o, err := parse([]string{"--quick", "--seeds", "2"}, io.Discard); err != nil || o.Seeds != 2 || len(o.Users) != 2 || len(o.runs()) != 2*3*2*2*2 {
		t.Errorf("%+v, %v", o, err)
	}
}
