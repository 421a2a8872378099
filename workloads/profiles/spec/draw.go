package spec

import (
	"math"
	"strconv"

	"paceline/workloads/profiles/fixed"
	"paceline/workloads/profiles/shape"
)

// Schema names the format.
const Schema = "paceline/profile/v1"

// Profile is a profile that was read.
type Profile struct {
	Name       string
	Provenance string
	Source     string  // where its numbers come from, for people
	Tables     []Table // every distribution of it

	turns, input int // tables
	shared       []pool
	effect       [3]effect
	lengths      []stratum
	end          ending
}

// Table is one distribution and what it is of.
type Table struct {
	Name    string
	Dist    Dist
	Seconds bool // its values are seconds, not tokens or turns
}

// stratum is the tables of traces of at most so many turns.
type stratum struct {
	to    int64
	turns [3][]position // assistant, tool, wait
	final int
}

// position is the table from a position on.
type position struct {
	from  int64
	table int
}

// pool is a number of prefixes of which each trace has one.
type pool struct {
	key        string
	tokens, of int64
	which      *zipf
}

// effect splits a latent variable into the trace's part and the turn's own, with 16 binary places each.
type effect struct{ trace, turn int64 }

// newEffect takes the trace's share of the variance in micro-units.
func newEffect(share int64) effect {
	part := uint64(binary(share)) << 16
	return effect{int64(fixed.Sqrt(part)), int64(fixed.Sqrt(1<<32 - part))}
}

// ending is what ends a conversation before its turns are played.
type ending struct {
	context int    // table of what the context may reach; -1 where there is no such limit
	chance  uint64 // of ending before a tool turn, of 2^32
	scaling int64  // how many times as likely that is once the context is at its limit, with 16 binary places
}

// limit draws what the context of one conversation may reach.
func (e *ending) limit(r *shape.Random, draw func(table int, u uint32) int64) int64 {
	if e.context < 0 {
		return math.MaxInt64
	}
	return whole(draw(e.context, r.Chance()))
}

// now draws whether a conversation ends with the request that has this context.
func (e *ending) now(r *shape.Random, context, limit int64) bool {
	if e.chance == 0 {
		return false
	}
	factor := int64(fixed.One)
	if e.context >= 0 {
		factor += (e.scaling - fixed.One) * min(context, limit) / max(limit, 1)
	}
	return uint64(r.Chance()) < e.chance*uint64(factor)>>16
}

// Watch is told of every value that is drawn from a table, in micro-units.
type Watch func(table int, value int64)

// Draw implements shape.Source.
func (p *Profile) Draw(r *shape.Random, t *shape.Trace) { p.DrawWatched(r, t, nil) }

// DrawWatched is Draw for one who wants to know about the values too.
func (p *Profile) DrawWatched(r *shape.Random, t *shape.Trace, watch Watch) {
	t.Reset()
	draw := func(table int, u uint32) int64 {
		v := p.Tables[table].Dist.At(u)
		if watch != nil {
			watch(table, v)
		}
		return v
	}
	turns := whole(draw(p.turns, r.Chance()))
	for _, pool := range p.shared {
		key := pool.key
		if k := pool.which.rank(r.Chance()); pool.of > 1 {
			key += "/" + strconv.FormatInt(k, 10)
		}
		t.Shared = append(t.Shared, shape.Prefix{Key: key, Tokens: pool.tokens})
		t.Input += pool.tokens
	}
	t.Input = max(1, t.Input+whole(draw(p.input, r.Chance())))
	s := p.stratum(turns)
	trace := [...]int64{r.Normal(), r.Normal(), r.Normal()}
	context, limit := t.Input, p.end.limit(r, draw)
	for i := range turns {
		if p.end.now(r, context, limit) {
			break
		}
		var value [3]int64
		for v := range value {
			u := r.Chance()
			if e := p.effect[v]; e.trace > 0 {
				u = fixed.Below((e.trace*trace[v] + e.turn*fixed.Normal(u)) >> 16)
			}
			value[v] = draw(at(s.turns[v], i), u)
		}
		turn := shape.Turn{Assistant: max(1, whole(value[0])), Tool: whole(value[1]), Wait: value[2]}
		if context += turn.Assistant + turn.Tool; context > limit {
			break
		}
		t.Turns = append(t.Turns, turn)
	}
	t.Final = max(1, whole(draw(s.final, r.Chance())))
}

func (p *Profile) stratum(turns int64) *stratum {
	for i := range p.lengths {
		if turns <= p.lengths[i].to {
			return &p.lengths[i]
		}
	}
	return &p.lengths[len(p.lengths)-1]
}

// at gives the table of a position.
func at(list []position, i int64) int {
	table := list[0].table
	for _, p := range list {
		if p.from > i {
			break
		}
		table = p.table
	}
	return table
}

// whole rounds micro-units half up.
func whole(v int64) int64 { return (v + micro/2) / micro }
