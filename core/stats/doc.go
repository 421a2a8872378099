// Package stats turns lists of integers into figures that any machine computes
// to the same bits.
//
// Values are int64 in a base unit (nanoseconds, picoseconds per token, tokens);
// a Series holds them sorted together with the number of base units in one
// output unit. Sums and sums of squares are exact integers, means, standard
// deviations and quantiles are exact rationals rounded once, and nothing here
// calls a transcendental function, whose last bits differ between processors.
// What goes to a file passes through Num, which writes nine significant digits
// and null for a figure that is missing, never NaN or an infinity.
//
// Everything is a pure function of its arguments and safe for concurrent use
// as long as nobody changes a slice that was handed in.
package stats
