package wire

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"

	"paceline/plugins/host"
	pb "paceline/schemas/gen/pluginv1"
)

// Fault is one thing wrong with a configuration or an input.
type Fault struct {
	Input    string `json:"input,omitempty"`
	Line     uint64 `json:"line,omitempty"` // from 1; 0: none
	Offset   uint64 `json:"offset,omitempty"`
	Pointer  string `json:"pointer,omitempty"` // JSON Pointer
	Code     string `json:"code"`
	Message  string `json:"message"`
	Expected string `json:"expected,omitempty"`
}

// String tells a fault in one line: input, line, pointer, code, message and what was expected.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.Input)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if f.Pointer != "" {
		b.WriteString(f.Pointer + ": ")
	}
	b.WriteString(f.Message + " (" + f.Code + ")")
	if f.Expected != "" {
		b.WriteString("; expected: " + f.Expected)
	}
	return b.String()
}

// FaultsError says that a configuration or inputs were refused.
type FaultsError struct {
	Plugin, Component string
	Faults            []Fault
	Dropped           uint64 // faults beyond the limit
}

// Error has one line for each fault.
func (e *FaultsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plugin %s, component %s: %d faults", e.Plugin, e.Component, uint64(len(e.Faults))+e.Dropped)
	for _, f := range e.Faults {
		b.WriteString("\n  " + f.String())
	}
	if e.Dropped > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.Dropped)
	}
	return b.String()
}

func faultsOf(list []*pb.Fault) []Fault {
	faults := make([]Fault, len(list))
	for i, f := range list {
		faults[i] = Fault{Input: f.GetInput(), Line: f.GetLine(), Offset: f.GetOffset(), Pointer: f.GetPointer(),
			Code: f.GetCode(), Message: f.GetMessage(), Expected: f.GetExpected()}
	}
	return faults
}

// Checked is what checking inputs found.
type Checked struct {
	Items      uint64 // trajectories seen
	Remembered bool   // an earlier pass was enough
}

// maxCursor bounds the cursor between two steps.
const maxCursor = 256 << 10

// CheckInputs validates the component's inputs step by step, every fault collected up to the limit of findings; progress
// (which may be nil) hears of each step's count of trajectories. Faults are a *FaultsError. A pass is remembered.
func (o *opened) CheckInputs(ctx context.Context, progress func(items uint64)) (Checked, error) {
	if items, ok := o.opts.Passes.passed(o); ok {
		return Checked{Items: items, Remembered: true}, nil
	}
	limit := o.comp.Limits().Findings
	failed := &FaultsError{Plugin: o.plugin.host.Name(), Component: o.opts.Component}
	client := pb.NewPluginClient(o.comp.Conn())
	var cursor []byte
	var items uint64
	for {
		step, err := client.CheckInputs(ctx, &pb.CheckInputsRequest{Cursor: cursor, MaxFaults: uint32(limit)})
		if host.IsStatus(err, uint32(codes.Unimplemented)) {
			break
		}
		if err != nil {
			return Checked{}, err
		}
		for _, f := range faultsOf(step.GetFaults()) {
			if len(failed.Faults) < limit {
				failed.Faults = append(failed.Faults, f)
			} else {
				failed.Dropped++
			}
		}
		items = step.GetItems()
		if progress != nil {
			progress(items)
		}
		if step.GetDone() {
			break
		}
		if err := o.checkCursor(cursor, step.GetCursor()); err != nil {
			return Checked{}, err
		}
		cursor = step.GetCursor()
	}
	if len(failed.Faults) > 0 {
		return Checked{Items: items}, failed
	}
	o.opts.Passes.remember(o, items)
	return Checked{Items: items}, nil
}

// checkCursor refuses a step that would be repeated for ever.
func (o *opened) checkCursor(before, after []byte) error {
	switch {
	case len(after) > maxCursor:
		return o.malformed("CheckInputs", "the cursor has %d bytes, and %d are allowed", len(after), maxCursor)
	case len(after) == 0 || string(before) == string(after):
		return o.malformed("CheckInputs", "the step is not done and its cursor does not go on")
	}
	return nil
}
