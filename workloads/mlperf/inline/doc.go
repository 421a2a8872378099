// Package inline is the scorer of MLPerf Endpoints' inline accuracy: it holds each answer against the recorded answer of
// the same turn. In the coding domain it compares the programs that the bash calls run, in the workflow domain the intent.
package inline
