package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/sample"
	"paceline/core/session"
	"paceline/mlperf/rules"
	"paceline/sweep"
)

// defaultTokens is how many tokens a turn is taken to have where no rules tell.
const defaultTokens = 350

// expect guesses how long the points take, where a rate was given or is to be measured.
func (a *app) expect(ctx context.Context, layered *cobra.Command, f *sweepPlanFlags, arg string, p *sweep.Plan, by sweepRules) error {
	turns, tokens := by.turns()
	pass := sweep.Pass{Turns: cmp.Or(f.passTurns, turns), Trajectories: rules.Trajectories}
	tokens = cmp.Or(tokens, defaultTokens)
	var list []sweep.Measured
	var basis, notes []string
	for _, dir := range f.from {
		m, seen, err := fromRun(dir)
		if err != nil {
			return fail(exitInput, err)
		}
		list, basis = append(list, m), append(basis, dir)
		pass.Turns = cmp.Or(pass.Turns, seen)
	}
	rates, err := ratesOf(f.tps)
	if err != nil {
		return fail(exitUsage, err)
	}
	if len(rates) > 0 {
		basis = append(basis, "--tps "+strings.Join(f.tps, ", "))
	}
	if f.probe {
		measured, err := a.probeRates(ctx, layered, f, arg)
		if err != nil {
			return err
		}
		rates, basis = append(rates, measured...), append(basis, "a probe of the target")
	}
	for _, r := range rates {
		list = append(list, sweep.Measured{Users: r.users, MicroTurns: int64(r.tps * 1e6 / float64(tokens))})
	}
	if len(rates) > 0 {
		notes = append(notes, fmt.Sprintf("a turn is taken to have %d output tokens; tool delays and long prompts are left out", tokens))
	}
	if len(list) == 1 {
		notes = append(notes, "one rate is known: above its users the target is taken to scale without end, so the time is a least one")
	}
	switch {
	case len(list) == 0:
		return nil
	case pass.Turns == 0:
		return failHint(exitUsage, errors.New("nobody tells how many turns a pass has"), "give --pass-turns N, or --from RUNDIR of a whole pass")
	}
	p.Expect(strings.Join(basis, "; "), pass, list, notes)
	return nil
}

// rate is output tokens per second of so many users together.
type rate struct {
	users int
	tps   float64
}

func ratesOf(texts []string) ([]rate, error) {
	var list []rate
	for _, text := range texts {
		users, value, ok := strings.Cut(text, "=")
		if !ok {
			users, value = "1", text
		}
		n, err := strconv.Atoi(users)
		tps, err2 := strconv.ParseFloat(value, 64)
		if err != nil || err2 != nil || n < 1 || !(tps > 0 && tps < 1e9) {
			return nil, fmt.Errorf("--tps %q: want output tokens per second, e.g. 210, or 64=6100 for 64 users", text)
		}
		list = append(list, rate{n, tps})
	}
	return list, nil
}

// fromRun takes the rate of turns of a run, and how many turns it had.
func fromRun(dir string) (sweep.Measured, int64, error) {
	files, err := session.ReadFiles(dir)
	if err != nil {
		return sweep.Measured{}, 0, err
	}
	r, err := files.Result(dir)
	if err != nil {
		return sweep.Measured{}, 0, err
	}
	turns, ok := r.Metrics.Throughput.Turns.Value.Get()
	if !ok || turns <= 0 {
		return sweep.Measured{}, 0, fmt.Errorf("%s: its turns per second are not known: %s", dir, r.Metrics.Throughput.Turns.Reason)
	}
	return sweep.Measured{Users: r.What.Load.Users, MicroTurns: int64(turns * 1e6)}, int64(r.Metrics.Failures.Planned), nil
}

const (
	probeUsers  = 16
	probeTurns  = 3 // of each user
	probeTokens = 256
)

// probeRates measures the rate of the target with one and with several users at once.
func (a *app) probeRates(ctx context.Context, layered *cobra.Command, f *sweepPlanFlags, arg string) ([]rate, error) {
	r, err := a.resolve(layered, &f.run, arg)
	if err != nil {
		return nil, err
	}
	at, err := a.openPlaces(ctx, &r.Run, time.Now())
	if err != nil {
		return nil, err
	}
	defer closePlaces(at)
	var clients []*endpoint.Client
	for _, p := range at {
		clients = append(clients, p.client)
	}
	wire := chat.Wire{Model: at[0].model, MaxTokensKey: r.Run.Target.MaxTokensKey, API: chat.API(at[0].target.API)}
	var list []rate
	for _, users := range []int{1, probeUsers} {
		tps, err := measure(ctx, clients, wire, users)
		if err != nil {
			return nil, fail(exitTarget, fmt.Errorf("measure the target with %s: %w", plural(users, "user"), err))
		}
		list = append(list, rate{users, tps})
	}
	return list, nil
}

// measure lets so many users ask one question after another, each of them one of the targets, and returns output tokens per second.
func measure(ctx context.Context, clients []*endpoint.Client, wire chat.Wire, users int) (float64, error) {
	shell, err := wire.Shell(chat.Params{}, nil, probeTokens)
	if err != nil {
		return 0, err
	}
	var tokens atomic.Int64
	var failed atomic.Pointer[sample.Exchange]
	began := time.Now()
	var all sync.WaitGroup
	for user := range users {
		all.Go(func() {
			for turn := range probeTurns {
				text := fmt.Appendf(nil, `{"role":"user","content":"[%d.%d.%d] Write a long story about a lighthouse."}`, began.UnixNano(), user, turn)
				x := &sample.Exchange{Timing: sample.NoTiming()}
				message, err := wire.API.Translate(text)
				if err != nil {
					return // a message of a role and a text has a form in every API
				}
				clients[user%len(clients)].Issue(ctx, shell.Body(chat.Bytes(message)), x)
				if x.Outcome != sample.OK || !x.Answer.Usage.Reported {
					failed.Store(x)
					return
				}
				tokens.Add(int64(x.Answer.Usage.CompletionTokens))
			}
		})
	}
	all.Wait()
	if x := failed.Load(); x != nil {
		if x.Outcome == sample.OK {
			return 0, errors.New("it tells no usage; give --tps")
		}
		return 0, fmt.Errorf("%s: %s", x.Outcome, x.Cause)
	}
	return float64(tokens.Load()) / time.Since(began).Seconds(), nil
}
