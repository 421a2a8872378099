// Package sdktest drives a plugin's components in ordinary Go tests through the bytes that a host would send, so that a
// test sees what a run would see: limits of the contract, presence, and nothing shared between calls.
package sdktest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"

	"paceline/sdk"
	"paceline/sdk/contract"
)

// Input is a data set in memory.
type Input struct {
	Name string
	Data []byte
}

// Options say how a component is opened.
type Options struct {
	Config   string // JSON
	Seed     []byte // nil: 32 zero bytes
	Inputs   []Input
	Prepared []byte
	Granted  []sdk.Capability // inputs are granted where there are any
}

// Component is one opened component. It is used from one goroutine.
type Component struct {
	Opened contract.OpenResponse // what Open answered
	Logs   *Logs

	tb       testing.TB
	instance *sdk.Instance
}

// Describe returns what the plugin tells about itself, and fails the test where its definition has faults.
func Describe(tb testing.TB, p *sdk.Plugin) *contract.DescribeResponse {
	tb.Helper()
	if err := p.Check(); err != nil {
		tb.Fatalf("plugin definition: %v", err)
	}
	response, err := call[contract.DescribeResponse](sdk.NewInstance(p, &memory{}), contract.MethodDescribe,
		&contract.DescribeRequest{ContractVersion: contract.Version})
	if err != nil {
		tb.Fatalf("describe: %v", err)
	}
	return response
}

// Open opens a component in a fresh instance and fails the test where that is not possible.
func Open(tb testing.TB, p *sdk.Plugin, component string, o Options) *Component {
	tb.Helper()
	c, err := TryOpen(tb, p, component, o)
	if err != nil {
		tb.Fatalf("open %s: %v", component, err)
	}
	return c
}

// TryOpen is Open for tests of what is refused: the error is sdk.Faults, or a status.
func TryOpen(tb testing.TB, p *sdk.Plugin, component string, o Options) (*Component, error) {
	host := &memory{inputs: o.Inputs}
	request := &contract.OpenRequest{Component: component, Config: []byte(o.Config), Seed: o.Seed, Prepared: o.Prepared, Granted: o.Granted}
	if o.Seed == nil {
		request.Seed = make([]byte, 32)
	}
	if len(o.Inputs) > 0 {
		request.Granted = append(request.Granted[:len(request.Granted):len(request.Granted)], sdk.CapabilityInputs)
	}
	for i, in := range o.Inputs {
		sum := sha256.Sum256(in.Data)
		request.Inputs = append(request.Inputs, contract.Input{Name: in.Name, Handle: uint32(i), Size: uint64(len(in.Data)), Sha256: sum[:]})
	}
	c := &Component{Logs: &host.logs, tb: tb, instance: sdk.NewInstance(p, host)}
	opened, err := call[contract.OpenResponse](c.instance, contract.MethodOpen, request)
	if err != nil {
		return nil, err
	}
	if len(opened.Faults) > 0 {
		return nil, sdk.Faults(opened.Faults)
	}
	c.Opened = *opened
	return c, nil
}

// CheckInputs takes all steps and returns every fault and the number of items seen. It fails the test where a step neither
// moves the cursor nor is the last.
func (c *Component) CheckInputs() ([]sdk.Fault, uint64, error) {
	c.tb.Helper()
	var faults []sdk.Fault
	request := &contract.CheckInputsRequest{MaxFaults: 1000}
	for {
		r, err := call[contract.CheckInputsResponse](c.instance, contract.MethodCheckInputs, request)
		if err != nil {
			return nil, 0, err
		}
		faults = append(faults, r.Faults...)
		if r.Done {
			return faults, r.Items, nil
		}
		if string(r.Cursor) == string(request.Cursor) {
			c.tb.Fatalf("CheckInputs stands still at cursor %q", r.Cursor)
		}
		request.Cursor = r.Cursor
	}
}

// Plan plans one trajectory.
func (c *Component) Plan(index uint64, repeat uint32, seed []byte) (*sdk.Trajectory, error) {
	r, err := call[contract.PlanResponse](c.instance, contract.MethodPlan, &contract.PlanRequest{Index: index, Repeat: repeat, Seed: seed})
	if err != nil {
		return nil, err
	}
	return r.Trajectory, nil
}

// Next takes one step of a live conversation.
func (c *Component) Next(state []byte, turn uint32, answer *sdk.Answer) (*sdk.NextResponse, error) {
	return call[contract.NextResponse](c.instance, contract.MethodNext, &contract.NextRequest{State: state, Turn: turn, Answer: answer})
}

// Preflight judges facts about the target.
func (c *Component) Preflight(facts []sdk.Fact, runConfig []byte) ([]sdk.Finding, error) {
	r, err := call[contract.PreflightResponse](c.instance, contract.MethodPreflight, &contract.PreflightRequest{Facts: facts, RunConfig: runConfig})
	if err != nil {
		return nil, err
	}
	return r.Findings, nil
}

// Check judges one batch.
func (c *Component) Check(samples ...sdk.Sample) (*contract.CheckResponse, error) {
	return call[contract.CheckResponse](c.instance, contract.MethodCheck, &contract.CheckRequest{Samples: samples})
}

// Score scores one batch.
func (c *Component) Score(samples ...sdk.Sample) (*contract.ScoreResponse, error) {
	return call[contract.ScoreResponse](c.instance, contract.MethodScore, &contract.ScoreRequest{Samples: samples})
}

// ConcludeCheck folds the accounts in order and asks a validator for its verdict.
func (c *Component) ConcludeCheck(run sdk.ConcludeRequest, accounts ...[]byte) (*sdk.ConcludeCheckResponse, error) {
	if err := c.fold(contract.MethodFoldCheck, &run, accounts); err != nil {
		return nil, err
	}
	return call[contract.ConcludeCheckResponse](c.instance, contract.MethodConcludeCheck, &run)
}

// ConcludeScore folds the accounts in order and asks a scorer for its score.
func (c *Component) ConcludeScore(run sdk.ConcludeRequest, accounts ...[]byte) (*sdk.ConcludeScoreResponse, error) {
	if err := c.fold(contract.MethodFoldScore, &run, accounts); err != nil {
		return nil, err
	}
	return call[contract.ConcludeScoreResponse](c.instance, contract.MethodConcludeScore, &run)
}

func (c *Component) fold(method contract.Method, run *sdk.ConcludeRequest, accounts [][]byte) error {
	for _, batch := range accounts {
		r, err := call[contract.FoldResponse](c.instance, method, &contract.FoldRequest{Account: run.Account, Batch: batch})
		if err != nil {
			return err
		}
		run.Account = r.Account
	}
	return nil
}

// Evaluate takes one step of an evaluation.
func (c *Component) Evaluate(request *sdk.EvaluateRequest) (*sdk.EvaluateResponse, error) {
	return call[contract.EvaluateResponse](c.instance, contract.MethodEvaluate, request)
}

// Count counts the tokens of samples.
func (c *Component) Count(samples ...sdk.Sample) ([]sdk.TokenCount, error) {
	r, err := call[contract.CountResponse](c.instance, contract.MethodCount, &contract.CountRequest{Samples: samples})
	if err != nil {
		return nil, err
	}
	return r.Counts, nil
}

// call sends a request as bytes and reads the reply.
func call[T any, P interface {
	*T
	Unmarshal([]byte) error
}](i *sdk.Instance, method contract.Method, request interface{ Marshal() []byte }) (*T, error) {
	body, err := sdk.ParseReply(i.Invoke(method, request.Marshal()))
	if err != nil {
		return nil, err
	}
	response := new(T)
	if err := P(response).Unmarshal(body); err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	return response, nil
}

// Code is the code of an error that a component returned; 0 for any other error.
func Code(err error) sdk.Code {
	var coded *sdk.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return 0
}

// Logs are the lines that a component logged.
type Logs struct{ Lines []string }

// memory is a host with its inputs in memory.
type memory struct {
	inputs []Input
	logs   Logs
}

func (m *memory) Log(level sdk.Level, text string) {
	m.logs.Lines = append(m.logs.Lines, fmt.Sprintf("%d %s", level, text))
}

// maxRead is the most that a host copies in one call.
const maxRead = 16 << 20

func (m *memory) ReadInput(handle uint32, p []byte, offset int64) int64 {
	if int(handle) >= len(m.inputs) {
		return sdk.ReadNoInput
	}
	data := m.inputs[handle].Data
	if offset < 0 {
		return sdk.ReadOffset
	}
	if offset >= int64(len(data)) {
		return 0
	}
	return int64(copy(p[:min(len(p), maxRead)], data[offset:]))
}

var _ io.ReaderAt = (*sdk.Input)(nil)
