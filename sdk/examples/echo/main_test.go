package main

import (
	"errors"
	"os"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

var text = sdktest.Options{Inputs: []sdktest.Input{{Name: "text", Data: []byte("one\n\n\"two\"\r\n")}}}

func TestDescribe(t *testing.T) {
	d := sdktest.Describe(t, &plugin)
	if d.Name != "echo" || len(d.Components) != 3 || d.Components[2].Kind != sdk.KindScorer {
		t.Errorf("got %+v", d)
	}
}

func TestPlan(t *testing.T) {
	c := sdktest.Open(t, &plugin, "repeat", text)
	if got := c.Opened.Workload.Trajectories; got != 2 {
		t.Errorf("%d trajectories, want 2", got)
	}
	p, err := c.Plan(1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(p.Turns[0].Append[0].Json), `{"role":"user","content":"Repeat exactly: \"two\""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := c.Plan(2, 0, nil); sdktest.Code(err) != sdk.CodeOutOfRange {
		t.Errorf("got %v, want out of range", err)
	}
	if len(c.Logs.Lines) != 1 || c.Logs.Lines[0] != "1 2 lines" {
		t.Errorf("logged %q", c.Logs.Lines)
	}
}

func TestOpenFaults(t *testing.T) {
	for name, c := range map[string]struct {
		inputs []sdktest.Input
		code   string
	}{
		"no input":    {nil, "missing-input"},
		"empty input": {[]sdktest.Input{{Name: "text", Data: []byte("\n")}}, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sdktest.TryOpen(t, &plugin, "repeat", sdktest.Options{Inputs: c.inputs})
			var faults sdk.Faults
			if !errors.As(err, &faults) || faults[0].Code != c.code {
				t.Errorf("got %v, want fault %s", err, c.code)
			}
		})
	}
}

func TestScore(t *testing.T) {
	c := sdktest.Open(t, &plugin, "exact", sdktest.Options{})
	r, err := c.Score(
		sdk.Sample{Turn: 0, Truth: []byte(`"one"`), Answer: &sdk.Answer{Message: []byte(`{"content":"one"}`)}},
		sdk.Sample{Turn: 1, Truth: []byte(`"two"`), Answer: &sdk.Answer{Message: []byte(`{"content":"2"}`)}},
		sdk.Sample{Turn: 2, Truth: []byte(`"three"`)},
	)
	if err != nil {
		t.Fatal(err)
	}
	end, err := c.ConcludeScore(sdk.ConcludeRequest{}, r.Account, r.Account)
	if err != nil {
		t.Fatal(err)
	}
	if end.Score.Micro != 500_000 || end.Scored != 4 || !end.Complete {
		t.Errorf("got %+v", end)
	}
}

func TestCheck(t *testing.T) {
	c := sdktest.Open(t, &plugin, "answered", sdktest.Options{})
	r, err := c.Check(sdk.Sample{Outcome: "ok"}, sdk.Sample{Turn: 1, Outcome: "timeout"})
	if err != nil {
		t.Fatal(err)
	}
	end, err := c.ConcludeCheck(sdk.ConcludeRequest{}, r.Account)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || end.Passed {
		t.Errorf("got %+v and %+v, want one finding and no pass", r, end)
	}
}

func TestManifest(t *testing.T) {
	manifest, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, &plugin, manifest)
}
