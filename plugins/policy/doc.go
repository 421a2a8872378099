// Package policy says which plugins may be used: from where, signed by whom, natively or not, with which capabilities. What no
// rule fits is refused. schemas/policy/v1 describes the file; cmd/runner/internal/config reads it.
package policy
