package sdk

// Workload makes trajectories.
type Workload interface {
	// Info tells how many trajectories there are and what they share.
	Info() WorkloadInfo
	// Plan returns one trajectory: the same for the same arguments, in any instance on any machine. index counts from 0,
	// repeat is 0 in the first pass. The caller does not keep the result beyond the call.
	Plan(index uint64, repeat uint32, seed []byte) (*Trajectory, error)
}

// Live is a workload whose turns depend on the answers. Next folds a conversation: from the state that Plan or the last
// Next gave and the answer of one turn to the next state and the turns that follow, or the end. It keeps nothing itself.
type Live interface {
	Next(state []byte, turn uint32, answer *Answer) (*NextResponse, error)
}

// InputChecker is any component that validates its inputs before a run sends anything. CheckInputs does one step of about
// a second at most: it goes on at the cursor, which is empty at first and opaque to the host, and reports at most maxFaults
// faults, until it says done.
type InputChecker interface {
	CheckInputs(cursor []byte, maxFaults uint32) (*CheckInputsResponse, error)
}

// Validator says whether what was measured may count.
type Validator interface {
	// Check judges one batch of samples, ordered by trajectory, repeat and turn. A batch holds whole units. The account is
	// what Fold and Conclude need of the batch, at most 1 MiB.
	Check(samples []Sample) (findings []Finding, account []byte, err error)
	Folder
	// Conclude gives the verdict over the account of all batches.
	Conclude(run *ConcludeRequest) (*ConcludeCheckResponse, error)
}

// Preflighter is a validator that judges facts about the target before there is any load. A finding of severity error
// stops the run.
type Preflighter interface {
	Preflight(facts []Fact, runConfig []byte) ([]Finding, error)
}

// Scorer says how good the answers were.
type Scorer interface {
	// Score scores one batch, as Validator.Check judges one.
	Score(samples []Sample) (items []ItemScore, account []byte, err error)
	Folder
	// Conclude gives the score over the account of all batches.
	Conclude(run *ConcludeRequest) (*ConcludeScoreResponse, error)
}

// Folder joins the accounts of batches. Fold is called in batch order; the first account is empty.
type Folder interface {
	Fold(account, batch []byte) ([]byte, error)
}

// Evaluator is a scorer that drives an evaluation of its own through the host's relay to the target, in native plugins
// only. The host calls Evaluate again with the state that it returned until it says done.
type Evaluator interface {
	Evaluate(request *EvaluateRequest) (*EvaluateResponse, error)
}

// Counter counts tokens by a model's own tokenizer, after the run. It returns one count for each sample, in order.
type Counter interface {
	Count(samples []Sample) ([]TokenCount, error)
}
