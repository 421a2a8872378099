// Package pattern matches the regular expressions of JSON Schemas in time that grows with pattern and text alone. It knows
// what schemas of tools use: literals, classes, groups, alternatives, repetitions, anchors and word borders. Looking around,
// references back, Unicode properties and named groups are refused. It is small on purpose: the module that holds it is
// compiled by every runner.
package pattern
