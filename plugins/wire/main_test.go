package wire_test

import (
	"context"
	"os"
	"testing"

	"google.golang.org/grpc"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wasmworker"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

// TestMain lets the test binary be the worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == wasmworker.Command {
		os.Exit(wasmworker.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// fake plays every service of a plugin; a nil function is not implemented.
type fake struct {
	pb.UnimplementedPluginServer
	pb.UnimplementedWorkloadServer
	pb.UnimplementedValidatorServer
	pb.UnimplementedScorerServer
	pb.UnimplementedCounterServer
	description *pb.DescribeResponse

	open        func(*pb.OpenRequest) (*pb.OpenResponse, error)
	checkInputs func(*pb.CheckInputsRequest) (*pb.CheckInputsResponse, error)
	plan        func(*pb.PlanRequest) (*pb.PlanResponse, error)
	next        func(*pb.NextRequest) (*pb.NextResponse, error)
	check       func(*pb.CheckRequest) (*pb.CheckResponse, error)
	score       func(*pb.ScoreRequest) (*pb.ScoreResponse, error)
	count       func(*pb.CountRequest) (*pb.CountResponse, error)
}

func (f *fake) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return f.description, nil
}

func (f *fake) Open(_ context.Context, q *pb.OpenRequest) (*pb.OpenResponse, error) {
	if f.open == nil {
		return &pb.OpenResponse{Workload: &pb.WorkloadInfo{}}, nil
	}
	return f.open(q)
}

func (f *fake) CheckInputs(ctx context.Context, q *pb.CheckInputsRequest) (*pb.CheckInputsResponse, error) {
	if f.checkInputs == nil {
		return f.UnimplementedPluginServer.CheckInputs(ctx, q)
	}
	return f.checkInputs(q)
}

func (f *fake) Plan(_ context.Context, q *pb.PlanRequest) (*pb.PlanResponse, error) { return f.plan(q) }
func (f *fake) Next(_ context.Context, q *pb.NextRequest) (*pb.NextResponse, error) { return f.next(q) }
func (f *fake) Check(_ context.Context, q *pb.CheckRequest) (*pb.CheckResponse, error) {
	return f.check(q)
}
func (f *fake) Score(_ context.Context, q *pb.ScoreRequest) (*pb.ScoreResponse, error) {
	return f.score(q)
}
func (f *fake) Count(_ context.Context, q *pb.CountRequest) (*pb.CountResponse, error) {
	return f.count(q)
}

func (f *fake) FoldCheck(_ context.Context, q *pb.FoldRequest) (*pb.FoldResponse, error) {
	return &pb.FoldResponse{Account: append(q.GetAccount(), q.GetBatch()...)}, nil
}

// describe gives a fake's description and the manifest that fits it.
func describe() (*pb.DescribeResponse, *lock.Manifest) {
	kinds := []struct {
		name   string
		kind   lock.Kind
		number pb.Kind
	}{
		{"workload", lock.KindWorkload, pb.Kind_KIND_WORKLOAD},
		{"validator", lock.KindValidator, pb.Kind_KIND_VALIDATOR},
		{"scorer", lock.KindScorer, pb.Kind_KIND_SCORER},
		{"counter", lock.KindCounter, pb.Kind_KIND_COUNTER},
	}
	d := &pb.DescribeResponse{Name: "fake", Version: "1.2.3", ContractVersion: 1}
	m := &lock.Manifest{Schema: lock.ManifestSchema, Name: "fake", Version: "1.2.3", Contract: 1, License: "Apache-2.0"}
	for _, k := range kinds {
		d.Components = append(d.Components, &pb.Component{Kind: k.number, Name: k.name, Purity: pb.Purity_PURITY_PURE, Unit: pb.Unit_UNIT_TURN,
			Capabilities: []pb.Capability{pb.Capability_CAPABILITY_INPUTS}, Inputs: []string{"data"}})
		m.Components = append(m.Components, lock.Component{Kind: k.kind, Name: k.name, Purity: lock.PurityPure,
			Capabilities: []lock.Capability{lock.CapabilityInputs}, Inputs: []string{"data"}})
	}
	return d, m
}

// load loads a fake; make is asked for each instance.
func load(t *testing.T, make func() *fake) *wire.Plugin {
	t.Helper()
	description, manifest := describe()
	p := host.InProcess("std/fake", manifest, nil, func(r grpc.ServiceRegistrar) {
		f := make()
		if f.description == nil {
			f.description = description
		}
		pb.RegisterPluginServer(r, f)
		pb.RegisterWorkloadServer(r, f)
		pb.RegisterValidatorServer(r, f)
		pb.RegisterScorerServer(r, f)
		pb.RegisterCounterServer(r, f)
	})
	t.Cleanup(func() { _ = p.Close() })
	w, err := wire.Load(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func options(component string) wire.Options {
	return wire.Options{FullName: "std/fake/" + component, Component: component, RootSeed: 42}
}
