// Package chart draws the curve of a sweep: one SVG, and one HTML page that works from a file, without a network and under a
// content security policy that allows nothing but its own style and script.
//
// It knows its own Curve and nothing else of ours. Equal curves give equal bytes on every machine: coordinates are rounded to
// a tenth of a pixel, the concurrency scale does without logarithms, and no clock is read. Every text of a curve is a
// stranger's: it is cleaned of what cannot be seen, and escaped by html/template.
package chart
