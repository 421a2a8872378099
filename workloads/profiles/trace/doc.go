// Package trace is the workload profiles/trace: conversations without text, of the lengths and waits that a profile draws.
//
// Each conversation is one agent run: a first message of the input's length, then a message of each tool's output after its
// wait, each answered by exactly as many tokens as were drawn where the engine can be held to a length. What the engine
// answers joins the history. The text is filler that the host makes, different in every conversation but for the prefixes
// that a profile shares.
package trace
