// Package viz writes the data file of the official visualizer mlperf-viz 2.0.0 from a package, results/<system>/<model>/r<N>/.
// The visualizer's own reader leaves out what its page needs to know an agentic curve: load pattern, scenario, interactivity and
// power. With those fields the page shows the curve on the agentic axis, and per kW where the package tells the power.
//
// Figures are what the package says; what it does not say is derived by the rules where they give a formula, and null where they
// do not. The bundle is a function of the package and the runner's version: no clock is read and no path of a machine is kept.
//
// A package is a stranger's: a file that cannot be read costs its point or its field and leaves a warning.
package viz
