// Package ast is the scorer bfcl/ast: function calls of answers held against the stored ones, by the rules of BFCL's AST
// checker (package checker), and the shares that are right by category, by group and by the weights of MLPerf and BFCL.
package ast
