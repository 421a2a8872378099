// Package scaffold writes the projects of new plugins: a small plugin that works, its test, its manifest and a CI file, with the
// sources of the SDK, so that the project builds without a network.
package scaffold
