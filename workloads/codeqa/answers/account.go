package answers

import (
	"errors"
	"strconv"

	"paceline/workloads/codeqa/task"
	"paceline/workloads/rawjson"
)

// account is what is known of any number of conversations. Folding is addition, so its order changes nothing.
type account struct {
	counted  uint64 // conversations that score: ended by the agent, or failed
	solved   uint64
	missing  uint64 // of those, without an end by the agent
	gaveUp   uint64
	empty    uint64
	cut      uint64 // broken off by the end of the run: not scored
	excluded uint64 // warm-up, or no question of this plugin
	steps    uint64
	calls    uint64
	failed   uint64 // calls that were answered with an error
	repeated uint64 // calls that were made before
	kinds    [kinds]share
}

const kinds = 5

type share struct{ counted, solved uint64 }

// fields lists every number with its name, in the order in which it is written.
func (a *account) fields() []field {
	list := []field{
		{"counted", &a.counted}, {"solved", &a.solved}, {"missing", &a.missing}, {"gave_up", &a.gaveUp}, {"empty", &a.empty},
		{"cut", &a.cut}, {"excluded", &a.excluded}, {"steps", &a.steps}, {"calls", &a.calls}, {"failed_calls", &a.failed},
		{"repeated_calls", &a.repeated},
	}
	for i, k := range task.Kinds() {
		list = append(list, field{string(k) + "_counted", &a.kinds[i].counted}, field{string(k) + "_solved", &a.kinds[i].solved})
	}
	return list
}

type field struct {
	name  string
	value *uint64
}

func (a *account) fold(b *account) {
	add := b.fields()
	for i, f := range a.fields() {
		*f.value += *add[i].value
	}
}

func (a *account) encode() []byte {
	var b []byte
	sep := byte('{')
	for _, f := range a.fields() {
		b = rawjson.AppendString(append(b, sep), f.name)
		b = strconv.AppendUint(append(b, ':'), *f.value, 10)
		sep = ','
	}
	return append(b, '}')
}

// decodeAccount reads what encode wrote; empty is an account of nothing.
func decodeAccount(data []byte) (*account, error) {
	a := &account{}
	if len(data) == 0 {
		return a, nil
	}
	if rawjson.Valid(data) != nil {
		return nil, errors.New("read the account: it is no JSON")
	}
	for _, f := range a.fields() {
		n, err := strconv.ParseUint(string(rawjson.Value(data).Get(f.name)), 10, 64)
		if err != nil {
			return nil, errors.New("read the account: it is damaged")
		}
		*f.value = n
	}
	return a, nil
}
