package outputlength

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

const micro = 1_000_000

// account is what is known of any number of turns. Folding is addition.
type account struct {
	turns     uint64 // that count, with their tokens
	tokens    uint64
	byCounter uint64 // of turns, those that the counter counted
	uncounted uint64 // answered, and nobody said how many tokens
	empty     uint64 // answered with nothing
}

func (a *account) fold(b *account) {
	for i, n := range b.numbers() {
		*a.numbers()[i] += *n
	}
}

var names = [...]string{"turns", "tokens", "by_counter", "uncounted", "empty"}

func (a *account) numbers() [len(names)]*uint64 {
	return [...]*uint64{&a.turns, &a.tokens, &a.byCounter, &a.uncounted, &a.empty}
}

func (a *account) append(dst []byte) []byte {
	sep := byte('{')
	for i, n := range a.numbers() {
		dst = rawjson.AppendString(append(dst, sep), names[i])
		dst = strconv.AppendUint(append(dst, ':'), *n, 10)
		sep = ','
	}
	return append(dst, '}')
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
	for i, n := range a.numbers() {
		var err error
		if *n, err = strconv.ParseUint(string(rawjson.Value(data).Get(names[i])), 10, 64); err != nil {
			return nil, errors.New("read the account: it is damaged")
		}
	}
	return a, nil
}

// mean gives the mean in micro-tokens, rounded half up; turns is above 0.
func (a *account) mean() int64 {
	high, low := bits.Mul64(a.tokens, micro)
	low, carry := bits.Add64(low, a.turns/2, 0)
	if high += carry; high >= a.turns {
		return 1<<63 - 1
	}
	mean, _ := bits.Div64(high, low, a.turns)
	return int64(min(mean, 1<<63-1))
}

// compare holds the exact mean against a bound in micro-tokens: -1 below, 0 equal, 1 above.
func (a *account) compare(bound int64) int {
	high, low := bits.Mul64(a.tokens, micro)
	boundHigh, boundLow := bits.Mul64(uint64(bound), a.turns)
	switch {
	case high == boundHigh && low == boundLow:
		return 0
	case high < boundHigh || high == boundHigh && low < boundLow:
		return -1
	default:
		return 1
	}
}

// judge says whether the mean is inside of its bounds, and in words why not. Without bounds that is the first reason: nothing
// was asked for, whatever else is missing.
func (v *validator) judge(a *account) (passed bool, reason string) {
	missing := a.missing()
	switch {
	case v.least == nil && v.largest == nil && missing != "":
		return false, noBounds + "; " + missing
	case v.least == nil && v.largest == nil:
		return false, noBounds
	case missing != "":
		return false, missing
	case v.least != nil && a.compare(*v.least) < 0:
		return false, fmt.Sprintf("mean %s is below min %s", decimal(a.mean()), decimal(*v.least))
	case v.largest != nil && a.compare(*v.largest) > 0:
		return false, fmt.Sprintf("mean %s is above max %s", decimal(a.mean()), decimal(*v.largest))
	default:
		return true, ""
	}
}

const noBounds = "no bounds"

// missing says why there is no mean, empty where there is one.
func (a *account) missing() string {
	answered := a.turns + a.uncounted
	switch {
	case answered == 0:
		return "no answers"
	case a.turns == 0:
		return "no usage"
	case a.uncounted > 0:
		return fmt.Sprintf("no usage for %d of %d turns", a.uncounted, answered)
	default:
		return ""
	}
}

// decimal writes micro-units as a decimal number.
func decimal(n int64) string {
	whole, rest := n/micro, strconv.FormatInt(n%micro+micro, 10)[1:]
	if rest = strings.TrimRight(rest, "0"); rest == "" {
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatInt(whole, 10) + "." + rest
}

// values gives the numbers behind the verdict. The mean is there only where every turn that counts was counted.
func (v *validator) values(a *account) []sdk.Value {
	var out []sdk.Value
	if a.turns > 0 && a.uncounted == 0 {
		out = append(out, sdk.Value{Name: "mean_output_tokens", Micro: a.mean(), Unit: "tokens"})
	}
	if v.least != nil {
		out = append(out, sdk.Value{Name: "min", Micro: *v.least, Unit: "tokens"})
	}
	if v.largest != nil {
		out = append(out, sdk.Value{Name: "max", Micro: *v.largest, Unit: "tokens"})
	}
	for _, c := range [...]struct {
		name string
		n    uint64
	}{
		{"turns", a.turns}, {"turns_by_counter", a.byCounter}, {"turns_by_usage", a.turns - a.byCounter},
		{"turns_uncounted", a.uncounted}, {"turns_empty", a.empty},
	} {
		out = append(out, sdk.Value{Name: c.name, Micro: int64(c.n) * micro, Unit: "turns"})
	}
	return out
}
