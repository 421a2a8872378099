// Package privatedir says whether a folder is the user's own, so that what is cached there can be trusted as far as the
// user can.
package privatedir
