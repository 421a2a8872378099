// Package engine is what the runner knows of the serving engines under test: their names, how a target tells which one it
// is, and the switches that a run may need of it. It is knowledge as data; nothing here opens a connection.
package engine
