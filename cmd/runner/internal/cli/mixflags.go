package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paceline/cmd/runner/internal/config"
)

// workloadLayers reads --workload NAME[=WEIGHT] and --input [WORKLOAD:]NAME=FILE. A single name without a weight is the run
// file's workload; where there are several, or one has a weight, or an input tells whose it is, they are its workloads.
func workloadLayers(names, inputs []string) ([]config.Layer, error) {
	workloads := config.Layer{Name: "--workload"}
	files := config.Layer{Name: "--input"}
	mixed := len(names) > 1 || slices.ContainsFunc(names, func(s string) bool { return strings.Contains(s, "=") })
	for _, pair := range inputs {
		name, path, ok := strings.Cut(pair, "=")
		if !ok || name == "" || strings.Contains(name, `"`) {
			return nil, fail(exitUsage, fmt.Errorf("--input %q: want name=value", pair))
		}
		of, input, told := strings.Cut(name, ":")
		if !told {
			files.Put(`workload.inputs."`+name+`"`, path)
			continue
		}
		if of == "" || input == "" {
			return nil, fail(exitUsage, fmt.Errorf("--input %q: want WORKLOAD:name=FILE", pair))
		}
		mixed = true
		files.Put(`workloads."`+of+`".inputs."`+input+`"`, path)
	}
	seen := map[string]bool{}
	for _, text := range names {
		name, weight, weighed := strings.Cut(text, "=")
		switch {
		case !mixed:
			workloads.Put("workload.name", name)
			continue
		case name == "" || seen[name] || strings.Contains(name, `"`):
			return nil, failHint(exitUsage, fmt.Errorf("--workload %q: want NAME or NAME=WEIGHT, each name once", text),
				"e.g. --workload std/mlperf/agentic=3 --workload std/codeqa/tasks=1")
		}
		seen[name] = true
		keys := map[string]any{}
		if weighed {
			n, err := strconv.ParseInt(weight, 10, 64)
			if err != nil {
				return nil, fail(exitUsage, fmt.Errorf("--workload %q: %q is no whole number", text, weight))
			}
			keys["weight"] = n
		}
		workloads.Put(`workloads."`+name+`"`, keys)
	}
	return []config.Layer{workloads, files}, nil
}
