// Package literal reads values that a model wrote as Java or JavaScript source, as BFCL's checker does: with its patterns, so
// with its blind spots too (a comma inside a string ends an element). What cannot be read stays the text that it was.
//
// The patterns run on a small matcher of this package, whose work grows with pattern times text only: the answers come from
// strangers. The standard library's matcher would make the module larger than a guest may be.
package literal
