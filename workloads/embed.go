// Package workloads holds the plugins that ship inside the runner, as modules ready to be opened under the source std.
// Each is a folder NAME with NAME.wasm.zst, the module with its manifest, and NAME.wasm.sha256, the digest of the module
// when it is unpacked: 64 hexadecimal digits first. The program tools/wasmbuild writes both.
package workloads

import (
	"embed"
	"io/fs"
)

//go:embed */*.wasm.zst */*.wasm.sha256
var modules embed.FS

// Modules returns the shipped modules and their digests, as mlperf/mlperf.wasm.zst and mlperf/mlperf.wasm.sha256. It may be
// read by many at once.
func Modules() fs.FS { return modules }
