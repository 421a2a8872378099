package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/relay"
	"paceline/core/sample"
	"paceline/core/verdict"
)

// Evaluations is what evaluators need beside the files of a run.
type Evaluations struct {
	// Relay says how their requests become the run's; Record is filled in.
	Relay     relay.Config
	Endpoint  string          // for the record: the URL without credentials
	Prober    Prober          // asks the target who it is before each one, as the run's validators do before the load; nil: nobody does
	Limit     time.Duration   // of each one; 0: the default
	Interrupt <-chan struct{} // gives the evaluation that goes on up in order, and starts no other; nil: never
	Anew      bool            // do not go on from an evaluation that was not done
}

// NoTarget is why an evaluator is not asked where there is no target.
const NoTarget = "it asks the target, and this judging has none"

// evaluate asks the evaluators one after another. Without a target, what one had concluded before stays.
func (f *Files) evaluate(ctx context.Context, dir string, m *judge.Material, judges *Judges) ([]verdict.Judgement, error) {
	if len(judges.Evaluators) == 0 {
		return nil, nil
	}
	before, err := journal.ReadJudgements(dir)
	if err != nil {
		return nil, err
	}
	var list []verdict.Judgement
	for _, e := range judges.Evaluators {
		about := e.About()
		if judges.Evaluations == nil {
			list = append(list, kept(before, m.NotEvaluated(about, NoTarget)))
			continue
		}
		facts := whoIs(ctx, judges)
		j, err := f.evaluateOne(ctx, dir, m, e, judges.Evaluations, facts)
		if err != nil {
			return nil, fmt.Errorf("evaluate by %s: %w", about.Name, err)
		}
		list = append(list, j)
	}
	return list, nil
}

// kept is the judgement of before that the same evaluator came to as a whole, else now.
func kept(before []verdict.Judgement, now verdict.Judgement) verdict.Judgement {
	i := slices.IndexFunc(before, func(j verdict.Judgement) bool {
		return j.Name == now.Name && j.Kind == now.Kind && j.Digest == now.Digest && j.Seed == now.Seed && bytes.Equal(j.Config, now.Config) &&
			j.Error == "" && j.Score != nil && j.Score.Complete
	})
	if i < 0 {
		return now
	}
	return before[i]
}

// evaluateOne starts a relay for one evaluation, and records what it does.
func (f *Files) evaluateOne(ctx context.Context, dir string, m *judge.Material, e judge.Evaluator, how *Evaluations, facts []verdict.Fact) (_ verdict.Judgement, err error) {
	about := e.About()
	head := journal.EvaluationHead{Run: f.Config.Run, Component: about.Name, Digest: about.Digest, Config: about.Config,
		Seed: m.Seed(about), Epoch: how.Relay.Epoch, Endpoint: how.Endpoint}
	var from *journal.EvaluationProgress
	if !how.Anew {
		if from, err = journal.Unfinished(dir, &about, head.Seed, f.Run.Content); err != nil {
			return verdict.Judgement{}, err
		}
	}
	if from != nil {
		head.Resumes = from.Number
	}
	out, err := journal.NewEvaluationWriter(dir, head)
	if err != nil {
		return verdict.Judgement{}, err
	}
	rec := &recording{out: out, epoch: how.Relay.Epoch}
	for _, fact := range facts {
		out.Fact(fact, rec.now())
	}
	config := how.Relay
	config.Record = rec
	r, err := relay.Start(config)
	if err != nil {
		return verdict.Judgement{}, errors.Join(err, out.Close(journal.EvaluationFoot{At: rec.now(), Cause: err.Error()}))
	}
	defer r.End()
	evaluation := judge.Evaluation{
		Target: &judge.Target{URL: r.URL(), Token: r.Token(), Model: r.Model(), Params: r.Params()},
		Asked:  func() int { passed, _ := r.Counts(); return passed },
		End:    r.End, Record: rec.step, Interrupt: how.Interrupt, Limit: how.Limit, OnEnd: func(reason error) { rec.reason = reason },
	}
	if from != nil {
		evaluation.Resume = &judge.Stepped{State: from.State, ItemsDone: from.Last.ItemsDone, ItemsTotal: from.Last.ItemsTotal,
			Status: from.Last.Status, Items: from.Items}
		rec.step(evaluation.Resume)
	}
	j, err := m.Evaluate(ctx, e, evaluation)
	r.End()
	passed, refused := r.Counts()
	if closed := out.Close(rec.foot(passed, refused)); closed != nil && err == nil {
		j = unrecorded(j, closed)
	}
	return j, err
}

// whoIs asks the target's pages that the run's validators ask for before the load, so that who is evaluated can be held against
// who was measured. Requests that make the model answer are left out.
func whoIs(ctx context.Context, judges *Judges) []verdict.Fact {
	prober := judges.Evaluations.Prober
	if prober == nil {
		return nil
	}
	var facts []verdict.Fact
	seen := map[string]bool{}
	for _, v := range judges.Validators {
		for _, p := range v.About().Probes {
			if !p.After && p.GetPath != "" && !seen[p.ID] {
				seen[p.ID] = true
				facts = append(facts, prober.Probe(ctx, p))
			}
		}
	}
	return facts
}

// unrecorded is the judgement of an evaluation whose record was lost: nobody can check it.
func unrecorded(j verdict.Judgement, err error) verdict.Judgement {
	if j.Score != nil {
		j.Score.Complete, j.Score.Passed = false, false
	}
	j.Error = errors.Join(err, said(j.Error)).Error()
	return j
}

func said(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// recording writes what an evaluation does.
type recording struct {
	out    *journal.EvaluationWriter
	epoch  time.Time
	reason error // why it was given up
}

func (r *recording) now() sample.Offset { return sample.At(r.epoch, time.Now()) }

func (r *recording) step(s *judge.Stepped) {
	r.out.Step(journal.Evaluate{At: r.now(), Done: s.Done, ItemsDone: s.ItemsDone, ItemsTotal: s.ItemsTotal, Status: s.Status, Items: s.Items}, s.State)
}

func (r *recording) foot(passed, refused int) journal.EvaluationFoot {
	foot := journal.EvaluationFoot{At: r.now(), Done: r.reason == nil, Passed: passed, Refused: refused}
	if r.reason != nil {
		foot.Cause = r.reason.Error()
	}
	return foot
}

// Relayed implements relay.Recorder.
func (r *recording) Relayed(x *relay.Exchange) {
	record := journal.Relayed{Number: x.Number, Conversation: x.Conversation, Stream: x.Stream, Outcome: x.Outcome, Cause: x.Cause, Status: x.Status,
		Request: digest.Of(x.Request), RequestBytes: int64(len(x.Request)), Answer: x.AnswerDigest, AnswerBytes: x.AnswerBytes}
	if x.Exchange.Answer != nil && x.Exchange.Answer.Usage.Reported {
		record.Usage = &x.Exchange.Answer.Usage
	}
	answer := x.Answer
	if int64(len(answer)) < x.AnswerBytes {
		answer = nil
	}
	r.out.Relayed(record, &x.Timing, x.Request, answer)
}
