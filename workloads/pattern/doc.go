// Package pattern is a small regular expression matcher. Its time grows with expression and text alone, and the caller can
// bound its steps, the same number on every machine, so that no expression of a model or of a tool's schema can hold up a
// run. It makes a guest half a megabyte smaller than the standard library's package would.
//
// It speaks two dialects. Lines is what a search in files takes; Schema is ECMA-262 as JSON Schemas of tools use it. Both have
// literals, . ^ $ | ( ) (?: ) [ ] * + ? {m} {m,} {m,n}, \d \w \s \b and their opposites, and an escaped sign as itself. A ?
// that makes a repetition lazy changes nothing, since only whether a text matches is asked. Looking around, references back,
// Unicode properties and named groups are errors in both.
//
//	             Lines                          Schema
//	.            any character                  none that breaks a line
//	\s           tab to carriage return, space  those and the blanks of Unicode
//	other \      \t                             \t \n \r \f \v \0 \xHH \uHHHH
//	{ } ]        themselves where they cannot   an error there
//	             be meant
//	a** ^*       taken                          an error
//	[]a]         a class of ] and a             an empty class, and a]
//	[\D]         an error                       the opposite of digits
//	(?i)         at the beginning: case folds   an error
package pattern
