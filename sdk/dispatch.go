package sdk

import "paceline/sdk/contract"

// The functions of this file decode and encode with direct calls, method by method: through an interface, the linker would
// have to keep both halves of every message's codec in a guest.

func malformed(err error) error { return Errorf(CodeInvalidArgument, "%w", err) }

var errNoResult = Errorf(CodeInternal, "the component returned neither a result nor an error")

// reply starts the reply of a message of that size.
func reply(size int) []byte {
	b := make([]byte, 1, 1+size)
	b[0] = replyMessage
	return b
}

func (i *Instance) workload(method contract.Method, request []byte) ([]byte, error) {
	w, ok := i.opened.(Workload)
	live, isLive := i.opened.(Live)
	switch {
	case i.kind != KindWorkload || !ok:
	case method == contract.MethodPlan:
		var r contract.PlanRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		t, err := w.Plan(r.Index, r.Repeat, r.Seed)
		if err == nil && t == nil {
			err = Errorf(CodeInternal, "plan %d returned neither a trajectory nor an error", r.Index)
		}
		if err != nil {
			return nil, err
		}
		out := &contract.PlanResponse{Trajectory: t}
		return out.AppendTo(reply(out.EncodedSize())), nil
	case method == contract.MethodNext && isLive:
		var r contract.NextRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		if r.Answer == nil {
			r.Answer = &Answer{}
		}
		out, err := live.Next(r.State, r.Turn, r.Answer)
		if err != nil {
			return nil, err
		}
		if out == nil {
			return nil, errNoResult
		}
		return out.AppendTo(reply(out.EncodedSize())), nil
	}
	return nil, unimplemented(method)
}

func (i *Instance) validator(method contract.Method, request []byte) ([]byte, error) {
	v, ok := i.opened.(Validator)
	pre, isPre := i.opened.(Preflighter)
	switch {
	case i.kind != KindValidator || !ok:
	case method == contract.MethodPreflight && isPre:
		var r contract.PreflightRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		findings, err := pre.Preflight(r.Facts, r.RunConfig)
		if err != nil {
			return nil, err
		}
		out := &contract.PreflightResponse{Findings: findings}
		return out.AppendTo(reply(out.EncodedSize())), nil
	case method == contract.MethodCheck:
		var r contract.CheckRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		samples, whole := i.join(r.Samples)
		if !whole {
			return reply(0), nil
		}
		findings, account, err := v.Check(samples)
		if err != nil {
			return nil, err
		}
		out := &contract.CheckResponse{Findings: findings, Account: account}
		return out.AppendTo(reply(out.EncodedSize())), nil
	case method == contract.MethodFoldCheck:
		return fold(request, v)
	case method == contract.MethodConcludeCheck:
		var r contract.ConcludeRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		out, err := v.Conclude(&r)
		if err != nil {
			return nil, err
		}
		if out == nil {
			return nil, errNoResult
		}
		return out.AppendTo(reply(out.EncodedSize())), nil
	}
	return nil, unimplemented(method)
}

func (i *Instance) scorer(method contract.Method, request []byte) ([]byte, error) {
	s, ok := i.opened.(Scorer)
	switch {
	case i.kind != KindScorer || !ok:
	case method == contract.MethodScore:
		var r contract.ScoreRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		samples, whole := i.join(r.Samples)
		if !whole {
			return reply(0), nil
		}
		items, account, err := s.Score(samples)
		if err != nil {
			return nil, err
		}
		out := &contract.ScoreResponse{Items: items, Account: account}
		return out.AppendTo(reply(out.EncodedSize())), nil
	case method == contract.MethodFoldScore:
		return fold(request, s)
	case method == contract.MethodConcludeScore:
		var r contract.ConcludeRequest
		if err := r.Unmarshal(request); err != nil {
			return nil, malformed(err)
		}
		out, err := s.Conclude(&r)
		if err != nil {
			return nil, err
		}
		if out == nil {
			return nil, errNoResult
		}
		return out.AppendTo(reply(out.EncodedSize())), nil
	}
	return nil, unimplemented(method)
}

func (i *Instance) evaluate(request []byte) ([]byte, error) {
	e, ok := i.opened.(Evaluator)
	if i.kind != KindScorer || !ok {
		return nil, unimplemented(contract.MethodEvaluate)
	}
	var r contract.EvaluateRequest
	if err := r.Unmarshal(request); err != nil {
		return nil, malformed(err)
	}
	out, err := e.Evaluate(&r)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, errNoResult
	}
	return out.AppendTo(reply(out.EncodedSize())), nil
}

func (i *Instance) count(request []byte) ([]byte, error) {
	c, ok := i.opened.(Counter)
	if i.kind != KindCounter || !ok {
		return nil, unimplemented(contract.MethodCount)
	}
	var r contract.CountRequest
	if err := r.Unmarshal(request); err != nil {
		return nil, malformed(err)
	}
	samples, whole := i.join(r.Samples)
	if !whole {
		return reply(0), nil
	}
	counts, err := c.Count(samples)
	if err == nil && len(counts) != len(samples) {
		err = Errorf(CodeInternal, "%d counts for %d samples", len(counts), len(samples))
	}
	if err != nil {
		return nil, err
	}
	out := &contract.CountResponse{Counts: counts}
	return out.AppendTo(reply(out.EncodedSize())), nil
}

func fold(request []byte, f Folder) ([]byte, error) {
	var r contract.FoldRequest
	if err := r.Unmarshal(request); err != nil {
		return nil, malformed(err)
	}
	account, err := f.Fold(r.Account, r.Batch)
	if err != nil {
		return nil, err
	}
	out := &contract.FoldResponse{Account: account}
	return out.AppendTo(reply(out.EncodedSize())), nil
}

// join gathers a batch that comes in several requests: as long as the last sample says that its unit goes on, samples are
// held and the reply is empty. The component sees the whole batch at once.
func (i *Instance) join(samples []Sample) (batch []Sample, whole bool) {
	goesOn := len(samples) > 0 && samples[len(samples)-1].More
	if i.held == nil && !goesOn {
		return samples, true
	}
	i.held = append(i.held, samples...)
	if goesOn {
		return nil, false
	}
	batch, i.held = i.held, nil
	return batch, true
}
