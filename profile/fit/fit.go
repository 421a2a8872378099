// Package fit makes a profile of traces: tables by position and by the length of the trace, and an effect per trace. It
// keeps quantiles only, none of the traces.
package fit

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"paceline/profile/rows"
	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/spec"
)

// limits are what a profile can say: it is made of nothing that could not be read again.
var limits = rows.Limits{Turns: spec.MaxTurns, Tokens: spec.MaxTokens, Wait: spec.MaxWait}

// maxTurns bounds what is kept in memory.
const maxTurns = 50_000_000

// minValues is the least number of values that a table is made of, where there are so many.
const minValues = 100

// minTraces is the least number of traces of a length class.
const minTraces = 200

// maxClasses is the largest number of length classes.
const maxClasses = 8

// starts are the positions at which tables begin, where enough values lie between them.
var starts = []int{0, 1, 2, 4, 7, 12, 25}

// names of the quantities of a turn, as profiles have them.
var names = [...]string{"assistant", "tool", "wait"}

// Profile is a fitted profile.
type Profile struct {
	Traces, Turns int

	turns, input, final []int64
	classes             []class
	effect              [len(names)]float64
}

// class is the traces up to a number of turns.
type class struct {
	to     int64
	final  []int64
	tables [len(names)][]table
}

// table is the values from a position on, sorted; waits in microseconds.
type table struct {
	from   int
	values []int64
}

// Read reads traces and fits them.
func Read(in io.Reader) (*Profile, error) {
	var all []shape.Trace
	kept := 0
	_, err := limits.Read(in, func(t *shape.Trace) {
		if kept += len(t.Turns); kept <= maxTurns {
			all = append(all, shape.Trace{Input: t.Input, Final: t.Final, Turns: slices.Clone(t.Turns)})
		}
	})
	if err != nil {
		return nil, err
	}
	if kept > maxTurns {
		return nil, fmt.Errorf("%d turns are too many: a profile is fitted to at most %d; take a sample of the traces", kept, maxTurns)
	}
	return fit(all)
}

func fit(all []shape.Trace) (*Profile, error) {
	p := &Profile{Traces: len(all)}
	for i := range all {
		p.Turns += len(all[i].Turns)
		p.turns = append(p.turns, int64(len(all[i].Turns)))
		p.input, p.final = append(p.input, all[i].Input), append(p.final, all[i].Final)
	}
	if p.Turns == 0 {
		return nil, errors.New("no trace has a tool turn, so there is nothing to fit turns to")
	}
	slices.Sort(p.turns)
	slices.Sort(p.input)
	slices.Sort(p.final)
	for _, to := range p.limits() {
		p.classes = append(p.classes, class{to: to})
	}
	p.tables(all)
	p.effects(all)
	return p, nil
}

// limits divide the traces by their number of turns, the longest of each class.
func (p *Profile) limits() []int64 {
	n := min(max(len(p.turns)/minTraces, 1), maxClasses)
	var out []int64
	for i := 1; i <= n; i++ {
		to := p.turns[len(p.turns)*i/n-1]
		if len(out) == 0 || to > out[len(out)-1] {
			out = append(out, to)
		}
	}
	return out
}

func (p *Profile) class(turns int) *class {
	for i := range p.classes {
		if int64(turns) <= p.classes[i].to {
			return &p.classes[i]
		}
	}
	return &p.classes[len(p.classes)-1]
}

// values gives those of a turn, in the order of names.
func values(t shape.Turn) [len(names)]int64 { return [...]int64{t.Assistant, t.Tool, t.Wait} }

// tables sorts values into classes and positions.
func (p *Profile) tables(all []shape.Trace) {
	by := make(map[*class][][len(names)][]int64)
	for i := range all {
		c := p.class(len(all[i].Turns))
		c.final = append(c.final, all[i].Final)
		if by[c] == nil {
			by[c] = make([][len(names)][]int64, len(starts))
		}
		for k, t := range all[i].Turns {
			for v, value := range values(t) {
				list := &by[c][band(k)][v]
				*list = append(*list, value)
			}
		}
	}
	for i := range p.classes {
		c := &p.classes[i]
		slices.Sort(c.final)
		for v := range names {
			c.tables[v] = join(by[c], v)
		}
	}
}

func band(position int) int {
	b := len(starts) - 1
	for starts[b] > position {
		b--
	}
	return b
}

// join makes tables of the bands; a band with few values goes with the one before.
func join(bands [][len(names)][]int64, v int) []table {
	var out []table
	for b := range bands {
		list := bands[b][v]
		switch {
		case len(list) == 0:
		case len(out) > 0 && len(list) < minValues:
			last := &out[len(out)-1]
			last.values = append(last.values, list...)
		default:
			from := starts[b]
			if len(out) == 0 {
				from = 0
			}
			out = append(out, table{from, list})
		}
	}
	for i := range out {
		slices.Sort(out[i].values)
	}
	return out
}
