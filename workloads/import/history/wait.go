package history

import (
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// Wait reads a time in units of 10^-scale seconds as nanoseconds; a missing one is 0.
func Wait(r *frame.Record, pointer string, v rawjson.Value, scale int) (uint64, error) {
	if v.Missing() {
		return 0, nil
	}
	ns, ok := rawjson.Scaled(v, 9-scale)
	if !ok || ns < 0 {
		return 0, r.Fault(pointer, "wait", "a time from 0", "the wait is %s", frame.Clip(v))
	}
	return uint64(ns), nil
}

// First gives the first element of a list; nil where there is none.
func First(list rawjson.Value) (found rawjson.Value) {
	list.Each(func(_ int, v rawjson.Value) bool {
		found = v
		return false
	})
	return found
}
