package cli

import (
	"context"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
)

// openWorkload is one workload of the run, opened.
type openWorkload struct {
	config.Part
	full string // name of its component, with the source
	info trajectory.Info
	wire *wire.Workload
}

// supply is where its trajectories come from.
func (w *openWorkload) supply() sched.Supply {
	s := sched.Supply{Source: w.wire}
	if w.info.Live {
		s.Folder = w.wire
	}
	return s
}

// proof shows that it is deterministic.
func (w *openWorkload) proof() session.Proof {
	p := session.Proof{Replanner: w.wire}
	if w.info.Live {
		p.Refolder = w.wire
	}
	return p
}

// record is what run.json tells of it.
func (w *openWorkload) record(mixed bool) journal.Workload {
	r := journal.Workload{
		Name: w.Key, Trajectories: w.info.Trajectories, Fixed: w.info.Fixed, Live: w.info.Live,
		Provenance: w.info.Provenance, Losses: w.info.Losses, Params: w.info.Params, Tools: w.info.Tools,
	}
	if mixed {
		r.Weight = uint32(*w.Weight)
	}
	if w.full != w.Key {
		r.Component = w.full
	}
	return r
}

// workloadNames are the components of the run's workloads.
func workloadNames(run *config.Run) []string {
	var names []string
	for _, part := range run.Parts() {
		names = append(names, part.Name)
	}
	return names
}

func (b *builder) workloadOpeners() []opener {
	var list []opener
	for _, part := range b.run.Parts() {
		list = append(list, func(ctx context.Context) (func(*stage), error) { return b.workload(ctx, part) })
	}
	return list
}

// workload opens a workload and has its inputs checked. Workloads of one plugin share its module.
func (b *builder) workload(ctx context.Context, part config.Part) (func(*stage), error) {
	p, o, err := b.options(part.Name, part.Config)
	if err != nil {
		return nil, err
	}
	o.FullName, o.Inputs = part.Key, b.inputs[part.Key]
	if len(o.Inputs) > 0 && o.Granted == nil {
		o.Granted = []lock.Capability{lock.CapabilityInputs}
	}
	w, err := p.OpenWorkload(ctx, o)
	if err != nil {
		return nil, b.refused(err, o.Inputs)
	}
	if _, err := w.CheckInputs(ctx, b.checked(part.Name, w.Info().Trajectories)); err != nil {
		_ = w.Close()
		return nil, b.refused(err, o.Inputs)
	}
	plugin, component, err := splitName(part.Name, b.run.Plugins)
	if err != nil {
		_ = w.Close()
		return nil, fail(exitUsage, err)
	}
	return func(s *stage) {
		s.closers = append(s.closers, func() { _ = w.Close() })
		s.workloads = append(s.workloads, &openWorkload{part, plugin + "/" + component, w.Info(), w})
	}, nil
}

// parts puts the workloads into what the session plays with.
func (s *stage) parts(mixed bool, p *session.Parts) *session.Parts {
	if !mixed {
		supply := s.workloads[0].supply()
		p.Source, p.Folder = supply.Source, supply.Folder
		return p
	}
	p.Workloads = map[string]sched.Supply{}
	for _, w := range s.workloads {
		p.Workloads[w.Key] = w.supply()
	}
	return p
}

// sources are where the trajectories of all workloads come from.
func (s *stage) sources() []sched.Source {
	var list []sched.Source
	for _, w := range s.workloads {
		list = append(list, w.wire)
	}
	return list
}

// proofs puts the workloads into what a run is judged with; of a finished run none is open.
func (s *stage) proofs(j *session.Judges) *session.Judges {
	if len(s.workloads) == 1 {
		p := s.workloads[0].proof()
		j.Replanner, j.Refolder = p.Replanner, p.Refolder
	}
	if len(s.workloads) > 0 {
		j.Proofs = map[string]session.Proof{}
	}
	for _, w := range s.workloads {
		j.Proofs[w.Key] = w.proof()
	}
	return j
}

// trajectories is how many trajectories all workloads have; 0: one makes as many as asked for.
func (s *stage) trajectories() uint64 {
	var sum uint64
	for _, w := range s.workloads {
		if w.info.Trajectories == 0 {
			return 0
		}
		sum += w.info.Trajectories
	}
	return sum
}

// member is a workload of a mix for the scheduler. The rule for its history becomes part of run.
func (w *openWorkload) member(run *config.Run) (sched.Member, error) {
	m := sched.Member{
		Workload: w.Key, Info: w.info, Weight: uint32(*w.Weight), MaxTokens: w.MaxTokens, History: chat.HistoryRule(w.History),
	}
	if w.info.Live {
		m.History = chat.Live
	} else if m.History == "" {
		m.History = chat.HistoryRule(run.History)
	}
	resolved := run.Workloads[w.Key]
	resolved.History = string(m.History)
	run.Workloads[w.Key] = resolved
	var err error
	m.Params, err = config.JSON(w.Params)
	return m, err
}
