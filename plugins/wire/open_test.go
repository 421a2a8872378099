package wire_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"paceline/core/digest"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

func TestDescriptionDisagrees(t *testing.T) {
	tests := []struct {
		name   string
		change func(*pb.DescribeResponse)
		want   string
	}{
		{"name", func(d *pb.DescribeResponse) { d.Name = "other" }, "name is fake in the manifest and other in the description"},
		{"version", func(d *pb.DescribeResponse) { d.Version = "1.2.4" }, "version is 1.2.3 in the manifest and 1.2.4"},
		{"contract", func(d *pb.DescribeResponse) { d.ContractVersion = 2 }, "contract version is 1 in the manifest and 2"},
		{"fewer", func(d *pb.DescribeResponse) { d.Components = d.Components[1:] }, "number of components is 4 in the manifest and 3"},
		{"kind", func(d *pb.DescribeResponse) { d.Components[0].Kind = pb.Kind_KIND_SCORER }, "workload: kind is workload in the manifest and scorer"},
		{"purity", func(d *pb.DescribeResponse) { d.Components[0].Purity = 99 }, "workload: purity is pure in the manifest and unknown (99)"},
		{"capability", func(d *pb.DescribeResponse) {
			d.Components[2].Capabilities = append(d.Components[2].Capabilities, pb.Capability_CAPABILITY_NETWORK)
		}, "scorer: capabilities is [inputs] in the manifest and [inputs network]"},
		{"inputs", func(d *pb.DescribeResponse) { d.Components[1].Inputs = nil }, "validator: inputs is [data]"},
		{"schema", func(d *pb.DescribeResponse) { d.Components[0].ConfigSchema = []byte(`{"type":"object"}`) }, "workload: the configuration's schema is another one"},
		{"renamed", func(d *pb.DescribeResponse) { d.Components[3].Name = "x" }, "component counter is in the manifest only"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			description, manifest := describe()
			description.Components[0].ConfigSchema = []byte(`{"type": "object", "properties": {}}`)
			manifest.Components[0].ConfigSchema = []byte(`{"properties":{},"type":"object"}`)
			test.change(description)
			p := host.InProcess("std/fake", manifest, nil, func(r grpc.ServiceRegistrar) { pb.RegisterPluginServer(r, &fake{description: description}) })
			defer p.Close()
			_, err := wire.Load(t.Context(), p)
			e, ok := errors.AsType[*host.Error](err)
			if !ok || e.Cause != host.Interface || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestOpenFaults(t *testing.T) {
	p := load(t, func() *fake {
		return &fake{open: func(*pb.OpenRequest) (*pb.OpenResponse, error) {
			return &pb.OpenResponse{Faults: []*pb.Fault{{Pointer: "/min", Code: "not-a-number", Message: "min is a text", Expected: "a number"}}}, nil
		}}
	})
	_, err := p.OpenValidator(t.Context(), options("validator"))
	e, ok := errors.AsType[*wire.FaultsError](err)
	want := []wire.Fault{{Pointer: "/min", Code: "not-a-number", Message: "min is a text", Expected: "a number"}}
	if !ok || cmp.Diff(want, e.Faults) != "" || !strings.Contains(err.Error(), "/min: min is a text (not-a-number); expected: a number") {
		t.Errorf("got %v", err)
	}
	if _, err := p.OpenScorer(t.Context(), options("validator")); err == nil || !strings.Contains(err.Error(), "is a validator, and a scorer is wanted") {
		t.Errorf("wrong kind: got %v", err)
	}
	if _, err := p.OpenScorer(t.Context(), options("none")); err == nil || !strings.Contains(err.Error(), "has no component none") {
		t.Errorf("wrong name: got %v", err)
	}
}

func inputOf(t *testing.T, text string) wire.Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return wire.Input{Name: "data", File: f, Size: int64(len(text)), SHA256: digest.Of([]byte(text))}
}

func TestCheckInputs(t *testing.T) {
	steps := 0
	checker := func(faulty bool) func() *fake {
		return func() *fake {
			return &fake{
				open: func(q *pb.OpenRequest) (*pb.OpenResponse, error) {
					response := &pb.OpenResponse{Workload: &pb.WorkloadInfo{Trajectories: 3}}
					if len(q.GetPrepared()) == 0 {
						response.Prepared = []byte("an index")
					}
					return response, nil
				},
				checkInputs: func(q *pb.CheckInputsRequest) (*pb.CheckInputsResponse, error) {
					steps++
					n := len(q.GetCursor())
					response := &pb.CheckInputsResponse{Items: uint64(n + 1), Cursor: append(q.GetCursor(), 'x'), Done: n == 2}
					if faulty {
						response.Faults = []*pb.Fault{{Input: "data", Line: uint64(n + 1), Code: "c", Message: "m"}}
					}
					return response, nil
				},
			}
		}
	}
	opts := options("workload")
	opts.Granted = []lock.Capability{lock.CapabilityInputs}
	opts.Inputs, opts.Passes = []wire.Input{inputOf(t, "abc")}, &wire.Passes{Dir: filepath.Join(t.TempDir(), "passes")}
	open := func(faulty bool) *wire.Workload {
		w, err := load(t, checker(faulty)).OpenWorkload(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		return w
	}
	var heard []uint64
	_, err := open(true).CheckInputs(t.Context(), func(n uint64) { heard = append(heard, n) })
	if e, ok := errors.AsType[*wire.FaultsError](err); !ok || len(e.Faults) != 3 || e.Faults[2].Line != 3 || cmp.Diff([]uint64{1, 2, 3}, heard) != "" {
		t.Errorf("faulty: got %v, heard %v", err, heard)
	}
	if got, err := open(false).CheckInputs(t.Context(), nil); err != nil || got != (wire.Checked{Items: 3}) {
		t.Errorf("good: got %v, %v", got, err)
	}
	before := steps
	if got, err := open(false).CheckInputs(t.Context(), nil); err != nil || got != (wire.Checked{Items: 3, Remembered: true}) || steps != before {
		t.Errorf("again: got %v, %v after %d steps", got, err, steps-before)
	}
	entries, err := filepath.Glob(filepath.Join(opts.Passes.Dir, "*"))
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if err := os.WriteFile(entries[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := open(false).CheckInputs(t.Context(), nil); err != nil || got.Remembered {
		t.Errorf("damaged: got %v, %v", got, err)
	}
	opts.Inputs = []wire.Input{inputOf(t, "other")}
	refused := opts
	refused.Granted = []lock.Capability{lock.CapabilityNetwork}
	if _, err := load(t, checker(false)).OpenWorkload(t.Context(), refused); err == nil || !strings.Contains(err.Error(), "was not granted") {
		t.Errorf("inputs without the capability: got %v", err)
	}
	if got, err := open(false).CheckInputs(t.Context(), nil); err != nil || got.Remembered {
		t.Errorf("another input: got %v, %v", got, err)
	}
}

func TestCheckInputsRules(t *testing.T) {
	answer := &pb.CheckInputsResponse{}
	check := func() (wire.Checked, error) {
		opts := options("workload")
		opts.Limits = lock.Limits{Findings: 2}
		w, err := load(t, func() *fake {
			return &fake{checkInputs: func(*pb.CheckInputsRequest) (*pb.CheckInputsResponse, error) { return answer, nil }}
		}).OpenWorkload(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.CheckInputs(t.Context(), nil)
	}
	if _, err := check(); err == nil || !strings.Contains(err.Error(), "cursor does not go on") {
		t.Errorf("no cursor: got %v", err)
	}
	answer = &pb.CheckInputsResponse{Cursor: []byte("same")}
	if _, err := check(); err == nil || !strings.Contains(err.Error(), "cursor does not go on") {
		t.Errorf("the same cursor: got %v", err)
	}
	answer = &pb.CheckInputsResponse{Done: true, Faults: []*pb.Fault{{Code: "1"}, {Code: "2"}, {Code: "3"}}}
	if _, err := check(); err == nil || !strings.Contains(err.Error(), "3 faults") || !strings.Contains(err.Error(), "and 1 more") {
		t.Errorf("many faults: got %v", err)
	}
	w := openWorkload(t, func() *fake { return &fake{} })
	if got, err := w.CheckInputs(t.Context(), nil); err != nil || got != (wire.Checked{}) {
		t.Errorf("not implemented: got %v, %v", got, err)
	}
}
