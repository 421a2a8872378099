// Package traces is the host's side of importing: it writes planned trajectories in the normal form, sums them up, and makes
// them anonymous.
package traces
