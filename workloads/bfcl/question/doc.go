// Package question reads BFCL's question files and the files of their stored answers, finds single questions in them, checks
// them row by row, and makes requests of them: functions become tools as bfcl-eval makes them for OpenAI's chat completions.
package question
