// Package until finds the highest concurrency at which a target keeps objectives, in few points and from noisy ones: it reads
// the objectives, says which concurrency to play next, and when enough is known. It plays nothing itself, and the same results
// always lead to the same next point, so that a search can be resumed.
package until
