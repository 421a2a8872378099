// Package tools is what a model may do with the bundled tree: list a folder, grep, read a file. A call never fails: what is
// wrong with it is told in its result, as an agent's harness does, so that the model can mend it.
package tools
