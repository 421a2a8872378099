// Package shape draws what a data set is like: how many turns its trajectories have, how long prompts and answers are, how
// they grow turn by turn, what waits lie between, and how much of the prompts is there already when they come. It draws as
// text of 80 columns and as one HTML page that needs nothing else.
//
// A Collector takes the trajectories one by one and keeps counts only, in memory that does not grow with the texts. Equal
// trajectories in equal order give equal bytes.
package shape
