package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"paceline/core/seed"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

// rootSeed is the seed of every call of the kit.
const rootSeed = 42

// component is one component under test.
type component struct {
	s       *suite
	about   *pb.Component
	kind    lock.Kind
	name    string
	full    string
	config  json.RawMessage
	inputs  []wire.Input
	missing string // an input that was not given

	work  *wire.Workload // where the component is one of these, and opens
	plans []firstPlan
	walks [][]walked

	judge hearer // or one of these
	first heard  // what it said of everything at once
	asked bool   // it said something
	alone string // why it is asked about no samples; empty: it is
}

// check is one check of a component.
type check struct {
	name string
	run  func(*component, context.Context) error
}

// everyone are the checks of all kinds after the component was opened.
func everyone() []check {
	return []check{
		{"open-again", (*component).openAgain},
		{"configuration-schema", (*component).configSchema},
		{"bad-configuration", (*component).badConfig},
		{"unknown-fields", (*component).unknownFields},
		{"other-methods", (*component).otherMethods},
		{"cancellation", (*component).cancellation},
		{"interpreter", func(c *component, ctx context.Context) error { return c.inEngine(ctx, c.s.engines[0]) }},
		{"arm64", func(c *component, ctx context.Context) error { return c.inEngine(ctx, c.s.engines[1]) }},
		{"log", (*component).logKept},
	}
}

// component runs the checks of one component. Where it does not open, the others are skipped and say so.
func (s *suite) component(ctx context.Context, about *pb.Component) {
	c := s.newComponent(about)
	defer c.close()
	opened := s.check(ctx, c.name, "open", c.open)
	own := judgeChecks(c.kind)
	if c.kind == lock.KindWorkload {
		own = workloadChecks()
	}
	for i, k := range slices.Concat(own, everyone()) {
		s.check(ctx, c.name, k.name, func(ctx context.Context) error {
			switch {
			case !opened && c.missing != "":
				return skipf("needs the input %s, which was not given", c.missing)
			case !opened:
				return skipf("the component does not open")
			case i < len(own) && c.alone != "":
				return skipf("%s", c.alone)
			}
			return k.run(c, ctx)
		})
	}
}

func (s *suite) newComponent(about *pb.Component) *component {
	m := s.main.loaded.Manifest()
	c := &component{s: s, about: about, name: about.GetName(), full: "test/" + m.Name + "/" + about.GetName(), config: s.o.Config[about.GetName()]}
	if said, ok := m.Component(c.name); ok {
		c.kind = said.Kind
	}
	if c.config == nil {
		c.config = json.RawMessage("{}")
	}
	for _, name := range about.GetInputs() {
		in := cmp.Or(s.inputs[c.name+":"+name], s.inputs[name])
		if in == nil {
			c.missing = name
			continue
		}
		c.inputs = append(c.inputs, wire.Input{Name: name, File: in.File, Size: in.Size, SHA256: in.SHA256, Path: in.Path})
	}
	return c
}

func (c *component) close() {
	if c.work != nil {
		_ = c.work.Close()
	}
	if c.judge != nil {
		_ = c.judge.Close()
	}
}

// open opens the component as the other checks use it.
func (c *component) open(ctx context.Context) (err error) {
	needs := skipf("needs the input %[1]s: give --input %[1]s=FILE", c.missing)
	if c.kind == lock.KindWorkload {
		if c.missing != "" {
			return needs
		}
		c.work, err = c.s.main.plugin.OpenWorkload(ctx, c.options(c.s.main, 1))
		return err
	}
	h, err := c.openJudge(ctx, c.s.main, 1)
	if err == nil {
		c.judge = h
	}
	if _, ok := errors.AsType[*wire.FaultsError](err); ok && c.missing != "" {
		return needs // a judge may do without
	}
	return err
}

// options are how the component is opened; it is granted what it asks for.
func (c *component) options(b *bench, workers int) wire.Options {
	var granted []lock.Capability
	if said, ok := b.loaded.Manifest().Component(c.name); ok {
		granted = said.Capabilities
	}
	return wire.Options{FullName: c.full, Component: c.name, Config: c.config, RootSeed: rootSeed, Inputs: c.inputs, Granted: granted,
		Workers: workers, Limits: b.limits}
}

// comp is what the host knows of the opened component.
func (c *component) comp() *host.Component {
	if c.work != nil {
		return c.work.Component()
	}
	return c.judge.Component()
}

// openRequest is what opens the component.
func (c *component) openRequest() *pb.OpenRequest {
	sum := seed.Derive(rootSeed, seed.Component, []byte(c.full))
	q := &pb.OpenRequest{Component: c.name, Config: c.config, Seed: sum[:], Granted: c.about.GetCapabilities()}
	for i, in := range c.inputs {
		q.Inputs = append(q.Inputs, &pb.Input{Name: in.Name, Handle: uint32(i), Size: uint64(in.Size), Sha256: in.SHA256[:], Path: c.s.main.loaded.InputPath(i)})
	}
	return q
}

// rawOpen opens the component with a request of the kit's own, and hands over the answer with the instance's connection.
func (c *component) rawOpen(ctx context.Context, q *pb.OpenRequest, then func(*pb.OpenResponse, grpc.ClientConnInterface) error) error {
	o := host.ComponentOptions{Name: c.name, Seed: seed.Derive(rootSeed, seed.Component, []byte(c.full)), Limits: c.s.main.limits}
	for _, in := range c.inputs {
		o.Inputs = append(o.Inputs, host.Input{File: in.File, Size: in.Size})
	}
	var answer *pb.OpenResponse
	o.Opened = func(ctx context.Context, conn grpc.ClientConnInterface) (err error) {
		answer, err = pb.NewPluginClient(conn).Open(ctx, q)
		return err
	}
	comp, err := c.s.main.loaded.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = comp.Close() }()
	return then(answer, comp.Conn())
}

// openAgain opens fresh instances: they say the same, also with what an earlier one prepared.
func (c *component) openAgain(ctx context.Context) error {
	var first *pb.OpenResponse
	keep := func(r *pb.OpenResponse, _ grpc.ClientConnInterface) error {
		first = r
		return nil
	}
	if err := c.rawOpen(ctx, c.openRequest(), keep); err != nil {
		return err
	}
	again := func(what string, expected proto.Message, q *pb.OpenRequest) error {
		return c.rawOpen(ctx, q, func(r *pb.OpenResponse, _ grpc.ClientConnInterface) error {
			found := proto.Clone(r).(*pb.OpenResponse) //nolint:errcheck // a clone is of its message's type
			if q.GetPrepared() != nil {
				found.Prepared = nil
			}
			return same(what, canonical(expected), canonical(found))
		})
	}
	if err := again("the same answer to Open from a fresh instance", first, c.openRequest()); err != nil {
		return err
	}
	if err := again("the same answer to Open where it has fields of the future", first, withUnknown(c.openRequest())); err != nil {
		return err
	}
	if len(first.GetPrepared()) == 0 {
		return nil
	}
	q := c.openRequest()
	q.Prepared = first.GetPrepared()
	bare := proto.Clone(first).(*pb.OpenResponse) //nolint:errcheck // as above
	bare.Prepared = nil
	return again("the same component where it is opened with what was prepared", bare, q)
}

// otherMethods calls what the component's kind does not have: the answer is the status UNIMPLEMENTED, and the instance goes on.
func (c *component) otherMethods(ctx context.Context) error {
	conn := c.comp().Conn()
	calls := map[string]func() error{
		"Plan":  func() error { _, err := pb.NewWorkloadClient(conn).Plan(ctx, &pb.PlanRequest{}); return err },
		"Score": func() error { _, err := pb.NewScorerClient(conn).Score(ctx, &pb.ScoreRequest{}); return err },
		"Count": func() error { _, err := pb.NewCounterClient(conn).Count(ctx, &pb.CountRequest{}); return err },
	}
	for _, name := range sortedNames(calls) {
		if name == map[lock.Kind]string{lock.KindWorkload: "Plan", lock.KindScorer: "Score", lock.KindCounter: "Count"}[c.kind] {
			continue
		}
		if err := calls[name](); !host.IsStatus(err, uint32(codes.Unimplemented)) {
			return unlike(fmt.Sprintf("status %d (UNIMPLEMENTED) for %s, which is of another kind", codes.Unimplemented, name), "%v", orNothing(err))
		}
	}
	return nil
}

// logKept holds the component to the limit of log lines, as far as it was opened for these checks.
func (c *component) logKept(context.Context) error {
	if lines, bytes := c.comp().LogCut(); lines > 0 {
		return unlike("no more log than the limit allows", "%d lines (%d bytes) above it", lines, bytes)
	}
	return nil
}

func orNothing(err error) error {
	if err == nil {
		return errors.New("an answer")
	}
	return err
}
