package sdk

import (
	"errors"

	"paceline/sdk/contract"
)

// First bytes of a reply.
const (
	replyMessage = 0
	replyStatus  = 1
)

// Instance is one instance of a plugin, as a wasm guest is one: it is opened once, for one component. It is used from one
// goroutine at a time.
type Instance struct {
	plugin *Plugin
	host   Host
	kind   Kind
	opened any      // the component; nil before Open
	held   []Sample // of a batch that goes on in the next request
}

// NewInstance returns an instance that asks host for input bytes and gives it log lines.
func NewInstance(p *Plugin, host Host) *Instance { return &Instance{plugin: p, host: host} }

// Invoke answers one request: the reply is a byte that says what it is, then the response message or the status. request
// may not be changed as long as the instance lives. A panic of the component's code passes through.
func (i *Instance) Invoke(method contract.Method, request []byte) []byte {
	reply, err := i.route(method, request)
	if err != nil {
		return status(err)
	}
	return reply
}

func (i *Instance) route(method contract.Method, request []byte) ([]byte, error) {
	switch method {
	case contract.MethodDescribe:
		out := i.plugin.describe()
		return out.AppendTo(reply(out.EncodedSize())), nil
	case contract.MethodOpen:
		return i.open(request)
	}
	if i.opened == nil {
		return nil, Errorf(CodeFailedPrecondition, "method %d before open", method)
	}
	switch method {
	case contract.MethodCheckInputs:
		return i.checkInputs(request)
	case contract.MethodPlan, contract.MethodNext:
		return i.workload(method, request)
	case contract.MethodPreflight, contract.MethodCheck, contract.MethodFoldCheck, contract.MethodConcludeCheck:
		return i.validator(method, request)
	case contract.MethodScore, contract.MethodFoldScore, contract.MethodConcludeScore:
		return i.scorer(method, request)
	case contract.MethodEvaluate:
		return i.evaluate(request)
	case contract.MethodCount:
		return i.count(request)
	}
	return nil, unimplemented(method)
}

func unimplemented(method contract.Method) error {
	return Errorf(CodeUnimplemented, "method %d is not offered by this component", method)
}

func (i *Instance) open(request []byte) ([]byte, error) {
	var r contract.OpenRequest
	if err := r.Unmarshal(request); err != nil {
		return nil, malformed(err)
	}
	if i.opened != nil {
		return nil, Errorf(CodeFailedPrecondition, "the instance is open already")
	}
	c := i.plugin.component(r.Component)
	if c == nil {
		return nil, Errorf(CodeNotFound, "plugin %s has no component %s", i.plugin.Name, r.Component)
	}
	o := newOpening(&r, i.host)
	opened, err := c.open(o)
	if faults, ok := errors.AsType[Faults](err); ok && len(faults) > 0 {
		out := &contract.OpenResponse{Faults: faults}
		return out.AppendTo(reply(out.EncodedSize())), nil
	}
	if err != nil {
		return nil, err
	}
	if opened == nil {
		return nil, Errorf(CodeInternal, "opening component %s returned neither a component nor an error", c.Name)
	}
	i.opened, i.kind = opened, c.Kind()
	out := &contract.OpenResponse{Prepared: o.Prepare, Losses: o.Losses}
	if w, ok := opened.(Workload); ok && i.kind == KindWorkload {
		info := w.Info()
		out.Workload = &info
	}
	return out.AppendTo(reply(out.EncodedSize())), nil
}

// open opens the component with the function that it has. A component of a nil interface becomes a nil any.
func (c *Component) open(o *Opening) (opened any, err error) {
	switch {
	case c.Workload != nil:
		opened, err = c.Workload(o)
	case c.Validator != nil:
		opened, err = c.Validator(o)
	case c.Scorer != nil:
		opened, err = c.Scorer(o)
	case c.Evaluator != nil:
		opened, err = c.Evaluator(o)
	case c.Counter != nil:
		opened, err = c.Counter(o)
	}
	return opened, err
}

func (i *Instance) checkInputs(request []byte) ([]byte, error) {
	c, ok := i.opened.(InputChecker)
	if !ok {
		return nil, unimplemented(contract.MethodCheckInputs)
	}
	var r contract.CheckInputsRequest
	if err := r.Unmarshal(request); err != nil {
		return nil, malformed(err)
	}
	out, err := c.CheckInputs(r.Cursor, r.MaxFaults)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, errNoResult
	}
	return out.AppendTo(reply(out.EncodedSize())), nil
}
