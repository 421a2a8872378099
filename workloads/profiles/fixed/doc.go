// Package fixed is the arithmetic of drawing: logarithms, powers of two and the normal distribution in integers, so that a
// plan is the same on every machine. Nothing here uses floating point; the tables were computed once, by fixed/gen, and are
// checked in.
//
// Three forms of numbers are used. A One is 1 in numbers with 16 binary places: latent variables and coefficients. A
// probability is a uint32, the number of 2^-32. A logarithm has LogBits binary places.
package fixed

//go:generate go run ./gen -out tables_gen.go
