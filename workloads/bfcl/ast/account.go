package ast

import (
	"errors"
	"strconv"

	"paceline/workloads/bfcl/category"
	"paceline/workloads/rawjson"
)

// tally counts the answers of one category.
type tally struct {
	right, scored uint64
	missing       uint64 // of the scored ones: no answer came
}

func (t *tally) add(o tally) {
	t.right, t.scored, t.missing = t.right+o.right, t.scored+o.scored, t.missing+o.missing
}

// account is what is known of any number of samples. Folding is addition, so its order changes nothing.
type account struct {
	of          [len(category.All)]tally
	excluded    uint64 // nothing to hold the answer against
	notIssued   uint64 // never sent, because the run ended first
	unjudgeable uint64 // of the scored ones: the official checker would have stopped
}

func (a *account) fold(b *account) {
	for i := range a.of {
		a.of[i].add(b.of[i])
	}
	a.excluded += b.excluded
	a.notIssued += b.notIssued
	a.unjudgeable += b.unjudgeable
}

func (a *account) total() tally {
	var t tally
	for _, one := range a.of {
		t.add(one)
	}
	return t
}

// append writes the account as JSON: categories without samples are left out.
func (a *account) append(dst []byte) []byte {
	dst = append(dst, `{"categories":{`...)
	sep := ""
	for i, t := range a.of {
		if t == (tally{}) {
			continue
		}
		dst = append(dst, sep...)
		dst = rawjson.AppendString(dst, category.All[i].Name)
		dst = append(dst, ':', '[')
		dst = strconv.AppendUint(dst, t.right, 10)
		dst = strconv.AppendUint(append(dst, ','), t.scored, 10)
		dst = strconv.AppendUint(append(dst, ','), t.missing, 10)
		dst = append(dst, ']')
		sep = ","
	}
	dst = append(dst, `},"excluded":`...)
	dst = strconv.AppendUint(dst, a.excluded, 10)
	dst = append(dst, `,"not_issued":`...)
	dst = strconv.AppendUint(dst, a.notIssued, 10)
	dst = append(dst, `,"unjudgeable":`...)
	return append(strconv.AppendUint(dst, a.unjudgeable, 10), '}')
}

var errAccount = errors.New("read the account: it is damaged")

// decodeAccount reads what append wrote; empty is an account of nothing.
func decodeAccount(data []byte) (*account, error) {
	a := &account{}
	if len(data) == 0 {
		return a, nil
	}
	if rawjson.Valid(data) != nil {
		return nil, errAccount
	}
	v, ok := rawjson.Value(data), true
	number := func(v rawjson.Value) uint64 {
		n, err := strconv.ParseUint(string(v), 10, 64)
		ok = ok && err == nil
		return n
	}
	v.Get("categories").Fields(func(key []byte, list rawjson.Value) {
		c := category.Index(string(key))
		if c < 0 {
			ok = false
			return
		}
		into := [...]*uint64{&a.of[c].right, &a.of[c].scored, &a.of[c].missing}
		list.Each(func(i int, v rawjson.Value) bool {
			if i < len(into) {
				*into[i] = number(v)
			}
			return true
		})
	})
	a.excluded, a.notIssued, a.unjudgeable = number(v.Get("excluded")), number(v.Get("not_issued")), number(v.Get("unjudgeable"))
	if !ok {
		return nil, errAccount
	}
	return a, nil
}
