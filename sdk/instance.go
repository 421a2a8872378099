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

// message is what a request or a response can do.
type message interface {
	EncodedSize() int
	AppendTo(b []byte) []byte
	Unmarshal(data []byte) error
}

// Invoke answers one request: the reply is a byte that says what it is, then the response message or the status. request
// may not be changed as long as the instance lives. A panic of the component's code passes through.
func (i *Instance) Invoke(method contract.Method, request []byte) []byte {
	response, err := i.route(method, request)
	if err != nil {
		return status(err)
	}
	reply := make([]byte, 1, 1+response.EncodedSize())
	reply[0] = replyMessage
	return response.AppendTo(reply)
}

func (i *Instance) route(method contract.Method, request []byte) (message, error) {
	switch method {
	case contract.MethodDescribe:
		return with(request, func(*contract.DescribeRequest) (*contract.DescribeResponse, error) { return i.plugin.describe(), nil })
	case contract.MethodOpen:
		return with(request, i.open)
	}
	if i.opened == nil {
		return nil, Errorf(CodeFailedPrecondition, "method %d before open", method)
	}
	switch method {
	case contract.MethodCheckInputs:
		return with(request, i.checkInputs)
	case contract.MethodPlan, contract.MethodNext:
		return i.workload(method, request)
	case contract.MethodPreflight, contract.MethodCheck, contract.MethodFoldCheck, contract.MethodConcludeCheck:
		return i.validator(method, request)
	case contract.MethodScore, contract.MethodFoldScore, contract.MethodConcludeScore, contract.MethodEvaluate:
		return i.scorer(method, request)
	case contract.MethodCount:
		return with(request, i.count)
	}
	return nil, unimplemented(method)
}

func unimplemented(method contract.Method) error {
	return Errorf(CodeUnimplemented, "method %d is not offered by this component", method)
}

// requestOf ties a request type to the methods of its pointer.
type requestOf[T any] interface {
	*T
	message
}

// responseOf is a response that may be missing.
type responseOf interface {
	comparable
	message
}

// with decodes a request, answers it with f, and sees to it that there is an answer.
func with[T any, P requestOf[T], R responseOf](data []byte, f func(P) (R, error)) (message, error) {
	request := P(new(T))
	if err := request.Unmarshal(data); err != nil {
		return nil, Errorf(CodeInvalidArgument, "%w", err)
	}
	response, err := f(request)
	if err != nil {
		return nil, err
	}
	var none R
	if response == none {
		return nil, Errorf(CodeInternal, "the component returned neither a result nor an error")
	}
	return response, nil
}

func (i *Instance) open(r *contract.OpenRequest) (*contract.OpenResponse, error) {
	if i.opened != nil {
		return nil, Errorf(CodeFailedPrecondition, "the instance is open already")
	}
	c := i.plugin.component(r.Component)
	if c == nil {
		return nil, Errorf(CodeNotFound, "plugin %s has no component %s", i.plugin.Name, r.Component)
	}
	o := newOpening(r, i.host)
	opened, err := c.open(o)
	var faults Faults
	if errors.As(err, &faults) && len(faults) > 0 {
		return &contract.OpenResponse{Faults: faults}, nil
	}
	if err != nil {
		return nil, err
	}
	if opened == nil {
		return nil, Errorf(CodeInternal, "opening component %s returned neither a component nor an error", c.Name)
	}
	i.opened, i.kind = opened, c.Kind()
	response := &contract.OpenResponse{Prepared: o.Prepare, Losses: o.Losses}
	if w, ok := opened.(Workload); ok && i.kind == KindWorkload {
		info := w.Info()
		response.Workload = &info
	}
	return response, nil
}

func (c *Component) open(o *Opening) (any, error) {
	switch {
	case c.Workload != nil:
		return opened(c.Workload(o))
	case c.Validator != nil:
		return opened(c.Validator(o))
	case c.Scorer != nil:
		return opened(c.Scorer(o))
	case c.Evaluator != nil:
		return opened(c.Evaluator(o))
	case c.Counter != nil:
		return opened(c.Counter(o))
	}
	return nil, Errorf(CodeInternal, "component %s has no opening function", c.Name)
}

// opened widens a component's type.
func opened[T any](c T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (i *Instance) checkInputs(r *contract.CheckInputsRequest) (*CheckInputsResponse, error) {
	c, ok := i.opened.(InputChecker)
	if !ok {
		return nil, unimplemented(contract.MethodCheckInputs)
	}
	return c.CheckInputs(r.Cursor, r.MaxFaults)
}
