package toolcalls

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// Positions of turns that are told apart; later ones count as the last.
const positions = 64

// maxKeywords bounds the keywords that an account names.
const maxKeywords = 100

// position counts the turns of one place in their conversations.
type position struct {
	turns, withCalls, invalid uint64
	faults                    [classCount]uint64
}

// account is what is known of any number of answered turns. Folding is addition.
type account struct {
	answered  uint64 // turns, with tools or without
	turns     uint64 // that offered tools, or called some
	withCalls uint64
	attempts  uint64 // turns with calls or faults
	invalid   uint64 // of attempts, those with a fault that counts
	calls     uint64
	badCalls  uint64
	partly    uint64 // calls whose schema was checked in part
	// against references: called and due, called and not due, not called and due, neither
	hits, extra, missed, quiet uint64

	at       []position // by position, up to the last one that occurred
	keywords []keyword  // sorted by name
}

// keyword is one outside of the subset, and how many calls met it.
type keyword struct {
	name  string
	calls uint64
}

func (a *account) numbers() [12]*uint64 {
	return [...]*uint64{&a.answered, &a.turns, &a.withCalls, &a.attempts, &a.invalid, &a.calls, &a.badCalls, &a.partly,
		&a.hits, &a.extra, &a.missed, &a.quiet}
}

func (p *position) numbers() []*uint64 {
	list := []*uint64{&p.turns, &p.withCalls, &p.invalid}
	for i := range p.faults {
		list = append(list, &p.faults[i])
	}
	return list
}

// place returns the counts of one position, made where they are missing.
func (a *account) place(i int) *position {
	for len(a.at) <= i {
		a.at = append(a.at, position{})
	}
	return &a.at[i]
}

// add counts one answered turn.
func (a *account) add(s *sdk.Sample, t *turn, v *validator) {
	a.answered++
	if !t.offered && t.calls == 0 {
		return
	}
	p := a.place(int(min(s.Turn, positions-1)))
	a.turns++
	p.turns++
	if t.calls > 0 {
		a.withCalls++
		p.withCalls++
	}
	bad := false
	for _, f := range t.faults {
		p.faults[f.class]++
		bad = bad || v.errors[f.class]
	}
	if t.calls > 0 || len(t.faults) > 0 {
		a.attempts++
	}
	if bad {
		a.invalid++
		p.invalid++
	}
	a.calls, a.badCalls, a.partly = a.calls+uint64(t.calls), a.badCalls+uint64(t.badCalls), a.partly+uint64(t.partly)
	for _, name := range t.unknown {
		a.keyword(name, 1)
	}
	a.compare(t)
}

func (a *account) compare(t *turn) {
	switch called := t.calls > 0; {
	case !t.compared:
	case called && t.due:
		a.hits++
	case called:
		a.extra++
	case t.due:
		a.missed++
	default:
		a.quiet++
	}
}

func (a *account) keyword(name string, calls uint64) {
	i, found := slices.BinarySearchFunc(a.keywords, name, func(k keyword, name string) int { return strings.Compare(k.name, name) })
	switch {
	case found:
		a.keywords[i].calls += calls
	case len(a.keywords) < maxKeywords:
		a.keywords = slices.Insert(a.keywords, i, keyword{name, calls})
	}
}

func (a *account) fold(b *account) {
	for i, n := range b.numbers() {
		*a.numbers()[i] += *n
	}
	for i := range b.at {
		into := a.place(i).numbers()
		for j, n := range b.at[i].numbers() {
			*into[j] += *n
		}
	}
	for _, k := range b.keywords {
		a.keyword(k.name, k.calls)
	}
}

// faults are the counts of one class over all positions.
func (a *account) faults(c class) (n uint64) {
	for i := range a.at {
		n += a.at[i].faults[c]
	}
	return n
}

func appendNumbers(dst []byte, list []*uint64) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, *n, 10)
	}
	return append(dst, ']')
}

func (a *account) append(dst []byte) []byte {
	all := a.numbers()
	dst = appendNumbers(append(dst, `{"totals":`...), all[:])
	dst = append(dst, `,"positions":[`...)
	for i := range a.at {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumbers(dst, a.at[i].numbers())
	}
	dst = append(dst, `],"keywords":{`...)
	for i, k := range a.keywords {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(append(rawjson.AppendString(dst, k.name), ':'), k.calls, 10)
	}
	return append(dst, "}}"...)
}

var errAccount = errors.New("read the account: it is damaged")

func readNumbers(v rawjson.Value, into []*uint64) bool {
	n, good := 0, true
	v.Each(func(i int, element rawjson.Value) bool {
		if n++; i >= len(into) {
			return false
		}
		var err error
		*into[i], err = strconv.ParseUint(string(element), 10, 64)
		good = good && err == nil
		return good
	})
	return good && n == len(into)
}

// decodeAccount reads what append wrote; empty is an account of nothing.
func decodeAccount(data []byte) (*account, error) {
	a := &account{}
	if len(data) == 0 {
		return a, nil
	}
	if rawjson.Valid(data) != nil {
		return nil, errAccount
	}
	v, all := rawjson.Value(data), a.numbers()
	good := readNumbers(v.Get("totals"), all[:])
	v.Get("positions").Each(func(i int, element rawjson.Value) bool {
		good = good && i < positions && readNumbers(element, a.place(i).numbers())
		return good
	})
	v.Get("keywords").Fields(func(name []byte, count rawjson.Value) {
		n, err := strconv.ParseUint(string(count), 10, 64)
		good = good && err == nil
		a.keyword(string(name), n)
	})
	if !good {
		return nil, errAccount
	}
	return a, nil
}
