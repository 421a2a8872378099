package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"paceline/core/digest"
	"paceline/core/seed"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// Options say how a component is opened.
type Options struct {
	FullName  string // source/plugin/component: it goes into seeds and journals
	Component string // its name in the plugin
	Config    json.RawMessage
	RootSeed  uint64 // the run's
	Inputs    []Input
	Granted   []lock.Capability // what the component does not ask for is left out
	Workers   int               // processes at most; 0 means 1
	Limits    lock.Limits
	// Passes remembers checked inputs and prepared data; nil: nothing is remembered.
	Passes *Passes
}

// Input is one input of a component, checked and open.
type Input struct {
	Name   string
	File   *os.File // the caller's; it stays open until the component is closed
	Size   int64
	SHA256 digest.SHA256
	Path   string // for messages
}

// opened is what all opened components share.
type opened struct {
	opts   Options
	plugin *Plugin
	about  *pb.Component
	seed   seed.Seed
	comp   *host.Component

	mu       sync.Mutex
	info     *pb.OpenResponse // of the first instance
	prepared []byte
}

// open opens a component of that kind: its first instance has answered Open without faults then.
func (p *Plugin) open(ctx context.Context, kind lock.Kind, opts Options) (*opened, error) {
	about := componentOf(p.description, opts.Component)
	if about == nil {
		return nil, fmt.Errorf("plugin %s has no component %s", p.host.Name(), opts.Component)
	}
	if got := kindOf(about.GetKind()); got != kind {
		return nil, fmt.Errorf("component %s of plugin %s is a %s, and a %s is wanted", opts.Component, p.host.Name(), got, kind)
	}
	opts.Granted = asked(about, opts.Granted)
	if len(opts.Inputs) > 0 && !slices.Contains(opts.Granted, lock.CapabilityInputs) {
		return nil, fmt.Errorf("component %s of plugin %s is given inputs, and it does not ask for the capability inputs or was not granted it", opts.Component, p.host.Name())
	}
	o := &opened{opts: opts, plugin: p, about: about, seed: seed.Derive(opts.RootSeed, seed.Component, []byte(opts.FullName))}
	o.prepared = opts.Passes.prepared(o)
	ho := host.ComponentOptions{Name: opts.Component, Seed: o.seed, Workers: opts.Workers, Limits: opts.Limits, Opened: o.ready}
	for _, in := range opts.Inputs {
		ho.Inputs = append(ho.Inputs, host.Input{File: in.File, Size: in.Size})
	}
	comp, err := p.host.Open(ctx, ho)
	if err != nil {
		return nil, err
	}
	o.comp = comp
	return o, nil
}

// asked keeps of what was granted what the component asks for.
func asked(about *pb.Component, granted []lock.Capability) []lock.Capability {
	var both []lock.Capability
	for _, c := range capabilitiesOf(about.GetCapabilities()) {
		if slices.Contains(granted, c) {
			both = append(both, c)
		}
	}
	return both
}

// ready sends Open to a fresh instance.
func (o *opened) ready(ctx context.Context, conn grpc.ClientConnInterface) error {
	o.mu.Lock()
	prepared := o.prepared
	o.mu.Unlock()
	request := &pb.OpenRequest{Component: o.opts.Component, Config: o.opts.Config, Seed: o.seed[:],
		Granted: capabilityNumbers(o.opts.Granted), Prepared: prepared}
	for i, in := range o.opts.Inputs {
		request.Inputs = append(request.Inputs, &pb.Input{Name: in.Name, Handle: uint32(i), Size: uint64(in.Size), Sha256: in.SHA256[:],
			Path: o.plugin.host.InputPath(i)})
	}
	response, err := pb.NewPluginClient(conn).Open(ctx, request)
	if err != nil {
		return err
	}
	if faults := response.GetFaults(); len(faults) > 0 {
		return &FaultsError{Plugin: o.plugin.host.Name(), Component: o.opts.Component, Faults: faultsOf(faults)}
	}
	return o.settle(response)
}

// settle keeps what the first instance said, and holds later ones to it: instances must not differ.
func (o *opened) settle(response *pb.OpenResponse) error {
	if n := len(response.GetPrepared()); n > lock.MaxPrepared {
		return o.malformed("Open", "prepared has %d bytes, and %d are allowed", n, lock.MaxPrepared)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.info == nil {
		o.info = response
		if len(response.GetPrepared()) > 0 {
			o.prepared = response.GetPrepared()
		}
		return nil
	}
	if !proto.Equal(o.info.GetWorkload(), response.GetWorkload()) {
		return o.malformed("Open", "two instances with the same configuration and inputs differ in what they say of the workload")
	}
	return nil
}

// Close ends the component's workers.
func (o *opened) Close() error { return o.comp.Close() }

// Name is the component's full name.
func (o *opened) Name() string { return o.opts.FullName }

// Component gives what the host knows of the component, for counters.
func (o *opened) Component() *host.Component { return o.comp }

// Seed is the component's seed.
func (o *opened) Seed() seed.Seed { return o.seed }

// malformed is the error of an answer that breaks a rule of the contract.
func (o *opened) malformed(call, format string, args ...any) error {
	return &host.Error{Plugin: o.plugin.host.Name(), Component: o.opts.Component, Call: call, Cause: host.Malformed,
		Text: fmt.Sprintf(format, args...)}
}
