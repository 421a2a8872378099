// Package load says what a run asks of the target: how many users at which time, when conversations arrive, and which
// trajectory of which workload each conversation plays. All of it is computed from elapsed time, the run's seed and plain numbers; nothing
// here reads a clock.
package load
