// Package normal writes and reads the normal form of trajectories, schemas/trajectory/v1: one JSON object a line is one
// trajectory. Equal trajectories have equal bytes.
package normal
