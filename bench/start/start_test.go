package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain lets this test binary stand for the runner.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "run" {
		answer, err := http.Post(os.Args[3]+"/chat/completions", "application/json", strings.NewReader("{}"))
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			answer.Body.Close()
		}
		if err != nil || !slices.Contains(os.Args, "std/mlperf/agentic") || strings.HasPrefix(os.Getenv("HOME"), "/root") {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestMeasure(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o, err := parse([]string{"--cold=2", "--warm=2", "--json", "--runner", self}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := measure(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Starts) != 4 || !r.Starts[1].Cold || r.Starts[2].Cold {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	for _, s := range r.Starts {
		if s.FirstMS <= 0 || s.FirstMS > s.WholeMS {
			t.Errorf("%+v", s)
		}
	}
	if r.Cold <= 0 || r.Warm <= 0 {
		t.Errorf("%+v", r)
	}
}

func TestFlags(t *testing.T) {
	for _, bad := range []string{"--cold=0", "--warm=-1", "--users=0", "--limit=0s", "--nope", "more"} {
		if _, err := parse([]string{bad}, io.Discard); !errors.Is(err, errUsage) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
