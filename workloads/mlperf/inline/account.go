package inline

import (
	"errors"
	"slices"
	"strconv"

	"paceline/workloads/rawjson"
)

// pico is the unit of sums of scores: 10^-12. Each item is rounded to it, half up, so a mean is exact to far below a
// micro-unit, and a sum has room for nine million items.
const pico = 1_000_000_000_000

// account is what is known of any number of samples. Folding is addition, so its order changes nothing.
type account struct {
	issued    uint64 // turns with a recorded answer that were issued
	expected  uint64 // of those, the ones whose recorded answer can be held against
	observed  uint64 // of those, the ones with an answer
	excluded  uint64 // issued and without ground truth
	notIssued uint64 // never issued, because the run ended first
	coding    sum
	workflow  sum
	repeats   []uint32 // passes seen, ascending
}

// sum is scored items of one domain.
type sum struct {
	scored uint64
	pico   uint64
}

func (a *account) fold(b *account) {
	a.issued += b.issued
	a.expected += b.expected
	a.observed += b.observed
	a.excluded += b.excluded
	a.notIssued += b.notIssued
	a.coding.add(b.coding)
	a.workflow.add(b.workflow)
	for _, r := range b.repeats {
		a.repeat(r)
	}
}

func (s *sum) add(o sum) { s.scored, s.pico = s.scored+o.scored, s.pico+o.pico }

func (a *account) repeat(r uint32) {
	if i, found := slices.BinarySearch(a.repeats, r); !found {
		a.repeats = slices.Insert(a.repeats, i, r)
	}
}

// total is both domains together.
func (a *account) total() sum {
	t := a.coding
	t.add(a.workflow)
	return t
}

// mean gives the mean in units of 10^-places, rounded half up; places is at most 12 and scored above 0.
func (s sum) mean(places int) int64 {
	d := s.scored
	for range 12 - places {
		d *= 10
	}
	return int64((s.pico + d/2) / d)
}

// names of the account's numbers, in the order of numbers.
var names = [...]string{
	"issued", "expected", "observed", "excluded", "not_issued",
	"coding_scored", "coding_pico", "workflow_scored", "workflow_pico",
}

func (a *account) numbers() [len(names)]*uint64 {
	return [...]*uint64{
		&a.issued, &a.expected, &a.observed, &a.excluded, &a.notIssued,
		&a.coding.scored, &a.coding.pico, &a.workflow.scored, &a.workflow.pico,
	}
}

func (a *account) append(dst []byte) []byte {
	sep := byte('{')
	for i, n := range a.numbers() {
		dst = append(dst, sep)
		dst = rawjson.AppendString(dst, names[i])
		dst = append(dst, ':')
		dst = strconv.AppendUint(dst, *n, 10)
		sep = ','
	}
	dst = append(dst, `,"repeats":[`...)
	for i, r := range a.repeats {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, uint64(r), 10)
	}
	return append(dst, `]}`...)
}

// decodeAccount reads what append wrote; empty is an account of nothing.
func decodeAccount(data []byte) (*account, error) {
	a := &account{}
	if len(data) == 0 {
		return a, nil
	}
	if rawjson.Valid(data) != nil {
		return nil, errors.New("read the account: it is no JSON")
	}
	v := rawjson.Value(data)
	ok := true
	number := func(v rawjson.Value, bits int) uint64 {
		n, err := strconv.ParseUint(string(v), 10, bits)
		ok = ok && err == nil
		return n
	}
	for i, n := range a.numbers() {
		*n = number(v.Get(names[i]), 64)
	}
	v.Get("repeats").Each(func(_ int, v rawjson.Value) bool {
		a.repeat(uint32(number(v, 32)))
		return true
	})
	if !ok {
		return nil, errors.New("read the account: it is damaged")
	}
	return a, nil
}
