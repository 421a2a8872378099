// Package answers is the scorer of the questions: a task is solved where the conversation ended with an answer and that
// answer holds an accepted one. A conversation that failed scores 0 and counts.
package answers
