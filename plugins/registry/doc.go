// Package registry speaks to OCI registries: it fetches plugins and their signatures by digest, and pushes them. A registry is a
// stranger: every answer has a limit, every byte is held to its digest, and what it says of an error is cut and cleaned before
// it reaches a terminal. It is the only importer of oras.
package registry
