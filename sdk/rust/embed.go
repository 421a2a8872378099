// Package rust holds the Rust SDK's own files, for tools that write projects which build without a network.
package rust

import (
	"embed"
	"io/fs"
)

// The pattern names what a plugin's project needs by its first letters, and nothing that a build leaves behind.
//
//go:embed all:[Ces]*
var source embed.FS

// Source holds the SDK's files.
func Source() fs.FS { return source }
