package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc/codes"

	"paceline/core/judge"
	"paceline/core/verdict"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
)

// hearer is an opened judge or counter of any kind.
type hearer interface {
	io.Closer
	About() verdict.About
	Component() *host.Component
	// ask gives what was said of a batch, one text for each item, and the batch's account.
	ask(ctx context.Context, batch []judge.Item) (items []string, account []byte, err error)
	fold(ctx context.Context, account, batch []byte) ([]byte, error)
	conclude(ctx context.Context, c judge.Conclusion) (string, error)
}

// openJudge opens the component in a bench.
func (c *component) openJudge(ctx context.Context, b *bench, workers int) (hearer, error) {
	o := c.options(b, workers)
	switch c.kind {
	case lock.KindValidator:
		v, err := b.plugin.OpenValidator(ctx, o)
		return validator{v}, err
	case lock.KindScorer:
		v, err := b.plugin.OpenScorer(ctx, o)
		return scorer{v}, err
	case lock.KindCounter:
		v, err := b.plugin.OpenCounter(ctx, o)
		return counter{v}, err
	}
	return nil, fmt.Errorf("a component of kind %s cannot be tested", c.kind)
}

type validator struct{ *wire.Validator }

func (v validator) ask(ctx context.Context, batch []judge.Item) ([]string, []byte, error) {
	r, err := v.Check(ctx, batch)
	if err == nil {
		err = subjects(batch, r.Findings, func(f *verdict.Finding) (string, uint32) { return f.Trajectory, f.Repeat })
	}
	return texts(r.Findings, err, r.Account)
}

func (v validator) fold(ctx context.Context, account, batch []byte) ([]byte, error) {
	return v.Fold(ctx, account, batch)
}

func (v validator) conclude(ctx context.Context, c judge.Conclusion) (string, error) {
	r, err := v.Conclude(ctx, c)
	if err != nil {
		return "", err
	}
	return tell(r)
}

type scorer struct{ *wire.Scorer }

func (s scorer) ask(ctx context.Context, batch []judge.Item) ([]string, []byte, error) {
	r, err := s.Score(ctx, batch)
	if host.IsStatus(err, uint32(codes.Unimplemented)) {
		err = skipf("the scorer has no Score: it evaluates on its own, which needs a target")
	}
	if err == nil {
		err = subjects(batch, r.Items, func(i *verdict.ItemScore) (string, uint32) { return i.Trajectory, i.Repeat })
	}
	return texts(r.Items, err, r.Account)
}

func (s scorer) fold(ctx context.Context, account, batch []byte) ([]byte, error) {
	return s.Fold(ctx, account, batch)
}

func (s scorer) conclude(ctx context.Context, c judge.Conclusion) (string, error) {
	r, err := s.Conclude(ctx, c)
	if err != nil {
		return "", err
	}
	return tell(r)
}

type counter struct{ *wire.Counter }

func (k counter) ask(ctx context.Context, batch []judge.Item) ([]string, []byte, error) {
	r, err := k.Count(ctx, batch)
	return texts(r, err, nil)
}

func (k counter) fold(context.Context, []byte, []byte) ([]byte, error)       { return nil, nil }
func (k counter) conclude(context.Context, judge.Conclusion) (string, error) { return "", nil }

// texts tells a list of items one by one.
func texts[T any](list []T, err error, account []byte) ([]string, []byte, error) {
	var all []string
	for i := range list {
		text, failed := tell(list[i])
		all, err = append(all, text), errors.Join(err, failed)
	}
	return all, account, err
}

// subjects refuses what is said of a conversation that was not in the batch.
func subjects[T any](batch []judge.Item, list []T, of func(*T) (string, uint32)) error {
	for i := range list {
		trajectory, repeat := of(&list[i])
		known := trajectory == ""
		for k := range batch {
			known = known || batch[k].Trajectory == trajectory && batch[k].Repeat == repeat
		}
		if !known {
			return unlike("items about what is in the batch", "one about trajectory %q, repeat %d", trajectory, repeat)
		}
	}
	return nil
}

// heard is what a judge said in the end.
type heard struct {
	items      []string
	conclusion string
}

// hear asks a judge about batches, folds their accounts in order and lets it conclude.
func hear(ctx context.Context, h hearer, batches [][]judge.Item) (heard, error) {
	var all heard
	var account []byte
	for i, batch := range batches {
		items, part, err := h.ask(ctx, asked(batch, h.About()))
		if err != nil {
			return all, err
		}
		all.items = append(all.items, items...)
		if account, err = h.fold(ctx, account, part); err != nil {
			return all, fmt.Errorf("fold batch %d: %w", i, err)
		}
	}
	var err error
	all.conclusion, err = h.conclude(ctx, conclusion(h.About(), account))
	return all, err
}

// conclusion is what a judge gets at the end, with a fact for each of its probes.
func conclusion(about verdict.About, account []byte) judge.Conclusion {
	c := judge.Conclusion{Account: account, Metrics: []byte(`{}`), RunConfig: []byte(`{}`)}
	for _, p := range about.Probes {
		c.Facts = append(c.Facts, verdict.Fact{Probe: p.ID, Status: 200, Body: []byte(`{"version":"1","data":[{"id":"m"}]}`)})
	}
	for _, n := range about.Needs {
		if n == verdict.NeedTelemetry {
			c.Telemetry = []byte(`[]`)
		}
	}
	return c
}

// equalHeard compares what a judge said on two ways.
func equalHeard(how string, a, b heard) error {
	if len(a.items) != len(b.items) {
		return unlike(fmt.Sprintf("%d items %s", len(a.items), how), "%d", len(b.items))
	}
	for i := range a.items {
		if err := same(fmt.Sprintf("the same item %d %s", i, how), a.items[i], b.items[i]); err != nil {
			return err
		}
	}
	return same("the same conclusion "+how, a.conclusion, b.conclusion)
}
