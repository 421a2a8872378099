package report

import (
	"fmt"
	"strings"

	"paceline/core/journal"
	"paceline/core/sample"
)

// CodePluginError is the code of the warning that the workload plugin failed in the middle of conversations.
const CodePluginError = "plugin_error"

// broken counts the conversations that ended because the workload plugin failed.
type broken struct {
	all       int
	unplanned trouble // there was no trajectory for them, or one that cannot be played: the run is invalid
	stopped   trouble // they began, and a live agent's step broke them off
}

// trouble is a count, and why the first one was.
type trouble struct {
	count    int
	first    string
	workload string // of the first one
}

func brokenOf(run *journal.Run) broken {
	sent := map[sample.ID]bool{}
	for i := range run.Samples {
		if s := &run.Samples[i]; s.Outcome != sample.NotSent {
			sent[s.ID.Conversation()] = true
		}
	}
	b := broken{all: len(run.Conversations)}
	for i := range run.Conversations {
		c := &run.Conversations[i]
		if c.State != sample.Broken {
			continue
		}
		t := &b.unplanned
		if sent[c.ID.Conversation()] {
			t = &b.stopped
		}
		if t.count++; t.count == 1 {
			t.first, t.workload = c.Cause, c.Workload
		}
	}
	return b
}

// invalid says why there were no trajectories to play; empty: there were.
func (b *broken) invalid() string {
	if b.unplanned.count == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d conversations have no trajectory that could be played; the first: %s", b.unplanned.count, b.all, b.unplanned.first)
}

// warnBroken tells of failures of the workload plugin that the reason does not tell.
func (r *Result) warnBroken(b *broken) {
	if text := b.invalid(); text != "" && !strings.Contains(r.Reason, text) {
		r.warning("no_trajectory", "%s", text)
	}
	if n := b.stopped.count; n > 0 {
		r.warning(CodePluginError, "%d of %d conversations ended because the workload %s failed; the first: %s", n, b.all, b.stopped.workload, b.stopped.first)
	}
}
