// Package build makes plugins out of their authors' projects: it runs the build of the project's language with pinned flags, puts
// the manifest into the module, checks what came of it as a host would, and writes the file.
package build
