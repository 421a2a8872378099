// Package survey asks a target what it is: the few pages that tell of its engine, and where that is wanted one token, twice.
// What the answers mean is package engine's. It is asked before a run or instead of one, never beside a load.
package survey
