package traces

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/import.md anew")

// tools are the files that a tool itself wrote, by a script beside them that .ci/import-real or .ci/import-tools runs; all
// others are made up by the documented fields.
var tools = map[string]string{
	"aiperfdag/testdata/real.jsonl":        "AIPerf 0.13.0",
	"aiperfturns/testdata/real.jsonl":      "AIPerf 0.13.0",
	"langfuse/testdata/real.jsonl":         "Langfuse SDK 5.0.4",
	"langsmith/testdata/real.jsonl":        "LangSmith SDK 0.15.1, langchain-core 1.8.3",
	"minisweagent/testdata/real.traj.json": "mini-swe-agent 2.4.6",
	"otel/testdata/console.json":           "OpenTelemetry SDK 1.45.2",
	"otel/testdata/otlp.json":              "OpenTelemetry SDK 1.45.2",
}

// TestTable holds the table of fixtures in docs/import.md against what the importers make of them: golden files, which the
// tests of the importers keep true. .ci/import-table holds the command against the table.
func TestTable(t *testing.T) {
	const name, begin, end = "../docs/import.md", "<!-- fixtures: written by go test ./traces -run TestTable -update -->\n", "<!-- end of fixtures -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatal("the marks of the table are gone")
	}
	want := head + begin + table(t) + end + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the importers make of their files; -update writes it", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../workloads/import/*/testdata/*.golden")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var out strings.Builder
	out.WriteString("| file of workloads/import | written by | trajectories | turns | branches | tokens in | tokens out | by usage | by length | waits | losses |\n")
	out.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, file := range files {
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.TrimPrefix(strings.TrimSuffix(filepath.ToSlash(file), ".golden"), "../workloads/import/")
		by := tools[short]
		if by == "" {
			by = "hand"
		}
		out.WriteString("| " + short + " | " + by + " | " + figures(t, string(golden)) + " |\n")
	}
	return out.String()
}

// figures sums up the trajectories and the losses of a golden file.
func figures(t *testing.T, golden string) string {
	t.Helper()
	var s Summary
	losses := 0
	for line := range strings.Lines(golden) {
		if strings.HasPrefix(line, "# lost: ") {
			losses++
			continue
		}
		s.Add(read(t, line))
	}
	return fmt.Sprintf("%d | %d | %d | %d | %d | %d | %d | %s | %d", s.Trajectories, s.Turns, s.Branches, s.Input, s.Output, s.Told, s.Filler, s.Wait, losses)
}
