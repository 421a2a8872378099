//go:build !unix

package cli

// ignoreFileSize does nothing where a limit on the size of files sends no signal.
func ignoreFileSize() {}
