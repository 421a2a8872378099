// Package checker holds function calls against the answers that BFCL stores: the same verdict, and the same kind of error, as
// the AST checker of the package bfcl-eval, written anew. It is pure, and its work is bound: nothing is tried again, and what
// a model wrote is gone through once for each stored answer.
//
// Some of the official behaviour is odd and kept: an empty list passes for a parameter that may be left out, elements of inner
// lists are compared letter by letter, the first of several equal calls takes the first answer that it fits. Where the
// official checker stops with an exception, ours says so with the code Unjudgeable and takes the answer for wrong.
package checker
