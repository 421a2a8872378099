package cli

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
)

// plan turns the resolved run into what the session plays, and into run.json.
func (a *app) plan(spec *runSpec, st *stage, at []*place, epoch time.Time) (*session.Plan, error) {
	run := spec.resolved.Run
	run.Target.Model = at[0].model
	target := at[0].client.Info()
	if run.Several() {
		target.URL, run.Targets = "", shownTargets(&run, at)
		target.TLSVerify = !slices.ContainsFunc(at, func(p *place) bool { return !p.client.Info().TLSVerify })
	}
	run.Target.URL = target.URL
	run.Target.Metrics = shownMetrics(run.Target.Metrics)
	run.Seed = strconv.FormatUint(st.seed, 10)
	id := runID(epoch)
	dir := run.Out
	if dir == "" {
		dir = filepath.Join("results", id)
	}
	if err := wholePasses(&run, spec.resolved.Preset, st.trajectories()); err != nil {
		return nil, err
	}
	scheduled, scheme, err := schedule(&run, st)
	if err != nil {
		return nil, err
	}
	resolved, err := json.Marshal(run)
	if err != nil {
		return nil, fmt.Errorf("encode run: %w", err)
	}
	origins, err := json.Marshal(spec.resolved.Origins)
	if err != nil {
		return nil, fmt.Errorf("encode origins: %w", err)
	}
	locked, err := st.lock.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode lock: %w", err)
	}
	salt := journal.Salt{Scheme: run.Salt}
	if salter, err := chat.NewSalter(scheme, st.seed); err == nil && run.Salt == "seeded" {
		salt.Value, _ = salter.Values("", 0)
	}
	plan := &session.Plan{
		Dir: dir, Lock: locked, Sched: scheduled, Recheck: run.Target.Recheck,
		Config: journal.RunConfig{
			Run: id, Config: resolved, Origins: origins, Build: build(), Environment: environment(),
			Preset: spec.resolved.Preset, Lock: st.state, Plugins: st.plugins, Inputs: st.inputs, Salt: salt, Seed: run.Seed,
			Seeds: st.seeds, Endpoint: target.URL, Proxy: target.Proxy, TLSVerify: target.TLSVerify,
		},
	}
	recordTargets(&plan.Config, &plan.Sched, &run, at)
	for _, w := range st.workloads {
		if run.Mixed() {
			plan.Config.Workloads = append(plan.Config.Workloads, w.record(true))
		} else {
			plan.Config.Workload = w.record(false)
		}
	}
	return plan, nil
}

func schedule(run *config.Run, st *stage) (sched.Config, chat.SaltScheme, error) {
	var c sched.Config
	scheme, err := chat.SaltSchemeByName(run.Salt)
	if err != nil {
		return c, scheme, fail(exitUsage, err)
	}
	params, err := config.JSON(run.Params)
	if err != nil {
		return c, scheme, fail(exitUsage, err)
	}
	override, err := config.JSON(run.Override)
	if err != nil {
		return c, scheme, fail(exitUsage, err)
	}
	arrivals, budget, err := arrive(run.Load, st.trajectories(), st.seed)
	if err != nil {
		return c, scheme, fail(exitUsage, err)
	}
	grace := run.Load.Grace
	if grace == 0 {
		grace = -1 // the scheduler's word for none
	}
	c = sched.Config{
		Users: pattern(run.Load), Arrivals: arrivals, Budget: budget,
		Shuffle: run.Load.Order == "shuffle", Seed: st.seed,
		Wire: chat.Wire{
			Model: run.Target.Model, Stream: run.Target.Stream, IncludeUsage: run.Target.Stream && run.Target.Usage && !run.Target.StrictWire,
			MaxTokensKey: run.Target.MaxTokensKey, API: chat.API(loaded(run).API),
		},
		Params: params, Override: override, MaxTokens: run.MaxTokens,
		Thinking: chat.Thinking(run.Thinking), ToolResults: chat.ToolResults(run.ToolResults), RequireContent: run.Target.RequireContent, Salt: scheme, RoutingHeaders: run.RoutingHeaders,
		NoDelays: !run.Load.Delays, MaxDelay: run.Load.MaxDelay, TurnTimeout: run.Target.TurnTimeout,
		Duration: run.Load.Duration, Grace: grace, StopOnFirstIdle: run.Load.StopOnFirstIdle,
		Warmup:   sched.Warmup{Conversations: uint64(run.Load.Warmup.Trajectories), For: run.Load.Warmup.Duration},
		Prefetch: sched.Prefetch{Depth: run.Load.Prefetch},
		Reach:    sched.Reach{Spread: run.Load.Start == config.Spread, Last: run.Load.Replay == config.Last},
	}
	return c, scheme, members(run, st, &c)
}

// members puts the workloads of the run into its schedule.
func members(run *config.Run, st *stage, c *sched.Config) error {
	if !run.Mixed() {
		w := st.workloads[0]
		if w.info.Live {
			run.History = string(chat.Live)
		}
		c.Workload, c.Info, c.History = w.Key, w.info, chat.HistoryRule(run.History)
		return nil
	}
	if c.Passes = run.Load.Repeats; c.Passes > 0 {
		c.Budget = 0 // so many passes over each workload, not as many conversations as those have together
	}
	if run.Load.Trajectories == 0 && run.Load.Arrivals.Every > 0 {
		c.Passes = max(c.Passes, 1)
	}
	run.Workloads = maps.Clone(run.Workloads)
	for _, w := range st.workloads {
		m, err := w.member(run)
		if err != nil {
			return fail(exitUsage, err)
		}
		c.Mix = append(c.Mix, m)
	}
	return nil
}

// arrive says when conversations start, and how many there are: what was asked for, else one pass; with a time limit and
// nothing else said, passes until the limit.
func arrive(l config.Load, trajectories, seed uint64) (load.Arrivals, uint64, error) {
	budget := l.Trajectories
	if l.Repeats > 0 {
		budget = trajectories * uint64(l.Repeats)
		if trajectories == 0 {
			return load.Arrivals{}, 0, fmt.Errorf("load.repeats: the workload has no fixed number of trajectories; give load.trajectories")
		}
	}
	if budget == 0 && l.Duration > 0 && (l.Arrivals.Kind == config.Closed || l.Arrivals.Endless()) {
		budget = load.Endless
	}
	switch l.Arrivals.Kind {
	case config.Fixed:
		times := l.Arrivals.Times
		if l.Arrivals.Every > 0 {
			n := budget
			if n == 0 {
				n = trajectories
			}
			if n == 0 || n > 1_000_000 {
				return load.Arrivals{}, 0, fmt.Errorf("load.arrivals.every: needs load.trajectories of at most 1000000, got %d", n)
			}
			for i := range n {
				times = append(times, time.Duration(i)*l.Arrivals.Every)
			}
		}
		arrivals, err := load.Fixed(times)
		return arrivals, budget, err
	case config.Recorded:
		return load.Recorded(), budget, nil
	case config.Bursts:
		arrivals, err := load.Bursts(l.Arrivals.Size, l.Arrivals.Every)
		return arrivals, budget, err
	case config.Constant, config.Poisson, config.Gamma:
		law, err := l.Arrivals.Law()
		return load.Drawn(law, l.Levels(), seed), budget, err
	default:
		return load.Arrivals{}, budget, nil
	}
}

// pattern says how many users there are, and when.
func pattern(l config.Load) load.Pattern {
	if len(l.Stages) > 0 && l.Arrivals.Kind == config.Closed {
		return load.Staged(l.Levels())
	}
	return load.Constant(l.Users)
}

// seedOf reads the run's seed, or draws one where none was given.
func seedOf(text string) (uint64, error) {
	if text != "" {
		return strconv.ParseUint(text, 10, 64)
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("draw a seed: %w", err)
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func runID(at time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails; the time alone would do for one machine
	return at.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// environment is what the report tells of this machine.
func environment() journal.Environment {
	e := journal.Environment{CPUs: runtime.NumCPU()}
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
				e.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		e.Kernel = "linux " + strings.TrimSpace(string(text))
	}
	return e
}
