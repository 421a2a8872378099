package wire

import (
	"context"
	"encoding/json"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"paceline/core/judge"
	"paceline/core/verdict"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// Validator is an opened validator: a judge.Validator.
type Validator struct {
	*opened
	about verdict.About
}

// OpenValidator opens a validator component.
func (p *Plugin) OpenValidator(ctx context.Context, opts Options) (*Validator, error) {
	o, about, err := p.openJudge(ctx, lock.KindValidator, opts)
	if err != nil {
		return nil, err
	}
	return &Validator{opened: o, about: about}, nil
}

func (p *Plugin) openJudge(ctx context.Context, kind lock.Kind, opts Options) (*opened, verdict.About, error) {
	o, err := p.open(ctx, kind, opts)
	if err != nil {
		return nil, verdict.About{}, err
	}
	about, err := o.judgeAbout()
	if err != nil {
		_ = o.Close()
		return nil, verdict.About{}, err
	}
	return o, about, nil
}

// About implements judge.Validator.
func (v *Validator) About() verdict.About { return v.about }

// Preflight implements judge.Validator. A validator without it has nothing to object.
func (v *Validator) Preflight(ctx context.Context, facts []verdict.Fact, runConfig json.RawMessage) ([]verdict.Finding, error) {
	response, err := pb.NewValidatorClient(v.comp.Conn()).Preflight(ctx, &pb.PreflightRequest{Facts: factsTo(facts), RunConfig: runConfig})
	if host.IsStatus(err, uint32(codes.Unimplemented)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return v.findings("Preflight", response.GetFindings())
}

// Check implements judge.Validator.
func (v *Validator) Check(ctx context.Context, batch []judge.Item) (judge.Checked, error) {
	response, err := ask(ctx, v.opened, "Check", batch,
		func(s []*pb.Sample) *pb.CheckRequest { return &pb.CheckRequest{Samples: s} },
		func(ctx context.Context, conn grpc.ClientConnInterface, q *pb.CheckRequest) (*pb.CheckResponse, error) {
			return pb.NewValidatorClient(conn).Check(ctx, q)
		})
	if err != nil {
		return judge.Checked{}, err
	}
	findings, err := v.findings("Check", response.GetFindings())
	if err == nil {
		err = v.account("Check", response.GetAccount())
	}
	return judge.Checked{Findings: findings, Account: response.GetAccount()}, err
}

// Fold implements judge.Validator.
func (v *Validator) Fold(ctx context.Context, account, batch []byte) ([]byte, error) {
	response, err := pb.NewValidatorClient(v.comp.Conn()).FoldCheck(ctx, &pb.FoldRequest{Account: account, Batch: batch})
	if err != nil {
		return nil, err
	}
	return response.GetAccount(), v.account("FoldCheck", response.GetAccount())
}

// Conclude implements judge.Validator.
func (v *Validator) Conclude(ctx context.Context, c judge.Conclusion) (verdict.Verdict, error) {
	response, err := pb.NewValidatorClient(v.comp.Conn()).ConcludeCheck(ctx, concludeRequest(c))
	if err != nil {
		return verdict.Verdict{}, err
	}
	findings, err := v.findings("ConcludeCheck", response.GetFindings())
	return verdict.Verdict{Passed: response.GetPassed(), Reason: response.GetReason(), Findings: findings, Values: valuesOf(response.GetValues())}, err
}

// Scorer is an opened scorer: a judge.Scorer.
type Scorer struct {
	*opened
	about verdict.About
}

// OpenScorer opens a scorer component.
func (p *Plugin) OpenScorer(ctx context.Context, opts Options) (*Scorer, error) {
	o, about, err := p.openJudge(ctx, lock.KindScorer, opts)
	if err != nil {
		return nil, err
	}
	return &Scorer{opened: o, about: about}, nil
}

// About implements judge.Scorer.
func (s *Scorer) About() verdict.About { return s.about }

// Score implements judge.Scorer.
func (s *Scorer) Score(ctx context.Context, batch []judge.Item) (judge.Scored, error) {
	response, err := ask(ctx, s.opened, "Score", batch,
		func(list []*pb.Sample) *pb.ScoreRequest { return &pb.ScoreRequest{Samples: list} },
		func(ctx context.Context, conn grpc.ClientConnInterface, q *pb.ScoreRequest) (*pb.ScoreResponse, error) {
			return pb.NewScorerClient(conn).Score(ctx, q)
		})
	if err != nil {
		return judge.Scored{}, err
	}
	items, err := s.items("Score", response.GetItems())
	if err == nil {
		err = s.account("Score", response.GetAccount())
	}
	return judge.Scored{Items: items, Account: response.GetAccount()}, err
}

// Fold implements judge.Scorer.
func (s *Scorer) Fold(ctx context.Context, account, batch []byte) ([]byte, error) {
	response, err := pb.NewScorerClient(s.comp.Conn()).FoldScore(ctx, &pb.FoldRequest{Account: account, Batch: batch})
	if err != nil {
		return nil, err
	}
	return response.GetAccount(), s.account("FoldScore", response.GetAccount())
}

// Conclude implements judge.Scorer.
func (s *Scorer) Conclude(ctx context.Context, c judge.Conclusion) (verdict.Score, error) {
	response, err := pb.NewScorerClient(s.comp.Conn()).ConcludeScore(ctx, concludeRequest(c))
	if err != nil {
		return verdict.Score{}, err
	}
	return scoreOf(response), nil
}

// Counter is an opened counter: a judge.Counter.
type Counter struct {
	*opened
	about verdict.About
}

// OpenCounter opens a counter component.
func (p *Plugin) OpenCounter(ctx context.Context, opts Options) (*Counter, error) {
	o, about, err := p.openJudge(ctx, lock.KindCounter, opts)
	if err != nil {
		return nil, err
	}
	return &Counter{opened: o, about: about}, nil
}

// About implements judge.Counter.
func (c *Counter) About() verdict.About { return c.about }

// Count implements judge.Counter.
func (c *Counter) Count(ctx context.Context, batch []judge.Item) ([]verdict.Count, error) {
	response, err := ask(ctx, c.opened, "Count", batch,
		func(list []*pb.Sample) *pb.CountRequest { return &pb.CountRequest{Samples: list} },
		func(ctx context.Context, conn grpc.ClientConnInterface, q *pb.CountRequest) (*pb.CountResponse, error) {
			return pb.NewCounterClient(conn).Count(ctx, q)
		})
	if err != nil {
		return nil, err
	}
	if got := len(response.GetCounts()); got != len(batch) {
		return nil, c.malformed("Count", "%d counts for %d samples", got, len(batch))
	}
	counts := make([]verdict.Count, len(batch))
	for i, n := range response.GetCounts() {
		counts[i] = verdict.Count{Input: n.Input, Output: n.Output, FirstChunk: n.FirstChunk, AfterFirstChunk: n.AfterFirstChunk, Reason: n.GetReason()}
	}
	return counts, nil
}
