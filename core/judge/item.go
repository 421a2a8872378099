package judge

import (
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/verdict"
)

// builder makes items for one judge. It keeps the scene of one conversation, since items come in order; one goroutine
// uses it.
type builder struct {
	m     *Material
	needs map[verdict.Need]bool
	deep  bool // something of the content store is needed
	scene *scene
}

func (m *Material) builder(about *verdict.About) *builder {
	b := &builder{m: m, needs: map[verdict.Need]bool{}}
	for _, n := range about.Needs {
		b.needs[n] = true
		b.deep = b.deep || slices.Contains([]verdict.Need{
			verdict.NeedRecorded, verdict.NeedTruth, verdict.NeedAppended, verdict.NeedHistory, verdict.NeedTools, verdict.NeedParams,
		}, n)
	}
	return b
}

// item builds the item at a place of the judging order. Its sample is a copy without answer, chunks and received bytes, so
// that a judge sees no more than it asked for.
func (b *builder) item(place int) (Item, error) {
	m := b.m
	s := *m.sample(place)
	it := Item{Sample: &s, Counted: m.counts[m.order[place]]}
	it.InWindow = m.c.InWindow != nil && m.c.InWindow(m.sample(place))
	if c := m.convs[of(&s.ID)]; c != nil {
		it.Domain, it.Labels, it.EndResult = c.Domain, c.Labels, c.Result
	}
	if b.needs[verdict.NeedAnswer] {
		it.Answer = s.Exchange.Answer
	}
	if b.needs[verdict.NeedChunks] {
		it.Chunks = slices.Collect(s.Exchange.Chunks.All())
	}
	s.Exchange.Answer, s.Exchange.Chunks, s.Exchange.Received = nil, nil, nil
	if !b.deep {
		return it, nil
	}
	if err := b.enter(place); err != nil {
		return Item{}, err
	}
	return it, b.fill(&it)
}

// enter readies the scene of the conversation that holds place.
func (b *builder) enter(place int) error {
	k := of(&b.m.sample(place).ID)
	if b.scene != nil && b.scene.key == k {
		return nil
	}
	from := place
	for from > 0 && of(&b.m.sample(from-1).ID) == k {
		from--
	}
	var err error
	b.scene, err = b.m.scene(from, b.m.conversationEnd(place))
	if err != nil {
		b.scene = nil
	}
	return err
}

// fill adds what comes from the content store.
func (b *builder) fill(it *Item) error {
	t := b.scene.trajectory
	turn := b.scene.turns[it.Turn]
	if turn == nil {
		return fmt.Errorf("trajectory %q: its plan has no turn %d", it.Trajectory, it.Turn)
	}
	if b.needs[verdict.NeedRecorded] && turn.Recorded != nil {
		it.Recorded = turn.Recorded.JSON
	}
	if b.needs[verdict.NeedTruth] {
		it.Truth, it.TrajectoryTruth = turn.Truth, t.Truth
	}
	if b.needs[verdict.NeedAppended] {
		it.Appended = array(turn.appended)
	}
	if b.needs[verdict.NeedHistory] && turn.known {
		it.History = array(turn.history)
	}
	if b.needs[verdict.NeedTools] {
		if it.Tools = t.Tools; it.Tools == nil {
			it.Tools = b.m.c.of(it.Workload).Info.Tools
		}
	}
	if b.needs[verdict.NeedParams] {
		c := &b.m.c
		w := c.of(it.Workload)
		params, err := chat.Merge(
			chat.Layer{Name: "the workload", Params: w.Info.Params}, chat.Layer{Name: "the run", Params: c.Params},
			chat.Layer{Name: "the run's workload", Params: w.Params},
			chat.Layer{Name: "the trajectory", Params: t.Params}, chat.Layer{Name: "the turn", Params: turn.Params},
			chat.Layer{Name: "the run's override", Params: c.Override},
		)
		if err != nil {
			return fmt.Errorf("trajectory %q, turn %d: %w", t.ID, it.Turn, err)
		}
		it.Params = params.JSON()
	}
	return nil
}

// chunkSize is what one chunk counts in the size of an item.
const chunkSize = 8

// sizeOf is the size of an item by which batches are cut: the lengths of its byte fields, its answer's message and extra
// fields included, and 8 for each chunk.
func sizeOf(it *Item) int {
	n := len(it.Recorded) + len(it.Truth) + len(it.TrajectoryTruth) + len(it.Appended) + len(it.History) + len(it.Tools) +
		len(it.Params) + len(it.EndResult) + chunkSize*len(it.Chunks)
	if it.Answer != nil {
		n += len(it.Answer.Message) + len(it.Answer.Extra)
	}
	return n
}
