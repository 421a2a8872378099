// Package rawjson reads JSON where it lies: it checks and walks a document by byte positions and hands out the
// source text of its parts, so that numbers, key order and escapes reach the wire as they stand in the file.
//
// It accepts exactly RFC 8259 in valid UTF-8. Nothing is decoded before it is asked for, nothing recurses, and no
// function panics on any input. A guest reads a data set with it several times faster than with encoding/json.
package rawjson
