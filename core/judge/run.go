package judge

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"paceline/core/seed"
	"paceline/core/verdict"
)

// ReasonPluginError is the reason of items and counts whose unit made the judge fail.
const ReasonPluginError = "plugin_error"

// hearing is one judge's way through the samples.
type hearing struct {
	m       *Material
	about   verdict.About
	j       verdict.Judgement
	account []byte
	kept    int // findings so far
}

func (m *Material) hearing(about verdict.About) *hearing {
	if about.Unit == "" {
		about.Unit = verdict.UnitTurn
	}
	s := seed.Derive(m.c.Seed, seed.Component, []byte(about.Name))
	return &hearing{m: m, about: about, j: verdict.Judgement{About: about, Seed: hex.EncodeToString(s[:])}}
}

// Validate asks a validator: its preflight over the facts of before the run, its checks, its conclusion. metrics is the
// document of schemas/metrics/v1. The error is the context's; whatever the validator does wrong is told in the judgement.
func (m *Material) Validate(ctx context.Context, v Validator, metrics json.RawMessage) (verdict.Judgement, error) {
	h := m.hearing(v.About())
	if err := h.preflight(ctx, v); err != nil {
		return h.failed(ctx, fmt.Errorf("preflight: %w", err))
	}
	call := func(ctx context.Context, items []Item) (Checked, error) {
		r, err := v.Check(ctx, items)
		if err == nil {
			err = errors.Join(checkAccount(r.Account), checkFindings(r.Findings), checkSubjects(r.Findings, items))
		}
		return r, err
	}
	done, err := pass(ctx, m, &h.about, call, func(j *job[Checked]) error {
		for i := range j.parts {
			p := &j.parts[i]
			if p.failed != nil {
				h.fault(p.items, p.failed)
				continue
			}
			h.j.Findings = append(h.j.Findings, h.keep(placeFindings(p.reply.Findings, m.workload(p.items)))...)
			if err := h.fold(ctx, v.Fold, j.batch.number, p.reply.Account); err != nil {
				return err
			}
		}
		return h.tooMany()
	})
	if err != nil {
		return h.failed(ctx, err)
	}
	said, err := h.conclude(ctx, v, metrics)
	if err != nil {
		return h.failed(ctx, fmt.Errorf("conclude: %w", err))
	}
	said.Findings = h.keep(said.Findings)
	h.j.Verdict = &said
	if n := len(h.j.PluginErrors); n > 0 {
		refuse(&said, fmt.Sprintf("incomplete: %d units made the validator fail", n))
	}
	if err := unsteady(ctx, m, &h.about, call, done); err != nil {
		refuse(&said, "not reproducible")
		return h.failed(ctx, err)
	}
	return h.j, nil
}

// refuse turns a verdict into a failed one; what it said itself stays behind the reason.
func refuse(v *verdict.Verdict, reason string) {
	if v.Reason != "" {
		reason += "; " + v.Reason
	}
	v.Passed, v.Reason = false, reason
}

// Score asks a scorer; otherwise it is as Validate. A unit that made the scorer fail is in the items, not scored, and
// counts as missing, so that nothing leaves the denominator unseen.
func (m *Material) Score(ctx context.Context, s Scorer, metrics json.RawMessage) (verdict.Judgement, error) {
	h := m.hearing(s.About())
	call := func(ctx context.Context, items []Item) (Scored, error) {
		r, err := s.Score(ctx, items)
		if err == nil {
			err = errors.Join(checkAccount(r.Account), checkItems(r.Items), checkScored(r.Items, items))
		}
		return r, err
	}
	done, err := pass(ctx, m, &h.about, call, func(j *job[Scored]) error {
		for i := range j.parts {
			p := &j.parts[i]
			if p.failed != nil {
				e := h.fault(p.items, p.failed)
				h.j.Items = append(h.j.Items, verdict.ItemScore{
					Workload: e.Workload, Trajectory: e.Trajectory, Repeat: e.Repeat, Turn: e.Turn, Reason: ReasonPluginError,
				})
				continue
			}
			h.j.Items = append(h.j.Items, placeItems(p.reply.Items, m.workload(p.items))...)
			if err := h.fold(ctx, s.Fold, j.batch.number, p.reply.Account); err != nil {
				return err
			}
		}
		return h.tooMany()
	})
	if err != nil {
		return h.failed(ctx, err)
	}
	_, facts := h.facts(h.targets()[0])
	said, err := s.Conclude(ctx, h.conclusion(metrics, facts))
	if err != nil {
		return h.failed(ctx, fmt.Errorf("conclude: %w", err))
	}
	h.j.Score = &said
	if n := len(h.j.PluginErrors); n > 0 {
		said.Complete, said.Passed = false, false
		said.Missing += uint64(n)
	}
	if err := unsteady(ctx, m, &h.about, call, done); err != nil {
		said.Complete, said.Passed = false, false
		return h.failed(ctx, err)
	}
	return h.j, nil
}

// Count asks a counter. Its counts are on the items of every judge that is asked later, and in Counts; those of a counter
// that comes later replace them. A sample whose unit made it fail is counted as missing, with ReasonPluginError.
func (m *Material) Count(ctx context.Context, c Counter) (verdict.Judgement, error) {
	h := m.hearing(c.About())
	call := func(ctx context.Context, items []Item) ([]verdict.Count, error) {
		list, err := c.Count(ctx, items)
		if err == nil && len(list) != len(items) {
			err = &replyError{"malformed", fmt.Sprintf("%d counts for %d samples", len(list), len(items))}
		}
		return list, err
	}
	done, err := pass(ctx, m, &h.about, call, func(j *job[[]verdict.Count]) error {
		for i := range j.parts {
			p := &j.parts[i]
			if p.failed == nil {
				h.j.Counts = append(h.j.Counts, p.reply...)
				continue
			}
			h.fault(p.items, p.failed)
			for range p.items {
				h.j.Counts = append(h.j.Counts, verdict.Count{Reason: ReasonPluginError})
			}
		}
		return h.tooMany()
	})
	if err == nil {
		err = unsteady(ctx, m, &h.about, call, done)
	}
	if err != nil {
		h.j.Counts = nil
		return h.failed(ctx, err)
	}
	counts := make([]verdict.Count, len(m.counts))
	for place, i := range m.order {
		counts[i] = h.j.Counts[place]
		m.counts[i] = &counts[i]
	}
	h.j.Counts = counts // as the run has its samples, where the report looks for them
	return h.j, nil
}

// Counted takes the counts of a counter that counted before, as Count takes those that it is told.
func (m *Material) Counted(j *verdict.Judgement) error {
	if len(j.Counts) == 0 {
		return nil
	}
	if len(j.Counts) != len(m.counts) {
		return fmt.Errorf("%s has %d counts for %d samples", j.Name, len(j.Counts), len(m.counts))
	}
	for i := range j.Counts {
		m.counts[i] = &j.Counts[i]
	}
	return nil
}

// failed ends a hearing: by the context's error, or with a judgement that tells what went wrong.
func (h *hearing) failed(ctx context.Context, err error) (verdict.Judgement, error) {
	if ctx.Err() != nil {
		return verdict.Judgement{}, fmt.Errorf("%s: %w", h.about.Name, ctx.Err())
	}
	h.j.Error = err.Error()
	return h.j, nil
}

// fault keeps a unit that made the judge fail.
func (h *hearing) fault(items []Item, err error) verdict.UnitError {
	e := h.m.unitError(h.about.Unit, items, err)
	h.j.PluginErrors = append(h.j.PluginErrors, e)
	return e
}

// tooMany gives a judge up that fails at more units than it may. It is asked in batch order, so it does not depend on the
// number of workers.
func (h *hearing) tooMany() error {
	if n := len(h.j.PluginErrors); n > h.m.c.MaxUnitErrors {
		return fmt.Errorf("%w: %d by now, the first with: %s", errGivenUp, n, h.j.PluginErrors[0].Error)
	}
	return nil
}

func (h *hearing) fold(
	ctx context.Context, fold func(ctx context.Context, account, batch []byte) ([]byte, error), number int, account []byte,
) error {
	sum, err := fold(ctx, h.account, account)
	if err == nil {
		err = checkAccount(sum)
	}
	if err != nil {
		return fmt.Errorf("fold batch %d: %w", number, err)
	}
	h.account = sum
	return nil
}

// keep returns the findings that there is room for and counts the others.
func (h *hearing) keep(list []verdict.Finding) []verdict.Finding {
	n := min(len(list), h.m.c.MaxFindings-h.kept)
	h.kept += n
	h.j.Dropped += uint64(len(list) - n)
	return list[:n:n]
}
