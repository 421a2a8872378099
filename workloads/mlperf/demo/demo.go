// Package demo holds a small made-up data set in the form that the workload agentic reads, for runs without a network:
// coding conversations with bash calls, and workflow conversations with intents. The program in generate writes it.
package demo

import _ "embed"

//go:generate go run ./generate demo.jsonl

//go:embed demo.jsonl
var dataset string

// Dataset returns the data set as JSONL.
func Dataset() string { return dataset }
