// Package identity is the validator identity: whether the target is who it should be, and whether it was the same after the
// run as before it.
package identity
