package store

import (
	"fmt"
	"strings"
)

// StdSource is the source of the plugins that ship inside the runner.
const StdSource = "std"

// FileSource is the source of a plugin that is a file.
const FileSource = "file"

// fileSuffix is how the name of a plugin that is a file ends.
const fileSuffix = ".wasm"

// Split cuts the full name of a component into its plugin and its name there: std/mlperf/agentic gives std/mlperf and
// agentic, mlperf/agentic the same, ./mine.wasm/agentic gives ./mine.wasm and agentic.
func Split(full string) (plugin, component string, err error) {
	cut := strings.LastIndexByte(full, '/')
	if cut <= 0 || cut == len(full)-1 {
		return "", "", fmt.Errorf("component name %q: source/plugin/component is expected, e.g. std/mlperf/agentic", full)
	}
	plugin, component = Canonical(full[:cut]), full[cut+1:]
	if strings.HasSuffix(component, fileSuffix) {
		return "", "", fmt.Errorf("component name %q: a file's component is named after it, e.g. %s/name", full, full)
	}
	return plugin, component, nil
}

// Canonical gives a plugin's name with its source: a bare name is one of std.
func Canonical(plugin string) string {
	if IsFile(plugin) || strings.Contains(plugin, "/") {
		return plugin
	}
	return StdSource + "/" + plugin
}

// IsFile reports whether a plugin's name is a path.
func IsFile(plugin string) bool {
	return strings.HasSuffix(plugin, fileSuffix) || strings.HasPrefix(plugin, "/") || strings.HasPrefix(plugin, "./") || strings.HasPrefix(plugin, "../")
}
