package wire

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"

	"paceline/core/sample"
	"paceline/core/seed"
	"paceline/core/trajectory"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// Workload is an opened workload: a sched.Source, and a sched.Folder where it is live. Its methods may be called
// concurrently; they run side by side on as many workers as it was opened with.
type Workload struct {
	*opened
	info    trajectory.Info
	retries atomic.Int64
}

// OpenWorkload opens a workload component.
func (p *Plugin) OpenWorkload(ctx context.Context, opts Options) (*Workload, error) {
	o, err := p.open(ctx, lock.KindWorkload, opts)
	if err != nil {
		return nil, err
	}
	w := &Workload{opened: o}
	if w.info, err = o.workloadInfo(); err != nil {
		_ = o.Close()
		return nil, err
	}
	return w, nil
}

// workloadInfo checks what the workload says of itself.
func (o *opened) workloadInfo() (trajectory.Info, error) {
	said := o.info.GetWorkload()
	if said == nil {
		return trajectory.Info{}, o.malformed("Open", "workload is missing")
	}
	info := trajectory.Info{Trajectories: said.GetTrajectories(), Live: said.GetLive(), Fixed: said.GetFixed(),
		Params: raw(said.GetDefaults().GetParams()), Tools: raw(said.GetDefaults().GetTools()), Provenance: said.GetProvenance(), Losses: o.info.GetLosses()}
	if !isJSON(info.Params, '{') {
		return info, o.malformed("Open", "workload.defaults.params is no JSON object")
	}
	if !isJSON(info.Tools, '[') {
		return info, o.malformed("Open", "workload.defaults.tools is no JSON array")
	}
	known := []string{"", "exact", "estimated", "provisional", "recorded"}
	if !slices.Contains(known, info.Provenance) {
		return info, o.malformed("Open", "workload.provenance is %q, and one of %s is known", info.Provenance, strings.Join(known[1:], ", "))
	}
	return info, nil
}

// Info tells what the workload says of itself.
func (w *Workload) Info() trajectory.Info { return w.info }

// Retries counts plans that failed at first and were asked for again in a fresh instance.
func (w *Workload) Retries() int64 { return w.retries.Load() }

// Plan implements sched.Source. A plan that fails is asked for once more in a fresh instance.
func (w *Workload) Plan(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error) {
	t, err := w.plan(ctx, w.comp.Conn(), index, repeat)
	if err == nil || ctx.Err() != nil {
		return t, err
	}
	w.retries.Add(1)
	return w.PlanFresh(ctx, index, repeat)
}

// PlanFresh plans in an instance that has answered nothing before: the judge phase compares its trajectories with those
// of Plan.
func (w *Workload) PlanFresh(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error) {
	inst, err := w.comp.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	t, err := w.plan(ctx, inst, index, repeat)
	return t, errors.Join(err, inst.Close())
}

func (w *Workload) plan(ctx context.Context, conn grpc.ClientConnInterface, index uint64, repeat uint32) (*trajectory.Trajectory, error) {
	s := seed.Derive(w.opts.RootSeed, seed.Plan, []byte(w.opts.FullName), seed.Uint(index), seed.Uint(uint64(repeat)))
	response, err := pb.NewWorkloadClient(conn).Plan(ctx, &pb.PlanRequest{Index: index, Repeat: repeat, Seed: s[:]})
	if err != nil {
		return nil, err
	}
	said := response.GetTrajectory()
	switch {
	case said == nil:
		return nil, w.malformed("Plan", "index %d: trajectory is missing", index)
	case len(said.GetTurns()) > lock.MaxTurns:
		return nil, w.malformed("Plan", "index %d: %d turns, and %d are allowed", index, len(said.GetTurns()), lock.MaxTurns)
	case len(said.GetState()) > lock.MaxState:
		return nil, w.malformed("Plan", "index %d: a state of %d bytes, and %d are allowed", index, len(said.GetState()), lock.MaxState)
	}
	// The reply's limit bounds the trajectory's bytes.
	t, err := trajectoryOf(said, index)
	if err == nil {
		err = t.Check()
	}
	if err != nil {
		return nil, w.malformed("Plan", "index %d: %v", index, err)
	}
	return t, nil
}

// Next implements sched.Folder.
func (w *Workload) Next(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	return w.next(ctx, w.comp.Conn(), state, turn, x)
}

// NextFresh is Next in an instance that has answered nothing before.
func (w *Workload) NextFresh(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	inst, err := w.comp.Fresh(ctx)
	if err != nil {
		return trajectory.Step{}, err
	}
	step, err := w.next(ctx, inst, state, turn, x)
	return step, errors.Join(err, inst.Close())
}

func (w *Workload) next(ctx context.Context, conn grpc.ClientConnInterface, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	response, err := pb.NewWorkloadClient(conn).Next(ctx, &pb.NextRequest{State: state, Turn: turn, Answer: answerOf(x.Outcome, x.Cause, x.Answer)})
	if err != nil {
		return trajectory.Step{}, err
	}
	if n := len(response.GetState()); n > lock.MaxState {
		return trajectory.Step{}, w.malformed("Next", "a state of %d bytes, and %d are allowed", n, lock.MaxState)
	}
	turns, err := turnsOf(response.GetTurns())
	if err != nil {
		return trajectory.Step{}, w.malformed("Next", "%v", err)
	}
	step := trajectory.Step{State: response.GetState(), Turns: turns}
	if end := response.GetEnd(); end != nil {
		step.End = &trajectory.End{Outcome: end.GetOutcome(), Result: raw(end.GetResult())}
		if !isJSON(step.End.Result, 0) {
			return trajectory.Step{}, w.malformed("Next", "end.result is no JSON")
		}
	}
	return step, nil
}

// IsPluginError reports whether err came from a plugin, and gives the kind of failure that judgements keep.
func IsPluginError(err error) (kind string, ok bool) {
	e, ok := errors.AsType[*host.Error](err)
	if !ok {
		return "", false
	}
	return e.Kind(), true
}
