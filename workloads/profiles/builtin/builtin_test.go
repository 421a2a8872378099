package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/spec"
)

// digests are of the first 200 traces of each profile: the same on every machine.
var digests = map[string]string{
	"coding":              "28390016377358fe6fb56fdc51f9ac8f600156b1a703c27b8fc4974454064d52",
	"qa":                  "e34a3b985106942d6bf9f6942f02b479dbb1281825fa38f8bea57bd29f8590ab",
	"office":              "6b537a405612a63cca30f4dac9e46f5034fa0a0de6cf58faa5315f4255e74254",
	"conversation-replay": "49cb653eabd394439f5f03ec45a854d0b596a74f79a4073c00832c21b017c224",
	"deep-research":       "ca69109a43f1dbcd460bc645ef57147af9426ff0b2f62e5b847b8288158e40a0",
}

func TestTracesAreTheSameEverywhere(t *testing.T) {
	for _, name := range Names {
		p, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		var trace shape.Trace
		for i := range 200 {
			p.Source.Draw(shape.NewRandom([32]byte{byte(i)}), &trace)
			fmt.Fprintln(hash, trace.Input, trace.Shared, trace.Turns, trace.Final)
			check(t, name, &trace)
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != digests[name] {
			t.Errorf("%s: the digest of 200 traces is %s, want %s", name, got, digests[name])
		}
	}
}

func check(t *testing.T, name string, trace *shape.Trace) {
	t.Helper()
	if trace.Input < 1 || trace.Final < 1 || len(trace.Turns) > spec.MaxTurns {
		t.Fatalf("%s: input %d, %d turns, final %d", name, trace.Input, len(trace.Turns), trace.Final)
	}
	for i, turn := range trace.Turns {
		if turn.Assistant < 1 || turn.Tool < 0 || turn.Wait < 0 {
			t.Fatalf("%s: turn %d is %+v", name, i, turn)
		}
	}
}

func TestUnknownName(t *testing.T) {
	if _, err := Get("coding.model"); err == nil {
		t.Error("a file that is no profile is one")
	}
}

// TestMean holds the mean trace against the published means.
func TestMean(t *testing.T) {
	p, err := Get("coding")
	if err != nil {
		t.Fatal(err)
	}
	var one, two shape.Trace
	m := shape.Mean(p.Source)
	m.Draw(nil, &one)
	m.Draw(nil, &two)
	if fmt.Sprint(one) != fmt.Sprint(two) {
		t.Error("two mean traces differ")
	}
	if n := len(one.Turns); n < 19 || n > 22 || one.Input < 6500 || one.Input > 6700 || one.Turns[0].Wait < 1_500_000 || one.Turns[0].Wait > 1_850_000 {
		t.Errorf("%d turns, input %d, turns like %+v", n, one.Input, one.Turns[0])
	}
}
