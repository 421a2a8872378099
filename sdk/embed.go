//go:build !wasip1

package sdk

import (
	"embed"
	"io/fs"
)

// A guest is built for wasip1, where this file is not there: it changes no byte of a module.
//
//go:embed *.go go.mod README.md contract lines sdktest
var source embed.FS

// Source holds this SDK's own files, for tools that write projects which build without a network.
func Source() fs.FS { return source }
