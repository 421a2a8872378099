package toolcalls

import (
	"fmt"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

const micro = 1_000_000

// share gives n of d in micro-units, rounded half up; d is above 0.
func share(n, d uint64) uint64 { return (2*n*micro + d) / (2 * d) }

// judge says whether the calls may pass, and in words why not.
func (v *validator) judge(a *account) (passed bool, reason string) {
	switch {
	case a.answered == 0:
		return v.reportOnly, "no answers"
	case a.turns == 0:
		return true, "no tools offered"
	}
	var faults []string
	if a.invalid*micro > v.maxInvalid*a.attempts {
		faults = append(faults, fmt.Sprintf("%d of %d turns with calls are invalid, and a share of %s may be: %s",
			a.invalid, a.attempts, decimal(v.maxInvalid), v.commonest(a)))
	}
	faults = append(faults, bound("precision", v.minPrecision, a.hits, a.hits+a.extra)...)
	faults = append(faults, bound("recall", v.minRecall, a.hits, a.hits+a.missed)...)
	if len(faults) == 0 {
		return true, ""
	}
	reason = strings.Join(faults, "; ")
	if v.reportOnly {
		return true, "reported only: " + reason
	}
	return false, reason
}

// bound holds n of d against a least share.
func bound(name string, least *uint64, n, d uint64) []string {
	switch {
	case least == nil:
		return nil
	case d == 0:
		return []string{"no " + name + ": no call was due or made where a reference answer is"}
	case n*micro < *least*d:
		return []string{fmt.Sprintf("%s %s is below %s", name, decimal(share(n, d)), decimal(*least))}
	}
	return nil
}

// commonest lists the classes that count, with how often they occurred.
func (v *validator) commonest(a *account) string {
	var list []string
	for i, name := range classes {
		if n := a.faults(class(i)); n > 0 && v.errors[i] {
			list = append(list, fmt.Sprintf("%s %d", name, n))
		}
	}
	return strings.Join(list, ", ")
}

// decimal writes micro-units as a decimal number.
func decimal(n uint64) string {
	whole, rest := n/micro, strconv.FormatUint(n%micro+micro, 10)[1:]
	if rest = strings.TrimRight(rest, "0"); rest == "" {
		return strconv.FormatUint(whole, 10)
	}
	return strconv.FormatUint(whole, 10) + "." + rest
}

// values gives the numbers behind the verdict. A share is there only where there is something to divide by.
func (v *validator) values(a *account) []sdk.Value {
	var out []sdk.Value
	ratio := func(name string, n, d uint64) {
		if d > 0 {
			out = append(out, sdk.Value{Name: name, Micro: int64(share(n, d)), Unit: "share"})
		}
	}
	count := func(name, unit string, n uint64) {
		out = append(out, sdk.Value{Name: name, Micro: int64(n) * micro, Unit: unit})
	}
	ratio("share_with_calls", a.withCalls, a.turns)
	ratio("share_valid", a.attempts-min(a.invalid, a.attempts), a.attempts)
	ratio("precision", a.hits, a.hits+a.extra)
	ratio("recall", a.hits, a.hits+a.missed)
	count("turns", "turns", a.turns)
	count("turns_with_calls", "turns", a.withCalls)
	count("turns_invalid", "turns", a.invalid)
	count("turns_without_tools", "turns", a.answered-a.turns)
	count("calls", "calls", a.calls)
	count("calls_with_faults", "calls", a.badCalls)
	count("calls_checked_in_part", "calls", a.partly)
	count("called_as_recorded", "turns", a.hits)
	count("called_unlike_recorded", "turns", a.extra)
	count("not_called_unlike_recorded", "turns", a.missed)
	for i, name := range classes {
		if n := a.faults(class(i)); n > 0 {
			count("fault."+name, "faults", n)
		}
	}
	return out
}

// summary is what belongs to no single turn: counts by position, and the keywords that were not checked.
func summary(a *account) []sdk.Finding {
	var list []sdk.Finding
	for _, k := range a.keywords {
		detail := strconv.AppendUint(append(rawjson.AppendString([]byte(`{"keyword":`), k.name), `,"calls":`...), k.calls, 10)
		list = append(list, sdk.Finding{Severity: sdk.SeverityInfo, Code: "keyword-not-checked",
			Message: fmt.Sprintf("%s, which %d calls met in a tool's schema, is outside of the subset that is checked", k.name, k.calls),
			Detail:  append(detail, '}')})
	}
	if a.turns == 0 {
		return list
	}
	return append(list, sdk.Finding{Severity: sdk.SeverityInfo, Code: "by-turn-position",
		Message: fmt.Sprintf("turns with tools by their index in the conversation; %d stands for all from there on", positions-1),
		Detail:  byPosition(a)})
}

func byPosition(a *account) []byte {
	out := []byte{'['}
	for i := range a.at {
		p := &a.at[i]
		if p.turns == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `{"turn":%d,"turns":%d,"with_calls":%d,"invalid":%d,"faults":{`, i, p.turns, p.withCalls, p.invalid)
		sep := ""
		for c, n := range p.faults {
			if n > 0 {
				out = fmt.Appendf(out, `%s"%s":%d`, sep, classes[c], n)
				sep = ","
			}
		}
		out = append(out, "}}"...)
	}
	return append(out, ']')
}
