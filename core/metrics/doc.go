// Package metrics turns what was measured into numbers: samples, conversations
// and self-checks go in, a Metrics value comes out. It is pure: no clock, no
// files, and equal input gives equal bytes on every machine.
//
// docs/metrics.md defines every figure for users. Three rules hold everywhere:
// an event counts by its own instant (a token where it arrived, a TTFT where
// the first token did, a latency where the answer ended), whoever sent the
// turn and in whatever phase; turns that did not end ok are in no latency and
// in no token count, but always in the denominators of Failures; and a figure
// that cannot be told is null with a reason.
//
// Times are nanoseconds in whole numbers until they are divided, once, into
// the milliseconds of the output.
package metrics
