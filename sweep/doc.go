// Package sweep plays a plan of several points, one after the other, and keeps what came of each in files that a crash cannot
// tear: sweep.json beside one run folder for each point. It knows points, run folders, gates and resuming; what a run is and who
// plays it is its caller's, and so are the rules that a curve is made by.
package sweep
