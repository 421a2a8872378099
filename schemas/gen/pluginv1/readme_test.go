package pluginv1_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"paceline/core/seed"
	"paceline/schemas/gen/pluginv1"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../plugin/v1/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The README tells how seeds are derived; its vectors are what package seed gives.
func TestSeedVectors(t *testing.T) {
	const workload = "std/mlperf/agentic"
	component := seed.Derive(42, seed.Component, []byte(workload))
	plan, err := canonical.Marshal(&pluginv1.PlanRequest{Index: 7})
	if err != nil {
		t.Fatal(err)
	}
	request := sha256.Sum256(plan)
	text := read(t, "README.md")
	for row, got := range map[string]seed.Seed{
		"| `component` | `std/mlperf/agentic` |":                          component,
		"| `plan` | `std/mlperf/agentic`, 7, 1 |":                         seed.Derive(42, seed.Plan, []byte(workload), seed.Uint(7), seed.Uint(1)),
		"| `random` | the `component` seed above, 16, SHA-256 of 08 07 |": seed.Derive(0, seed.Random, component[:], seed.Uint(16), request[:]),
		"| `order` | `std/mlperf/agentic`, 0 |":                           seed.Derive(42, seed.Order, []byte(workload), seed.Uint(0)),
		"| `arrivals` | none |":                                           seed.Derive(42, seed.Arrivals),
		"| `mix` | 0 |":                                                   seed.Derive(42, seed.Mix, seed.Uint(0)),
		"| `start` | 7 |":                                                 seed.Derive(42, seed.Start, seed.Uint(7)),
		"| `salt` | `repeat`, 0 |":                                        seed.Derive(42, seed.Salt, []byte("repeat"), seed.Uint(0)),
		"| `salt` | `conversation`, `conv-1`, 0 |":                        seed.Derive(42, seed.Salt, []byte("conversation"), []byte("conv-1"), seed.Uint(0)),
		"| `sample` | `std/mlperf/inline` |":                              seed.Derive(42, seed.Sample, []byte("std/mlperf/inline")),
		"| `bootstrap` | `ttft` |":                                        seed.Derive(42, seed.Bootstrap, []byte("ttft")),
	} {
		if want := row + " " + hex.EncodeToString(got[:]) + " |"; !strings.Contains(text, want) {
			t.Errorf("README.md lacks the row %s", want)
		}
	}
}

// The ABI document names every method with its number, and no other.
func TestMethodTable(t *testing.T) {
	var want []string
	for number := range int32(256) {
		if name, ok := pluginv1.Method_name[number]; ok && number != 0 {
			want = append(want, fmt.Sprintf("| %d | %s |", number, name))
		}
	}
	got := regexp.MustCompile(`\| \d+ \| METHOD_\w+ \|`).FindAllString(read(t, "ABI.md"), -1)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the table has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
