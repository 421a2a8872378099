package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os/exec"
	"strconv"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/endpoint"
	"paceline/mlperf/plan"
	"paceline/sweep"
	"paceline/sweep/cache"
)

// Play implements sweep.Player.
func (s *sweepPlay) Play(ctx context.Context, p *sweep.PlannedPoint, dir string) sweep.Played {
	spec, err := s.spec(p, dir)
	if err != nil {
		return sweep.Played{Broken: err.Error()}
	}
	if sum, err := runDigest(spec.resolved.Run); err != nil || sum != s.run {
		return sweep.Played{Broken: "the run has changed since the sweep was begun: one sweep has one configuration"}
	}
	reports, err := s.playOne(ctx, spec)
	var out sweep.Played
	if reports != nil {
		out.Report = reports.Result
	}
	switch codeOf(err) {
	case exitOK, exitTurns, exitJudged, exitLimit, exitInterrupted: // the report tells
	default:
		out.Broken = err.Error()
	}
	return out
}

// gatesOf are the gates of a point that can be told live.
func gatesOf(run *config.Run, p *sweep.PlannedPoint) *liveGates {
	g := &liveGates{least: time.Duration(p.MinSeconds) * time.Second}
	if c := run.Validators[plan.OutputLength]; c != nil {
		g.min, g.max = float(c["min"]), float(c["max"])
	}
	return g
}

func float(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// emptier empties the target's cache between two points.
type emptier struct{ *sweepPlay }

// Empty implements sweep.Emptier. What the probes leave is emptied too.
func (e *emptier) Empty(ctx context.Context, p *sweep.PlannedPoint, before string) (*cache.Verdict, error) {
	spec, err := e.spec(p, "")
	if err != nil {
		return nil, err
	}
	run := &spec.resolved.Run
	how, err := sweep.ParseBetween(e.plan.Between)
	if err != nil {
		return nil, err
	}
	if err := e.empty(ctx, run, how); err != nil {
		return nil, fmt.Errorf("empty the prefix cache: %w", err)
	}
	if before == "" {
		return &cache.Verdict{State: cache.FirstPoint}, nil
	}
	next := cache.Salts{Scheme: run.Salt}
	if run.Seed != "" {
		seed, err := strconv.ParseUint(run.Seed, 10, 64)
		if err != nil {
			return nil, err
		}
		next.Seed = &seed
	}
	verdict, err := e.prove(ctx, run, before, next)
	if err != nil {
		return nil, err
	}
	return verdict, e.empty(ctx, run, how)
}

// prove asks each target about what it was sent by the point before.
func (e *emptier) prove(ctx context.Context, run *config.Run, before string, next cache.Salts) (*cache.Verdict, error) {
	list, err := e.app.openPlaces(ctx, run, time.Now())
	if err != nil {
		return nil, err
	}
	defer closePlaces(list)
	var all *cache.Verdict
	for _, p := range list {
		was, err := cache.Read(before, p.name)
		if err != nil {
			return &cache.Verdict{State: cache.NotProvable, Reason: err.Error()}, nil
		}
		v, err := cache.Prove(ctx, p.client, was, next)
		if err != nil {
			return nil, err
		}
		v.Of(p.name)
		all = all.And(v)
	}
	return all, nil
}

// canEmpty empties the cache once before the sweep begins, where that is an order to the target: one that does not know the order must
// not be found out between two points.
func (e *emptier) canEmpty(ctx context.Context) error {
	how, err := sweep.ParseBetween(e.plan.Between)
	if err != nil || how.Command != "" {
		return err
	}
	spec, err := e.spec(&e.plan.Points[0], "")
	if err != nil {
		return err
	}
	if err := e.empty(ctx, &spec.resolved.Run, how); err != nil {
		return fail(exitTarget, fmt.Errorf("empty the prefix cache: %w", err))
	}
	return nil
}

func (e *emptier) empty(ctx context.Context, run *config.Run, how sweep.Between) error {
	switch how.Kind {
	case sweep.BetweenVLLM:
		return e.order(ctx, run, "/reset_prefix_cache", "vLLM has it when it is started with VLLM_SERVER_DEV_MODE=1")
	case sweep.BetweenSGLang:
		return e.order(ctx, run, "/flush_cache", "is the target SGLang?")
	case sweep.BetweenCommand:
		return e.command(ctx, how.Command, 10*time.Minute)
	case sweep.BetweenRestart:
		if err := e.command(ctx, how.Command, time.Hour); err != nil {
			return err
		}
		return e.await(ctx, run)
	}
	return nil
}

// order posts to the server of each target.
func (e *emptier) order(ctx context.Context, run *config.Run, path, hint string) error {
	list, err := e.app.openPlaces(ctx, run, time.Now())
	if err != nil {
		return err
	}
	defer closePlaces(list)
	for _, p := range list {
		if err := order(ctx, p.client, path, hint); err != nil {
			return fmt.Errorf("%s%w", p.who(), err)
		}
	}
	return nil
}

func order(ctx context.Context, client *endpoint.Client, path, hint string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	reply, err := client.PostTo(ctx, path, nil)
	if err != nil {
		return err
	}
	if reply.Status == http.StatusNotFound || reply.Status == http.StatusMethodNotAllowed {
		return fmt.Errorf("the target has no POST %s (status %d): %s", path, reply.Status, hint)
	}
	if reply.Status/100 != 2 {
		return fmt.Errorf("POST %s: status %d", path, reply.Status)
	}
	return nil
}

// command runs a command of the user's. What it prints goes to the standard error.
func (e *emptier) command(ctx context.Context, text string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", text) //nolint:gosec // the user's own command is what is asked for
	c.Stdout, c.Stderr = e.app.Stderr, e.app.Stderr
	c.WaitDelay = 5 * time.Second // a server that it leaves behind may hold the pipe
	err := c.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("command %q: %w", text, err)
	}
	return nil
}

// restartLimit is how long a target may take to answer again.
const restartLimit = 30 * time.Minute

// await waits until each target lists its models.
func (e *emptier) await(ctx context.Context, run *config.Run) error {
	ctx, cancel := context.WithTimeout(ctx, restartLimit)
	defer cancel()
	for {
		list, err := e.app.openPlaces(ctx, run, time.Now())
		if err == nil {
			closePlaces(list)
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the target does not answer %v after its restart: %w", restartLimit, err)
		case <-time.After(time.Second):
		}
	}
}

// seconds rounds a duration up.
func seconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
