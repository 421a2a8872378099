// Package pattern is a small regular expression matcher for single lines. It counts the steps that it takes against a
// budget, the same on every machine, so that no expression of a model can hold up a run; and it makes the guest half a
// megabyte smaller than the standard library's package would.
//
// It knows literals, . ^ $ | ( ) (?: ) [ ] * + ? {m} {m,} {m,n}, \d \w \s \b and their opposites, \t, an escaped sign as
// itself, and (?i) at the beginning. A ? that makes a repetition lazy changes nothing, since only whether a line matches is
// asked. Everything else is an error.
package pattern
