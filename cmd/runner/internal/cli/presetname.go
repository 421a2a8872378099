package cli

import (
	"os"
	"path/filepath"
	"strings"

	"paceline/plugins/store"
)

// isPreset tells an argument that names a preset from one that names a run file: a file that is there is one, and so is what
// ends as run files do.
func isPreset(arg string) bool {
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return false
	}
	switch filepath.Ext(arg) {
	case ".yaml", ".yml", ".json":
		return false
	}
	if strings.HasPrefix(arg, ".") || filepath.IsAbs(arg) {
		return strings.Contains(arg, ".wasm/")
	}
	return strings.Contains(arg, "/")
}

// folderOf is where the lock of a run stands: beside its run file, else here.
func folderOf(arg string) string {
	if arg == "" || isPreset(arg) {
		return "."
	}
	return filepath.Dir(arg)
}

// cutName is one way to read a preset's full name.
type cutName struct{ plugin, preset string }

// presetNames lists the ways to read a preset's full name, the likeliest first: as one of the run's own plugins, as a file, as
// source/plugin/preset, and as plugin/preset of std. A preset's own name may hold slashes.
func presetNames(name string, named map[string]string) []cutName {
	var own, others []cutName
	parts := strings.Split(name, "/")
	for n := len(parts) - 1; n > 0; n-- {
		c := cutName{strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")}
		if _, ok := named[c.plugin]; ok {
			own = append(own, c)
		}
		switch {
		case store.IsFile(name) || strings.Contains(name, ".wasm/"):
			if strings.HasSuffix(c.plugin, ".wasm") {
				others = append(others, c)
			}
		case n == 2, n == 1 && parts[0] != store.StdSource:
			c.plugin = store.Canonical(c.plugin)
			others = append(others, c)
		}
	}
	return append(own, others...)
}
