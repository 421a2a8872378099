package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/verdict"
	"paceline/plugins/lock"
)

func judgeChecks(kind lock.Kind) []check {
	list := []check{
		{"batch", (*component).batch},
		{"batch-again", (*component).batchAgain},
		{"batch-sizes", (*component).batchSizes},
		{"batch-workers", (*component).batchWorkers},
		{"batch-messages", (*component).batchMessages},
		{"no-samples", (*component).noSamples},
		{"hostile-samples", (*component).hostileSamples},
	}
	if kind == lock.KindValidator {
		list = append(list, check{"preflight", (*component).preflight})
	}
	if kind != lock.KindCounter {
		list = append(list, check{"foreign-account", (*component).foreignAccount})
	}
	return list
}

// conversations are what judges are asked about: what the plugin's own workloads planned, and what nobody did.
func (c *component) conversations() []conversation { return slices.Concat(c.s.material, made()) }

// batches cuts the conversations into batches of so many units; 0: one batch.
func (c *component) batches(units int) [][]judge.Item {
	var list [][]judge.Item
	n := 0
	for _, conv := range c.conversations() {
		parts := [][]judge.Item{conv}
		if c.judge.About().Unit == verdict.UnitTurn {
			parts = parts[:0]
			for i := range conv {
				parts = append(parts, conv[i:i+1])
			}
		}
		for _, p := range parts {
			if len(list) == 0 || units > 0 && n%units == 0 {
				list = append(list, nil)
			}
			list[len(list)-1] = append(list[len(list)-1], p...)
			n++
		}
	}
	return list
}

// batch asks about everything at once; the answer is well formed.
func (c *component) batch(ctx context.Context) (err error) {
	c.first, err = hear(ctx, c.judge, c.batches(0))
	c.asked = err == nil
	if why, ok := errors.AsType[*skip](err); ok {
		c.alone = why.reason
	}
	return err
}

// batchAgain asks once more, in fresh instances.
func (c *component) batchAgain(ctx context.Context) error {
	return c.compareWith(ctx, c.judge, c.batches(0), "from a fresh instance")
}

// compareWith asks in another way and compares with the first answers.
func (c *component) compareWith(ctx context.Context, h hearer, batches [][]judge.Item, how string) error {
	if !c.asked {
		return skipf("there is no first answer to compare with")
	}
	again, err := hear(ctx, h, batches)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	return equalHeard(how, c.first, again)
}

// batchSizes asks in batches of other sizes: each item depends on its unit alone.
func (c *component) batchSizes(ctx context.Context) error {
	for _, n := range []int{1, 3} {
		how := fmt.Sprintf("in batches of %d units", n)
		if err := c.compareWith(ctx, c.judge, c.batches(n), how); err != nil {
			return err
		}
	}
	return nil
}

// batchWorkers asks on several workers at once, and folds in batch order.
func (c *component) batchWorkers(ctx context.Context) error {
	if !c.asked {
		return skipf("there is no first answer to compare with")
	}
	h, err := c.openJudge(ctx, c.s.main, 2)
	if err != nil {
		return err
	}
	defer func() { _ = h.Close() }()
	batches := c.batches(2)
	ahead := &askedAhead{hearer: h, items: make([][]string, len(batches)), accounts: make([][]byte, len(batches)), errs: make([]error, len(batches))}
	var all sync.WaitGroup
	for i, b := range batches {
		all.Go(func() { ahead.items[i], ahead.accounts[i], ahead.errs[i] = h.ask(ctx, asked(b, h.About())) })
	}
	all.Wait()
	return c.compareWith(ctx, ahead, batches, "from two workers side by side")
}

// askedAhead has the answers of all batches already.
type askedAhead struct {
	hearer
	items    [][]string
	accounts [][]byte
	errs     []error
	at       int
}

func (a *askedAhead) ask(context.Context, []judge.Item) ([]string, []byte, error) {
	i := a.at
	a.at++
	return a.items[i], a.accounts[i], a.errs[i]
}

// largeAnswer is the length of answers of which two do not fit into one request.
const largeAnswer = 9 << 20

// batchMessages asks about a batch above the limit of a request, which comes in several messages to one instance. What is said of
// it equals what is said of its units alone.
func (c *component) batchMessages(ctx context.Context) error {
	if !slices.Contains(c.judge.About().Needs, verdict.NeedAnswer) {
		return skipf("the component does not ask for answers, so its batches stay below the limit of a request")
	}
	large := func(index uint64) conversation {
		conv := slices.Clone(made()[1])
		for i := range conv {
			s := *conv[i].Sample
			s.Trajectory, s.Index = fmt.Sprintf("large-%d", index), index
			conv[i].Sample = &s
		}
		conv[0].Answer = said(strings.Repeat("a lot ", largeAnswer/6))
		return conv
	}
	a, b := large(0), large(1)
	whole, err := hear(ctx, c.judge, [][]judge.Item{slices.Concat(a, b)})
	if err != nil {
		return err
	}
	apart, err := hear(ctx, c.judge, [][]judge.Item{a, b})
	if err != nil {
		return err
	}
	return equalHeard("in several messages", apart, whole)
}

// noSamples lets the judge conclude over nothing.
func (c *component) noSamples(ctx context.Context) error {
	first, err := hear(ctx, c.judge, nil)
	if err != nil {
		return err
	}
	again, err := hear(ctx, c.judge, nil)
	if err != nil {
		return err
	}
	return equalHeard("asked twice about nothing", first, again)
}

// hostileSamples asks about answers that no model should give.
func (c *component) hostileSamples(ctx context.Context) error {
	base := c.conversations()[0][0]
	for _, h := range hostileAnswers() {
		it := base
		s := *base.Sample
		s.Exchange = *answered(h.outcome, h.answer)
		it.Sample, it.Answer = &s, h.answer
		_, err := hear(ctx, c.judge, [][]judge.Item{{it}})
		if err := crashed(err); err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
	}
	for name, edit := range inOrder(map[string]func(*judge.Item){
		"truth that is no JSON":            func(it *judge.Item) { it.Truth, it.TrajectoryTruth = []byte("{"), []byte("\xff") },
		"a recorded answer that is broken": func(it *judge.Item) { it.Recorded = []byte(`{"role":`) },
		"tools that are none":              func(it *judge.Item) { it.Tools = []byte(`[{"function":{"parameters":{"type":[[[]]],"pattern":"("}}}]`) },
		"history and params of other types": func(it *judge.Item) {
			it.History, it.Params, it.Appended = []byte(`{}`), []byte(`[]`), []byte(`5`)
		},
		"an outcome of the future": func(it *judge.Item) { it.Outcome = sample.Outcome("of-the-future") },
		"an end that is no JSON":   func(it *judge.Item) { it.EndResult = []byte(`{"`) },
	}) {
		it := base
		s := *base.Sample
		it.Sample = &s
		edit(&it)
		_, err := hear(ctx, c.judge, [][]judge.Item{{it}})
		if err := crashed(err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// foreignAccount folds and concludes what the judge never gave.
func (c *component) foreignAccount(ctx context.Context) error {
	for name, account := range inOrder(map[string][]byte{
		"an account of no meaning": []byte("\xff\xfe{"), "an account of zeros": make([]byte, 1000), "an account of 1 MiB": make([]byte, lock.MaxAccount),
	}) {
		if _, err := c.judge.fold(ctx, nil, account); crashed(err) != nil {
			return fmt.Errorf("fold %s: %w", name, crashed(err))
		}
		if _, err := c.judge.conclude(ctx, conclusion(c.judge.About(), account)); crashed(err) != nil {
			return fmt.Errorf("conclude %s: %w", name, crashed(err))
		}
	}
	return nil
}

// preflight judges facts of all kinds, twice each.
func (c *component) preflight(ctx context.Context) error {
	v, ok := c.judge.(validator)
	if !ok {
		return skipf("the component is no validator")
	}
	for _, body := range []string{"", "{}", `{"version":"1"}`, "<html>", "\xff\xfe", strings.Repeat("[", deep), `{"data":"` + strings.Repeat("x", 1<<20) + `"}`} {
		facts := conclusion(v.About(), nil).Facts
		for i := range facts {
			facts[i].Body = []byte(body)
			facts[i].Status = []int{200, 0, 404}[i%3]
		}
		first, err := v.Preflight(ctx, facts, []byte(`{}`))
		if err := crashed(err); err != nil {
			return fmt.Errorf("facts of body %.40q: %w", body, err)
		}
		again, _ := v.Preflight(ctx, facts, []byte(`{}`))
		a, _ := tell(first)
		b, _ := tell(again)
		if err := same("the same findings of the same facts", a, b); err != nil {
			return err
		}
	}
	return nil
}
