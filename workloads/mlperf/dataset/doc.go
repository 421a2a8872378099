// Package dataset reads the MLPerf Endpoints agentic JSONL: one chat message per row, the rows of a conversation next to
// each other with turns 1, 2, 3 and so on.
//
// Three readers share one line scanner. Scan makes the Index, in one pass that looks only at keys. Checker holds every
// row against the rules and names all faults. Rows parses the rows of one conversation, which is all that a plan needs.
// A byte order mark, CRLF, blank lines and a missing last newline change nothing; line numbers count blank lines.
package dataset
