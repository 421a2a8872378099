// Package schema holds JSON values against JSON Schemas, in a named subset of draft 2020-12, without floating point and within
// a bound of work. What it does not know it names, so that nothing passes in silence.
package schema
