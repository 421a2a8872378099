// Package toolcalls is the validator tool-calls: whether the tool calls of the answers could be carried out, by the tools that
// the request offered, and whether a tool was called where the recorded answer called one.
package toolcalls
