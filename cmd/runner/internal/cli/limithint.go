package cli

import (
	"errors"
	"fmt"

	"paceline/plugins/host"
	"paceline/plugins/lock"
)

// limitHint tells which key of the run raises the limit that a plugin passed, and how far; empty where none does.
func limitHint(err error) string {
	e, ok := errors.AsType[*host.Error](err)
	if !ok {
		return ""
	}
	most := lock.MaxLimits()
	switch {
	case e.Cause == host.Memory:
		return raise("memory", fmt.Sprintf("%dMiB", most.Memory>>20))
	case e.Cause != host.Timeout && e.Cause != host.WallTimeout:
		return ""
	}
	switch e.Call {
	case "Open", "CheckInputs":
		return raise("open", most.Open.String())
	case "Plan":
		return raise("plan", most.Plan.String())
	case "Next":
		return raise("next", most.Next.String())
	}
	return raise("batch", most.Batch.String())
}

func raise(key, most string) string {
	return fmt.Sprintf("a large input may need more: limits.%s in the run file, or --set limits.%s=%s, which is the most", key, key, most)
}
