// Package singleturn is the workload bfcl/single-turn: the single-turn questions of BFCL v4 with their functions as tools, one
// request each. The stored answers travel as truth, for judges only.
package singleturn
