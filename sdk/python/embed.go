// Package python holds the Python SDK's own files, for tools that write projects which build without a network.
package python

import (
	"embed"
	"io/fs"
)

// The pattern names what a plugin's project needs by its first letters, and nothing that a build leaves behind.
//
//go:embed all:[eprsR]*
var source embed.FS

// Source holds the SDK's files.
func Source() fs.FS { return source }
