// Package sample is what was measured: one Sample for each planned turn of a started conversation, sent or not, with its
// instants, outcome and evidence; conversations; and the client's own self-checks.
//
// All instants are Offsets from one epoch, the start of the sample's journal segment, on the monotonic clock.
package sample
