package identity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// Codes of findings.
const (
	codeChanged  = "identity-changed"
	codeExpected = "expectation-unmet"
	codeThinking = "thinking-not-preserved"
	codeSilent   = "probe-failed"
)

// unmet lists what was expected and is not so.
func (v *validator) unmet(l *look) []sdk.Finding {
	var list []sdk.Finding
	for _, want := range v.expect {
		got, told := l.get(want.name)
		switch {
		case !told:
			list = append(list, finding(sdk.SeverityError, codeExpected, detail("name", quoted(want.name), "expected", want.value),
				"%s: expected %s, and the target does not tell it", want.name, clip(want.value)))
		case got != want.value:
			a, b := apart(want.value, got)
			list = append(list, finding(sdk.SeverityError, codeExpected, detail("name", quoted(want.name), "expected", want.value, "found", got),
				"%s: expected %s, found %s", want.name, a, b))
		}
	}
	if v.thinking {
		list = append(list, l.forgets()...)
	}
	return list
}

// forgets holds the two requests against each other that differ by a thinking block in an earlier answer.
func (l *look) forgets() []sdk.Finding {
	with, okWith := l.get(thinkingKept + ".prompt_tokens")
	without, okWithout := l.get(thinkingPlain + ".prompt_tokens")
	switch {
	case !okWith || !okWithout:
		return []sdk.Finding{finding(sdk.SeverityError, codeThinking, nil,
			"whether thinking is preserved cannot be told: the target gave no prompt tokens for the requests that would show it")}
	case with == without:
		return []sdk.Finding{finding(sdk.SeverityError, codeThinking, detail("with", with, "without", without),
			"thinking is not preserved: a history with thinking and one without it both make %s prompt tokens", with)}
	}
	return nil
}

// silent tells which probes gave nothing. It is for information: servers offer what they offer.
func (l *look) silent() []sdk.Finding {
	var list []sdk.Finding
	for _, f := range l.failed {
		how := fmt.Sprintf("status %d", f.status)
		switch f.status {
		case 0:
			how = "no answer"
		case 200:
			how = "an answer that is no JSON object"
		}
		list = append(list, finding(sdk.SeverityInfo, codeSilent, detail("probe", quoted(f.name), "status", strconv.Itoa(int(f.status))),
			"the probe %s told nothing: %s", f.name, how))
	}
	return list
}

// changed lists what was told before and after, and differently. What one round lacks because its probe failed is no
// difference; that the page is gone, or that the answer lacks it, is one.
func (v *validator) changed(before, after *look) []sdk.Finding {
	var list []sdk.Finding
	names := map[string]bool{}
	var order []string
	for _, s := range slices.Concat(before.seen, after.seen) {
		if !names[s.name] {
			names[s.name] = true
			order = append(order, s.name)
		}
	}
	slices.Sort(order)
	for _, name := range order {
		a, inA := before.get(name)
		b, inB := after.get(name)
		if a == b && inA == inB || v.ignored(name) || before.lacks(name) || after.lacks(name) {
			continue
		}
		if !inA {
			a = "null"
		}
		if !inB {
			b = "null"
		}
		shownA, shownB := apart(a, b)
		list = append(list, finding(sdk.SeverityError, codeChanged, detail("name", quoted(name), "before", a, "after", b),
			"%s changed during the run: %s before, %s after", name, shownA, shownB))
	}
	return list
}

// lacks reports whether the round has no answer of the probe that tells name, and so says nothing about it.
func (l *look) lacks(name string) bool {
	probe, _, _ := strings.Cut(name, ".")
	if slices.Contains([]string{"model", "system_fingerprint", "prompt_tokens", "header"}, probe) {
		probe = chat
	}
	return slices.ContainsFunc(l.failed, func(f failure) bool { return f.name == probe && !gone(f.status) })
}

func (v *validator) ignored(name string) bool {
	return slices.ContainsFunc(v.ignore, func(pattern string) bool {
		prefix, below := strings.CutSuffix(pattern, "*")
		return pattern == name || below && strings.HasPrefix(name, prefix)
	})
}

// judge gives the verdict over both rounds.
func (v *validator) judge(before, after *look) *sdk.ConcludeCheckResponse {
	out := &sdk.ConcludeCheckResponse{}
	changed := v.changed(before, after)
	unmet := v.unmet(before)
	common := 0
	for _, s := range before.seen {
		if _, both := after.get(s.name); both && !strings.HasSuffix(s.name, ".status") {
			common++
		}
	}
	switch {
	case before.asked == 0 || after.asked == 0:
		out.Reason = "the probes before or after the run are missing"
	case len(unmet) > 0:
		out.Reason = unmet[0].Message
	case len(changed) > 0:
		out.Reason = changed[0].Message
		if len(changed) > 1 {
			out.Reason += fmt.Sprintf(" (and %d more differences)", len(changed)-1)
		}
	case common == 0:
		out.Reason = "the target told nothing by which before and after could be compared"
	default:
		out.Passed = true
	}
	if after.asked > 0 {
		out.Findings = slices.Concat(unmet, changed, after.silent())
	}
	count := func(name string, n int) {
		out.Values = append(out.Values, sdk.Value{Name: name, Micro: int64(n) * 1_000_000, Unit: "facts"})
	}
	count("compared", common)
	count("changed", len(changed))
	for _, name := range []string{"prompt_tokens", thinkingKept + ".prompt_tokens", thinkingPlain + ".prompt_tokens"} {
		if text, ok := before.get(name); ok {
			if n, ok := rawjson.Exact([]byte(text), 6); ok {
				out.Values = append(out.Values, sdk.Value{Name: name, Micro: n, Unit: "tokens"})
			}
		}
	}
	return out
}

func finding(severity sdk.Severity, code string, detail []byte, format string, args ...any) sdk.Finding {
	return sdk.Finding{Severity: severity, Code: code, Message: strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD"), Detail: detail}
}

func quoted(text string) string { return string(rawjson.AppendString(nil, text)) }

// mostDetail bounds a value in a detail; a longer one is given by its size.
const mostDetail = 4096

// detail makes an object of names and JSON values.
func detail(pairs ...string) []byte {
	out := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, pairs[i]), ':')
		if value := pairs[i+1]; len(value) > mostDetail {
			out = rawjson.AppendString(out, clip(value))
		} else {
			out = append(out, value...)
		}
	}
	return append(out, '}')
}

const mostShown = 100

func clip(text string) string {
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + fmt.Sprintf("... (%d bytes)", len(text))
	}
	return text
}

// apart shortens two values so that the first place where they differ shows.
func apart(a, b string) (string, string) {
	if len(a) <= mostShown && len(b) <= mostShown {
		return a, b
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	from := max(0, same-mostShown/2)
	part := func(s string) string {
		text := strings.ToValidUTF8(s[from:min(len(s), from+mostShown)], "")
		return fmt.Sprintf("...%s... (%d bytes, from byte %d)", text, len(s), from)
	}
	return part(a), part(b)
}
