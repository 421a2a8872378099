package strata

import (
	"math/bits"

	"paceline/workloads/profiles/fixed"
	"paceline/workloads/profiles/shape"
)

// Watch is told of every turn that is drawn. derive measures with it.
type Watch func(Seen)

// Seen is what drawing a turn went by.
type Seen struct {
	Class, Position, Kind, Table int
	Latent                       [Variables]int64
	Logs                         [Variables]int64 // what the tables gave
}

// Draw implements shape.Source.
func (m *Model) Draw(r *shape.Random, t *shape.Trace) { m.DrawWatched(r, t, nil) }

// DrawWatched is Draw for one who wants to know about the turns too.
func (m *Model) DrawWatched(r *shape.Random, t *shape.Trace, watch Watch) {
	t.Reset()
	d := drawing{Model: m, random: r, prev: Before}
	d.character(t)
	for d.position = 0; d.position < d.turns; d.position++ {
		t.Turns = append(t.Turns, d.turn(watch))
	}
	t.Final = d.final()
}

// drawing is one trace on its way.
type drawing struct {
	*Model
	random *shape.Random

	class, turns, position int
	left                   [Kinds]int64 // turns of each kind that are still to come
	done                   [Kinds]bool
	prev                   int
	longs                  bool
	about                  [CharacterTerms]int64 // regressors of the class's coefficients
	latentTurns            int64
	x                      [Regressors]int64 // regressors of the turn
	sum                    [Variables]int64  // of latent variables
}

// character draws what holds for the whole trace.
func (d *drawing) character(t *shape.Trace) {
	d.class = int(pick(d.Model.class, d.random.Chance()))
	outcome := pick(d.joint[d.class], d.random.Chance())
	explores, longs, reads := outcome/16, outcome/4%4, outcome%4
	if longs == most {
		longs = pick(d.Model.longs[d.class], d.random.Chance())
	}
	if reads == most {
		reads = pick(d.reads[d.class], d.random.Chance())
	}
	d.longs = longs > 0
	d.about = [CharacterTerms]int64{explores * fixed.One, flag(longs > 0), flag(longs > 1), flag(reads > 0), flag(reads > 1), fixed.One}
	d.latentTurns = d.trace(AtTurns, d.about[:]...)
	about := append(d.about[:], d.latentTurns)
	others := explores + longs + reads
	turns := max(pick(d.Model.turns[d.class], fixed.Below(d.latentTurns)), others)
	edits := min(pick(d.edits[d.class], fixed.Below(d.trace(AtEdits, about...))), turns-others)
	input := d.trace(AtInput, about...)
	t.Input = number(d.read(d.Model.input[d.class*len(d.at):], fixed.Below(input)))
	d.turns = int(turns)
	d.left = [Kinds]int64{Plain: turns - others - edits, Edit: edits, Explore: explores, Long: longs, Reading: reads}
	d.x[AtOne] = fixed.One
	copy(d.x[AtTrace:], []int64{d.about[0], d.about[1], flag(longs > most), d.about[3], input, d.latentTurns})
}

func flag(is bool) int64 {
	if is {
		return fixed.One
	}
	return 0
}

// trace draws a latent variable of the whole trace from the class's coefficients at a place.
func (d *drawing) trace(at int, x ...int64) int64 {
	c := d.Trace[d.class*ClassTerms+at:]
	return dot(c, x) + (c[len(x)]*d.random.Normal())>>16
}

func dot(c, x []int64) int64 {
	sum := int64(0)
	for i, v := range x {
		sum += c[i] * v
	}
	return sum >> 16
}

// kind draws the kind of the turn from those that are left.
func (d *drawing) kind() int {
	at := ((d.class*Places+Place(d.position))*(Kinds+1) + d.prev) * Kinds
	var weight [Kinds]uint64
	total := uint64(0)
	for k := range Kinds {
		weight[k] = uint64(d.left[k] * d.Weights[at+k])
		total += weight[k]
	}
	ticket, _ := bits.Mul64(uint64(d.random.Chance())<<32, total)
	kind := Plain
	for k := range Kinds {
		if weight[k] == 0 {
			continue
		}
		kind = k
		if ticket < weight[k] {
			break
		}
		ticket -= weight[k]
	}
	d.left[kind]--
	return kind
}

// turn draws one turn.
func (d *drawing) turn(watch Watch) shape.Turn {
	kind := d.kind()
	for k := Edit; k < Kinds; k++ {
		d.x[AtDone+k-1], d.x[AtPrev+k-1] = flag(d.done[k]), flag(d.prev == k)
	}
	slopes := d.Slopes[Set(d.class, d.position, kind)*Variables*Regressors:]
	table := int(d.Cells[(Row(kind, d.longs)*Classes+d.class)*Bands+Band(d.position)])
	var latent, logs, value [Variables]int64
	for v := range Variables {
		c := slopes[v*Regressors:]
		latent[v] = dot(c, d.x[:AtSame+v]) + (c[AtNoise]*d.random.Normal())>>16
		if v < Variables-1 {
			d.x[AtSame+v] = latent[v]
		}
		u := fixed.Below(standard(latent[v], d.Spread[(table*Variables+v)*spreads:]))
		raw := d.read(d.tables[(table*Variables+v)*len(d.at):], u)
		logs[v] = raw
		value[v] = number(d.bend(Band(d.position), v, raw))
	}
	d.move(kind, latent)
	if watch != nil {
		watch(Seen{d.class, d.position, kind, table, latent, logs})
	}
	return shape.Turn{Assistant: value[0], Tool: value[1], Wait: value[2] * 1000}
}

// places are SpreadAt with 16 binary places.
var places = [spreads]int64{-147456, -fixed.One, 0, fixed.One, 147456}

// standard makes a latent variable standard normal: straight lines between the places that its table keeps, and beyond them.
func standard(z int64, spread []int64) int64 {
	i := 1
	for i < spreads-1 && z >= spread[i] {
		i++
	}
	return places[i-1] + (z-spread[i-1])*(places[i]-places[i-1])/(spread[i]-spread[i-1])
}

// move makes the turn the one before.
func (d *drawing) move(kind int, latent [Variables]int64) {
	d.done[kind], d.prev = true, kind
	latent = Remembered(kind, latent)
	for v, z := range latent {
		d.sum[v] += z
		d.x[AtLag2+v], d.x[AtLag1+v] = d.x[AtLag1+v], z
		d.x[AtMean+v] = d.sum[v] / int64(d.position+1)
	}
}

// Remembered gives the latent variables by which later turns go: without the wait of an exploration and of other long waits,
// which say nothing about the waits that follow.
func Remembered[N int64 | float64](kind int, latent [Variables]N) [Variables]N {
	if kind == Explore || kind == Long {
		latent[2] = 0
	}
	return latent
}

// final draws the last answer.
func (d *drawing) final() int64 {
	x := append(d.about[:], d.latentTurns)
	x = append(append(x, d.x[AtMean:AtMean+Variables]...), d.x[AtLag1:AtLag1+Variables]...)
	return max(1, number(d.read(d.Model.final[d.class*len(d.at):], fixed.Below(d.trace(AtFinal, x...)))))
}
