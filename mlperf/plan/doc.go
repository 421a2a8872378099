// Package plan plans the points of an MLPerf curve by the rules, and holds an edited plan and the runs to come against them,
// so that what the rules would refuse afterwards is refused before hours were spent.
package plan
