// Package audit finds out whether a target keeps answers: it holds two passes of the same requests against each other.
//
// A prefix cache makes the first token of a repeated request come sooner, and is allowed. An engine that keeps whole answers gives
// itself away in one of two ways: tokens of the second pass come faster, since nobody computes them, or, where the keeper waits
// on purpose, answers are equal byte for byte although they were sampled at temperature 1 without a seed. So the time to the
// first token is told and never judged; the pace of decoding and equality of long answers are.
//
// The pace of a turn is the median gap between its chunks, per token. The median leaves out the stalls that another user's
// prefill causes, which a warm prefix cache takes away from an honest second pass. Turns are paired with themselves, so that
// each is compared at its own length of context, and the interval of the ratio comes from resampling whole trajectories.
//
// The relative in MLPerf Endpoints is the output-caching test (TEST04), which is defined for single turns only; the bound of
// 10 % is taken from there.
package audit
