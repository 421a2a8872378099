package cli

import (
	"context"
	"fmt"

	"paceline/cmd/runner/internal/config"
)

// counter opens the run's counter. Its counts are there before any other judge is asked.
func (b *builder) counter(ctx context.Context, full string) (func(*stage), error) {
	p, o, err := b.judgeOptions(full, b.run.Counters[full])
	if err != nil {
		return nil, err
	}
	c, err := p.OpenCounter(ctx, o)
	if err != nil {
		return nil, b.refused(err, o.Inputs)
	}
	return func(s *stage) {
		s.closers = append(s.closers, func() { _ = c.Close() })
		s.counters = append(s.counters, c)
	}, nil
}

// recount takes the counter that the flags name in place of the run's, or sets keys of the run's own.
func (f *judgeFlags) recount(run *config.Run, over config.Resolved) error {
	if origin := over.Origins["token_source"]; origin != "" {
		return fail(exitUsage, fmt.Errorf("%s: token_source: the report reads it in run.json, where it is %q", origin, run.TokenSource))
	}
	if len(f.counters) > 0 || run.Counters == nil {
		run.Counters = map[string]map[string]any{}
	}
	merge(run.Counters, over.Run.Counters)
	return nil
}
