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
	"coding":              "5da7b9f4d2f48e00864b30d80c71a8e646dd88d52212be4c02938b5455a65eb6",
	"qa":                  "e34a3b985106942d6bf9f6942f02b479dbb1281825fa38f8bea57bd29f8590ab",
	"office":              "6b537a405612a63cca30f4dac9e46f5034fa0a0de6cf58faa5315f4255e74254",
	"conversation-replay": "49cb653eabd394439f5f03ec45a854d0b596a74f79a4073c00832c21b017c224",
	"deep-research":       "3e227857af2c8089a255f3ed4fbc76da46f2cf846e2149bf8038bca6a59ee2a8",
	"code-generation":     "7d8f1038a8479f5b5e346c08a50517ce7e0dc213181a4e05c2e7364bf4930ef0",
	"aiperf-agentic":      "0d5cbb1b2236c4f12a05c28b0b30f1a722fae950d7bfa6733989aeff7133ed44",
	"aiperf-200k":         "05fede8b6538a94a73e169bec81129d00afdf22fd1b65acf4d7795c483d08793",
	"codex-swe-bench-pro": "ac23ead339aa2f5166aed4b76d8360f75002393e94082186c6daee487e08dd3b",
	"claude-code":         "838a1f431cc1acdc1058c66812c430b44cf83334fc112c059f3c8ea56428605d",
	"trtllm-coder":        "62dfe019f6d9e3553a42f06937dc0dbb84459acf7b59175e6afb8313a2932cfd",
	"agentperf":           "c6c7e98a77b9d39c637b4c7148379623f1578e2c4a750ccf3fa239099a7fdb23",
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
