package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"paceline/cmd/runner/internal/config"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/sched"
	"paceline/core/session"
)

// measureContexts settles how much of trajectories a run plays, where that is not all of them: it looks before the load what
// exceeds the longest context, and tells.
func (a *app) measureContexts(ctx context.Context, spec *runSpec, st *stage, at []*place, plan *session.Plan) error {
	l := &spec.resolved.Run.Load
	if l.Whole() {
		return nil
	}
	told, err := longestContext(l, at, &plan.Sched)
	if err != nil {
		return err
	}
	if err := plan.Sched.Check(); err != nil {
		return fail(exitUsage, err)
	}
	if l.Repeats > 0 && !spec.resolved.Run.Mixed() { // so many passes over what is left of the workload
		plan.Sched.Budget, plan.Sched.Passes = 0, l.Repeats
	}
	line := startCounting(a.Stderr, spec.quiet)
	err = session.Contexts(ctx, plan, st.parts(spec.resolved.Run.Mixed(), &session.Parts{Counters: st.counters}), line.show)
	line.end()
	if c := plan.Config.Contexts; c != nil {
		c.Told = told
		if !spec.quiet {
			tellContexts(a.Stderr, c)
		}
	}
	if unfit, ok := errors.AsType[*session.FitError](err); ok {
		return failHint(exitUsage, err, fitHint(unfit))
	}
	if err != nil {
		return refused(err)
	}
	return nil
}

// longestContext puts the most tokens of a turn into the schedule, and tells whether the target said how many: of several, the
// one that takes the fewest.
func longestContext(l *config.Load, at []*place, c *sched.Config) (told bool, err error) {
	if l.MaxContext == "" {
		return false, nil
	}
	c.Reach.Over = sched.Over(l.OverContext)
	if l.MaxContext != config.Auto {
		c.Reach.MaxContext, err = strconv.ParseInt(l.MaxContext, 10, 64)
		return false, err
	}
	for i, p := range at {
		most, ok := endpoint.ModelContext(p.models, p.model)
		if !ok {
			return false, failHint(exitUsage, fmt.Errorf("load.max_context: auto is the target's own limit, and %sits list of models tells none for %s", p.who(), p.model),
				"give it as a number of tokens, e.g. --max-context 32768")
		}
		if i == 0 || most < c.Reach.MaxContext {
			c.Reach.MaxContext = most
		}
	}
	return true, nil
}

// fitHint says what else may be chosen.
func fitHint(e *session.FitError) string {
	if e.Contexts.Over == string(sched.Fail) {
		return "--over-context skip leaves them out, truncate leaves older turns out of their histories, end plays them up to the last turn that fits"
	}
	return "give a longer --max-context, or leave it out"
}

func tellContexts(out io.Writer, c *journal.Contexts) {
	for i := range c.Workloads {
		w := &c.Workloads[i]
		by := w.By
		if w.Sample {
			by += ", a sample"
		}
		told, name := "", ""
		if c.Told {
			told = " (told by the target)"
		}
		if len(c.Workloads) > 1 {
			name = w.Workload + ": "
		}
		over := c.Over
		if w.Skipped > 0 && c.Over != string(sched.Skip) && c.Over != string(sched.Fail) {
			over += fmt.Sprintf("; %d of them do not fit even so and are skipped", w.Skipped)
		}
		fmt.Fprintf(out, "max context %d%s: %s%d of %d trajectories exceed it (%s), longest %d tokens: %s, number %d; lengths are %s\n",
			c.Most, told, name, w.Over, w.Trajectories, over, w.Longest, w.LongestID, w.LongestIndex, by)
	}
}

// counting shows on a terminal how many trajectories were looked at.
type counting struct{ p *progress }

func startCounting(out io.Writer, quiet bool) *counting {
	if quiet || !isTerminal(out) {
		return &counting{}
	}
	return &counting{&progress{out: out, live: true}}
}

func (c *counting) show(done, of uint64) {
	if c.p != nil && done%16 == 0 {
		c.p.show(fmt.Sprintf("max context: %d of %d trajectories", done, of))
	}
}

func (c *counting) end() {
	if c.p != nil {
		fmt.Fprint(c.p.out, "\r\x1b[K")
	}
}
