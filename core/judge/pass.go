package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"paceline/core/digest"
	"paceline/core/sample"
	"paceline/core/seed"
	"paceline/core/verdict"
)

// ask sends items to a judge as one batch, and gives an error as well where the reply cannot be used.
type ask[R any] func(ctx context.Context, items []Item) (R, error)

// part is the reply for a whole batch, or for one unit of a batch that failed as a whole.
type part[R any] struct {
	items  []Item
	reply  R
	failed error // of a unit that failed alone too
}

// job is one batch on its way through a worker.
type job[R any] struct {
	batch *batch
	parts []part[R]
	sum   digest.SHA256 // of the reply for the whole batch
	clean bool          // it did not fail
	err   error         // the batch could not be built, or the pass ended
	done  chan struct{}
}

// errGivenUp ends a judge too many of whose units failed.
var errGivenUp = errors.New("too many units fail")

// kinded is an error that tells its kind, as those of the plugin host do: trap, exit, timeout, memory, ...
type kinded interface{ Kind() string }

// replyError is a reply that breaks a rule.
type replyError struct{ kind, text string }

func (e *replyError) Error() string { return e.text }
func (e *replyError) Kind() string  { return e.kind }

// pass asks one judge about every batch, Config.Workers of them at the same time, and gives each batch's parts to take in
// batch order. It ends with the first error of building, taking, or the context.
func pass[R any](
	outer context.Context, m *Material, about *verdict.About, call ask[R], take func(*job[R]) error,
) ([]*job[R], error) {
	ctx, cancel := context.WithCancel(outer)
	work := make(chan *job[R])
	inOrder := make(chan *job[R], m.c.Workers)
	ended := make(chan struct{}, m.c.Workers+1)
	go func() {
		cutAll(ctx, m, about, work, inOrder)
		ended <- struct{}{}
	}()
	for range m.c.Workers {
		go func() {
			for j := range work {
				judgeBatch(ctx, m.c.MaxUnitErrors, j, call)
				close(j.done)
			}
			ended <- struct{}{}
		}()
	}
	done, err := takeAll(m, about, inOrder, take)
	cancel()
	for range inOrder { // what was cut ahead
	}
	for range m.c.Workers + 1 {
		<-ended
	}
	if err == nil {
		err = outer.Err() // cutting may have stopped between two batches
	}
	return done, err
}

// cutAll cuts the batches in order, until all are cut or ctx ends.
func cutAll[R any](ctx context.Context, m *Material, about *verdict.About, work, inOrder chan<- *job[R]) {
	defer close(work)
	defer close(inOrder)
	b := m.builder(about)
	for number, from := 0, 0; from < len(m.order) && ctx.Err() == nil; number++ {
		j := &job[R]{done: make(chan struct{})}
		j.batch, j.err = b.cut(about.Unit, number, from)
		select {
		case inOrder <- j:
		case <-ctx.Done():
			return
		}
		if j.err != nil {
			close(j.done)
			return
		}
		from = j.batch.to
		select {
		case work <- j:
		case <-ctx.Done():
			j.err = ctx.Err()
			close(j.done)
			return
		}
	}
}

// takeAll takes the batches in order. It returns them without their items.
func takeAll[R any](m *Material, about *verdict.About, inOrder <-chan *job[R], take func(*job[R]) error) ([]*job[R], error) {
	var done []*job[R]
	for j := range inOrder {
		<-j.done
		if j.err != nil {
			return done, j.err
		}
		if err := take(j); err != nil {
			return done, err
		}
		if m.c.OnProgress != nil {
			m.c.OnProgress(Progress{Name: about.Name, Done: j.batch.to, Total: len(m.order)})
		}
		j.batch.items, j.parts = nil, nil
		done = append(done, j)
	}
	return done, nil
}

// judgeBatch asks about a batch; where that fails, about each unit alone, so that only the culprit is left out.
func judgeBatch[R any](ctx context.Context, most int, j *job[R], call ask[R]) {
	reply, err := call(ctx, j.batch.items)
	if err == nil {
		j.parts, j.clean = []part[R]{{items: j.batch.items, reply: reply}}, true
		j.sum, j.err = sum(reply)
		return
	}
	failures := 0
	for n := range j.batch.units {
		if j.err = ctx.Err(); j.err != nil {
			return
		}
		p := part[R]{items: j.batch.unit(n)}
		p.reply, p.failed = call(ctx, p.items)
		j.parts = append(j.parts, p)
		if p.failed != nil {
			if failures++; failures > most {
				break // taking this batch gives the judge up
			}
		}
	}
	j.err = ctx.Err() // a failure may be its doing
}

func sum(reply any) (digest.SHA256, error) {
	b, err := json.Marshal(reply)
	if err != nil {
		return digest.SHA256{}, fmt.Errorf("encode reply: %w", err)
	}
	return digest.Of(b), nil
}

// unitError names the unit of a failed part.
func (m *Material) unitError(u verdict.Unit, items []Item, err error) verdict.UnitError {
	s := items[0].Sample
	e := verdict.UnitError{Workload: m.workload(items), Trajectory: s.Trajectory, Repeat: s.Repeat, Kind: "error", Error: err.Error()}
	if u != verdict.UnitConversation {
		turn := s.Turn
		e.Turn = &turn
	}
	var k kinded
	if errors.As(err, &k) {
		e.Kind = k.Kind()
	}
	return e
}

// unsteady judges some of the clean batches again and returns what differs, or nil. Which ones follows from the run's seed
// and the judge's name.
func unsteady[R any](ctx context.Context, m *Material, about *verdict.About, call ask[R], done []*job[R]) error {
	if !about.Deterministic || m.c.Replays < 0 {
		return nil
	}
	clean := slices.DeleteFunc(slices.Clone(done), func(j *job[R]) bool { return !j.clean })
	random := seed.Derive(m.c.Seed, seed.Sample, []byte(about.Name)).Rand()
	for n := range min(m.c.Replays, len(clean)) { // a partial shuffle chooses without repetition
		k := n + random.IntN(len(clean)-n)
		clean[n], clean[k] = clean[k], clean[n]
	}
	clean = clean[:min(m.c.Replays, len(clean))]
	slices.SortFunc(clean, func(a, b *job[R]) int { return a.batch.number - b.batch.number })
	b := m.builder(about)
	for _, j := range clean {
		items, err := b.again(j.batch)
		if err != nil {
			return err
		}
		reply, err := call(ctx, items)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		first := items[0].Sample
		if err != nil {
			return fmt.Errorf("%s is not deterministic: batch %d (from %s) failed when it was judged again: %w",
				about.Name, j.batch.number, place(first), err)
		}
		if again, err := sum(reply); err != nil || again != j.sum {
			return fmt.Errorf("%s is not deterministic: batch %d (from %s) gave another reply when it was judged again",
				about.Name, j.batch.number, place(first))
		}
	}
	return nil
}

func place(s *sample.Sample) string {
	return fmt.Sprintf("trajectory %q, repeat %d, turn %d", s.Trajectory, s.Repeat, s.Turn)
}
