// Package conformance holds what plugins are held to from the outside, in tests only: whole runs of the runner with guests
// that fail in every way that is known, at every place where a plugin is called. The table that comes of them is
// docs/plugin-failures.md.
package conformance
