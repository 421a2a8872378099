// Package agentic is the workload of MLPerf Endpoints, Agentic Inference: it turns each conversation of the data set
// into one trajectory of recorded turns. Every request is the recorded history before it, so it is the same for every
// engine.
package agentic
