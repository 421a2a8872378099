package metrics

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"paceline/core/sample"
)

// linked is a conversation whose turns know each other.
type linked struct {
	*conversation
	place  map[uint32]*turn
	before map[*turn]*turn  // on the same branch
	first  map[uint32]*turn // of each branch
}

func (c *conversation) linked() *linked {
	k := &linked{c, make(map[uint32]*turn, len(c.turns)), map[*turn]*turn{}, map[uint32]*turn{}}
	last := map[uint32]*turn{}
	for _, t := range c.turns {
		k.place[t.Turn] = t
		if p := last[t.Branch]; p != nil {
			k.before[t] = p
		} else {
			k.first[t.Branch] = t
		}
		last[t.Branch] = t
	}
	return k
}

// branches is the number of branches beside the main line.
func (k *linked) branches() int64 {
	n := int64(len(k.first))
	if k.first[0] != nil {
		n--
	}
	return n
}

// waits are the turns that t waited for.
func (k *linked) waits(t *turn) []*turn {
	if t.Waits == nil {
		if p := k.before[t]; p != nil {
			return []*turn{p}
		}
		return nil
	}
	list := make([]*turn, 0, len(t.Waits))
	for _, w := range t.Waits {
		if p := k.place[w]; p != nil {
			list = append(list, p)
		}
	}
	return list
}

// over is when a turn was complete for those that wait for it.
func (t *turn) over() sample.Offset { return max(t.Timing.Done, t.Timing.NextDone) }

// free is when all that t waited for was complete; its Due where it waited for nothing.
func (k *linked) free(t *turn) sample.Offset {
	at := sample.Unset
	for _, w := range k.waits(t) {
		at = max(at, w.over())
	}
	if !at.Set() {
		return t.Timing.Due
	}
	return at
}

// Fan is one turn that waited for other branches.
type Fan struct {
	Turn     uint32        `json:"turn"`
	Branches int           `json:"branches"` // that it waited for
	Out      sample.Offset `json:"fan_out"`  // when the first of them could begin
	Fastest  sample.Offset `json:"fastest"`  // when the first of them was done
	In       sample.Offset `json:"fan_in"`   // when the last of them was
	Slowest  uint32        `json:"slowest"`  // that turn
}

func (k *linked) fans() []Fan {
	var list []Fan
	for _, t := range k.turns {
		ends := map[uint32]*turn{} // by branch
		for _, w := range k.waits(t) {
			// The main line is no sub-agent of a branch that waits for it.
			if w.Branch != t.Branch && w.Branch != 0 && (ends[w.Branch] == nil || later(ends[w.Branch], w) < 0) {
				ends[w.Branch] = w
			}
		}
		if len(ends) == 0 || len(ends) == 1 && t == k.first[t.Branch] {
			continue // what the first turn of a branch waits for is what starts it
		}
		list = append(list, k.fan(t, slices.SortedFunc(maps.Values(ends), later)))
	}
	return list
}

// fan is the fan of t, which waited for these ends of branches, the slowest last.
func (k *linked) fan(t *turn, ends []*turn) Fan {
	last := ends[len(ends)-1]
	f := Fan{
		Turn: t.Turn, Branches: len(ends), Out: k.free(k.first[last.Branch]), Fastest: ends[0].Timing.Done, In: last.Timing.Done,
		Slowest: last.Turn,
	}
	for _, end := range ends {
		f.Out = min(f.Out, k.free(k.first[end.Branch]))
	}
	return f
}

// criticalPath lists the turns of the path, in the order in which they were played.
func (k *linked) criticalPath() []*turn {
	var path []*turn
	for t := k.last(); t != nil && len(path) < len(k.turns); {
		path = append(path, t)
		waits := k.waits(t)
		t = nil
		if len(waits) > 0 {
			t = slices.MaxFunc(waits, func(a, b *turn) int {
				return cmp.Or(cmp.Compare(a.over(), b.over()), cmp.Compare(b.position, a.position))
			})
		}
	}
	slices.Reverse(path)
	return path
}

// Shape is how one conversation branched.
type Shape struct {
	Fans   []Fan         `json:"fans"`
	Path   []uint32      `json:"critical_path"` // turns
	Engine time.Duration `json:"critical_path_engine_ns"`
}

// ShapeOf finds the fans and the critical path of a conversation out of its samples, which stand in the order of the plan.
// Turns that were not sent are left out.
func ShapeOf(c *sample.Conversation, samples []sample.Sample) Shape {
	conv := &conversation{Conversation: c}
	for i := range samples {
		if samples[i].Timing.Done.Set() {
			conv.turns = append(conv.turns, &turn{Sample: &samples[i], conv: conv, position: len(conv.turns) + 1})
		}
	}
	s := Shape{Fans: []Fan{}, Path: []uint32{}}
	if len(conv.turns) == 0 {
		return s
	}
	k := conv.linked()
	s.Fans = append(s.Fans, k.fans()...)
	path := k.criticalPath()
	for _, t := range path {
		s.Path = append(s.Path, t.Turn)
	}
	s.Engine = time.Duration(latencies(path))
	return s
}
