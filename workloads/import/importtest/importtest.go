// Package importtest drives an importer over a file in memory, as a host would, and compares what comes of it with a golden
// file in the normal form. Only tests import it.
package importtest

import (
	"errors"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/normal"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether golden files are to be written.
func Updating() bool { return *update }

// Open opens an importer over a text and checks it as a run would.
func Open(t *testing.T, f frame.Format, text []byte) *sdktest.Component {
	t.Helper()
	c := sdktest.Open(t, plugin(f), f.Name, options(text, nil))
	faults, items, err := c.CheckInputs()
	if err != nil || len(faults) > 0 || items != c.Opened.Workload.Trajectories {
		t.Fatalf("%d items, %v, faults %+v", items, err, faults)
	}
	again := sdktest.Open(t, plugin(f), f.Name, options(text, c.Opened.Prepared))
	if !reflect.DeepEqual(c.Opened.Workload, again.Opened.Workload) || !slices.Equal(c.Opened.Losses, again.Opened.Losses) {
		t.Errorf("opened with what it prepared, it differs: %+v and %+v", c.Opened, again.Opened)
	}
	return c
}

// Faults gives what is wrong with a text, in Open or in CheckInputs.
func Faults(t *testing.T, f frame.Format, text []byte) sdk.Faults {
	t.Helper()
	c, err := sdktest.TryOpen(t, plugin(f), f.Name, options(text, nil))
	if faults, ok := errors.AsType[sdk.Faults](err); ok {
		return faults
	}
	if err != nil {
		t.Fatal(err)
	}
	faults, _, err := c.CheckInputs()
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

func plugin(f frame.Format) *sdk.Plugin {
	return &sdk.Plugin{Name: "import", Version: "1.0.0", Components: []sdk.Component{frame.Component(f)}}
}

func options(text, prepared []byte) sdktest.Options {
	return sdktest.Options{Inputs: []sdktest.Input{{Name: frame.Input, Data: text}}, Prepared: prepared}
}

// Golden compares the trajectories and the losses of a file with FILE.golden beside it, which -update writes.
func Golden(t *testing.T, f frame.Format, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := Open(t, f, text)
	var got []byte
	for i := range c.Opened.Workload.Trajectories {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = normal.Append(got, plan); err != nil {
			t.Fatal(err)
		}
	}
	for _, loss := range c.Opened.Losses {
		got = append(got, "# lost: "+loss+"\n"...)
	}
	golden := file + ".golden"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, golden, strings.Split(string(want), "\n"), strings.Split(string(got), "\n"))
}

// compare tells the lines that differ.
func compare(t *testing.T, golden string, want, got []string) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		var a, b string
		if i < len(want) {
			a = want[i]
		}
		if i < len(got) {
			b = got[i]
		}
		if a != b {
			t.Errorf("%s:%d (-update writes it anew)\nwant %s\n got %s", golden, i+1, a, b)
		}
	}
}
