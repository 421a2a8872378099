package sdk

import "paceline/sdk/contract"

func (i *Instance) workload(method contract.Method, request []byte) (message, error) {
	w, ok := i.opened.(Workload)
	live, isLive := i.opened.(Live)
	switch {
	case i.kind != KindWorkload || !ok:
	case method == contract.MethodPlan:
		return with(request, func(r *contract.PlanRequest) (*contract.PlanResponse, error) {
			t, err := w.Plan(r.Index, r.Repeat, r.Seed)
			if err == nil && t == nil {
				err = Errorf(CodeInternal, "plan %d returned neither a trajectory nor an error", r.Index)
			}
			return &contract.PlanResponse{Trajectory: t}, err
		})
	case method == contract.MethodNext && isLive:
		return with(request, func(r *contract.NextRequest) (*NextResponse, error) {
			if r.Answer == nil {
				r.Answer = &Answer{}
			}
			return live.Next(r.State, r.Turn, r.Answer)
		})
	}
	return nil, unimplemented(method)
}

func (i *Instance) validator(method contract.Method, request []byte) (message, error) {
	v, ok := i.opened.(Validator)
	pre, isPre := i.opened.(Preflighter)
	switch {
	case i.kind != KindValidator || !ok:
	case method == contract.MethodPreflight && isPre:
		return with(request, func(r *contract.PreflightRequest) (*contract.PreflightResponse, error) {
			findings, err := pre.Preflight(r.Facts, r.RunConfig)
			return &contract.PreflightResponse{Findings: findings}, err
		})
	case method == contract.MethodCheck:
		return with(request, func(r *contract.CheckRequest) (*contract.CheckResponse, error) {
			samples, whole := i.join(r.Samples)
			if !whole {
				return &contract.CheckResponse{}, nil
			}
			findings, account, err := v.Check(samples)
			return &contract.CheckResponse{Findings: findings, Account: account}, err
		})
	case method == contract.MethodFoldCheck:
		return fold(request, v)
	case method == contract.MethodConcludeCheck:
		return with(request, v.Conclude)
	}
	return nil, unimplemented(method)
}

func (i *Instance) scorer(method contract.Method, request []byte) (message, error) {
	s, ok := i.opened.(Scorer)
	evaluator, isEvaluator := i.opened.(Evaluator)
	switch {
	case i.kind != KindScorer:
	case method == contract.MethodEvaluate && isEvaluator:
		return with(request, evaluator.Evaluate)
	case !ok:
	case method == contract.MethodScore:
		return with(request, func(r *contract.ScoreRequest) (*contract.ScoreResponse, error) {
			samples, whole := i.join(r.Samples)
			if !whole {
				return &contract.ScoreResponse{}, nil
			}
			items, account, err := s.Score(samples)
			return &contract.ScoreResponse{Items: items, Account: account}, err
		})
	case method == contract.MethodFoldScore:
		return fold(request, s)
	case method == contract.MethodConcludeScore:
		return with(request, s.Conclude)
	}
	return nil, unimplemented(method)
}

func (i *Instance) count(r *contract.CountRequest) (*contract.CountResponse, error) {
	c, ok := i.opened.(Counter)
	if i.kind != KindCounter || !ok {
		return nil, unimplemented(contract.MethodCount)
	}
	samples, whole := i.join(r.Samples)
	if !whole {
		return &contract.CountResponse{}, nil
	}
	counts, err := c.Count(samples)
	if err == nil && len(counts) != len(samples) {
		err = Errorf(CodeInternal, "%d counts for %d samples", len(counts), len(samples))
	}
	return &contract.CountResponse{Counts: counts}, err
}

func fold(request []byte, f Folder) (message, error) {
	return with(request, func(r *contract.FoldRequest) (*contract.FoldResponse, error) {
		account, err := f.Fold(r.Account, r.Batch)
		return &contract.FoldResponse{Account: account}, err
	})
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
