package history

import (
	"cmp"
	"slices"
)

// Told is a request as one record of a trace tells it.
type Told struct {
	Call       Call
	ID, Parent string // of the record, and of the one around it; empty: none
	Order      string // decides where starts are equal
}

// Distinct gives requests in the order of their start, each once. A request under the id of another one is the same, as in
// exports by pages, or that was told before it was over: the one that tells more stays. A request inside another one is the
// same call, told by two layers of a program: the outer one stays, or the inner one where only that has messages. Token
// counts are those of either.
func Distinct(list []Told) []Call {
	list = once(list)
	slices.SortStableFunc(list, func(a, b Told) int {
		return cmp.Or(cmp.Compare(a.Call.Start, b.Call.Start), cmp.Compare(a.Order, b.Order))
	})
	at := map[string]int{}
	for i := range list {
		if list[i].ID != "" {
			at[list[i].ID] = i
		}
	}
	left := make([]bool, len(list))
	for i := range list {
		outer, nested := at[list[i].Parent]
		switch {
		case list[i].Parent == "" || !nested || outer == i:
		case len(list[outer].Call.Input) == 0 && len(list[i].Call.Input) > 0:
			left[outer] = true
		default:
			left[i] = true
			if c := &list[outer].Call; c.Usage.Input < 0 {
				c.Usage = list[i].Call.Usage
			}
		}
	}
	var calls []Call
	for i := range list {
		if !left[i] {
			calls = append(calls, list[i].Call)
		}
	}
	return calls
}

// once keeps one of the requests of each id, at the place of the first.
func once(list []Told) []Told {
	at := map[string]int{}
	var out []Told
	for i := range list {
		q := &list[i]
		k, again := at[q.ID]
		switch {
		case q.ID == "" || !again:
			at[q.ID] = len(out)
			out = append(out, *q)
		case q.Call.told() > out[k].Call.told():
			out[k] = *q
		}
	}
	return out
}

// told is how much is told of a request.
func (c *Call) told() (n int) {
	for _, is := range []bool{c.Output != nil, c.End > c.Start, len(c.Input) > 0, c.Usage.Output >= 0} {
		if is {
			n++
		}
	}
	return n
}
