package cli

import (
	"context"

	"github.com/spf13/pflag"

	"paceline/sweep"
)

// untilFlags are those of a search for the highest concurrency under objectives.
type untilFlags struct {
	objectives        string
	low, high, points int
}

func (f *untilFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.objectives, "until", "", "search for the most users at which `OBJECTIVES` are kept, e.g. \"ttft.p90<500ms && failure_rate<1%\"")
	fs.IntVar(&f.low, "min-users", 1, "with --until: the fewest users")
	fs.IntVar(&f.high, "max-users", 1024, "with --until: the most users")
	fs.IntVar(&f.points, "max-points", 8, "with --until: points at most")
}

// plan makes the plan a search, with its first point.
func (f *untilFlags) plan(p *sweep.Plan) error {
	u, first, err := sweep.NewUntil(sweep.Until{Objectives: f.objectives, Low: f.low, High: f.high, Points: f.points})
	if err != nil {
		return err
	}
	p.Until, p.Points = u, []sweep.PlannedPoint{first}
	return nil
}

// search opens a search without a plan file: the argument is a run file, a preset, or empty.
func (s *sweepPlay) search(ctx context.Context, arg string) error {
	between := s.flags.between
	if between == "" {
		between = "none"
	}
	s.plan = &sweep.Plan{Schema: sweep.PlanSchema, Run: arg, Between: between, Axes: sweep.PlainAxes}
	err := s.flags.until.plan(s.plan)
	if err == nil {
		err = s.plan.Check()
	}
	if err == nil {
		s.rules, err = rulesOf(s.plan)
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	s.arg = arg
	return s.ready(ctx)
}
