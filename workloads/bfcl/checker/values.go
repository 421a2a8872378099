package checker

import (
	"strings"

	"paceline/workloads/bfcl/python"
)

// plain takes out what does not count in a text: blanks, signs, capitals, the kind of quotes.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,./-_*^", r) {
			return -1
		}
		return r
	}, s)
	return strings.ReplaceAll(python.Lower(s), "'", `"`)
}

// plainly is plain for what is a text; all else stays.
func plainly(v python.Value) python.Value {
	if v.Kind == python.Str {
		v.Text = plain(v.Text)
	}
	return v
}

func plainAll(list []python.Value) []python.Value {
	out := make([]python.Value, len(list))
	for i := range list {
		out[i] = plainly(list[i])
	}
	return out
}

// elements gives what Python finds by the places 0, 1, 2 in a value: the elements of a list, the characters of a text, none in
// an empty dict. ok is false where Python raises an error.
func elements(v python.Value) (list []python.Value, ok bool) {
	switch v.Kind {
	case python.List:
		return v.Items(), true
	case python.Str:
		for _, r := range v.Text {
			list = append(list, python.Text(string(r)))
		}
		return list, true
	case python.Dict:
		return nil, len(v.Keys()) == 0
	}
	return nil, false
}

// optional reports whether stored answers say that a parameter may be left out.
func optional(answers python.Value) (is, ok bool) {
	switch answers.Kind {
	case python.List:
		return python.Text("").In(answers.Items()), true
	case python.Str:
		return true, true
	case python.Dict:
		return answers.Has(""), true
	}
	return false, false
}

func checkString(v python.Value, answers []python.Value) Verdict {
	want := plain(v.Text)
	for i := range answers {
		if answers[i].Kind == python.Str && plain(answers[i].Text) == want {
			return Verdict{}
		}
	}
	return fail(ValueString, "none of the %d stored answers", len(answers))
}

func checkList(v python.Value, answers []python.Value) Verdict {
	got, found := python.ListOf(plainAll(v.Items())), false
	for i := range answers {
		stored, ok := elements(answers[i])
		if !ok {
			return fail(Unjudgeable, "stored answer %d is no list", i)
		}
		found = found || python.Equal(got, python.ListOf(plainAll(stored)))
	}
	if !found {
		return fail(ValueList, "none of the %d stored answers", len(answers))
	}
	return Verdict{}
}

// checkDict tells what is wrong by the last stored answer, as the official checker does.
func checkDict(v python.Value, answers []python.Value) Verdict {
	fault := fail(DictUnclear, "no stored answer")
	for i := range answers {
		if answers[i].IsEmptyText() {
			continue
		}
		if answers[i].Kind != python.Dict || v.Kind != python.Dict {
			return fail(Unjudgeable, "a value or stored answer %d is no object", i)
		}
		if fault = checkEntries(v, answers[i]); fault.Valid() || fault.Code == Unjudgeable {
			return fault
		}
	}
	return fault
}

// checkEntries goes through the keys that are there, then through those that are not, even after a fault.
func checkEntries(v, answer python.Value) Verdict {
	fault := checkPresent(v, answer)
	if fault.Code == Unjudgeable {
		return fault
	}
	for i, key := range answer.Keys() {
		if v.Has(key) {
			continue
		}
		may, ok := optional(answer.Items()[i])
		if !ok {
			return fail(Unjudgeable, "key %q: the stored answers are no list", key)
		}
		if !may {
			return fail(ValueDictKey, "key %q is missing", key)
		}
	}
	return fault
}

func checkPresent(v, answer python.Value) Verdict {
	for i, key := range v.Keys() {
		if !answer.Has(key) {
			return fail(ValueDictKey, "key %q is unexpected", key)
		}
		stored, ok := elements(answer.Get(key))
		if !ok {
			return fail(Unjudgeable, "key %q: the stored answers are no list", key)
		}
		if !plainly(v.Items()[i]).In(plainAll(stored)) {
			return fail(ValueDict, "key %q: none of the %d stored answers", key, len(stored))
		}
	}
	return Verdict{}
}

// checkDicts compares lists of objects place by place.
func checkDicts(v python.Value, answers []python.Value) Verdict {
	fault := fail(ListOfDictUnclear, "no stored answer")
	for i := range answers {
		size, ok := length(answers[i])
		if !ok {
			return fail(Unjudgeable, "stored answer %d is no list", i)
		}
		if len(v.Items()) != size {
			fault = fail(ValueDictCount, "%d objects, and stored answer %d has %d", len(v.Items()), i, size)
			continue
		}
		stored, ok := elements(answers[i])
		if !ok {
			return fail(Unjudgeable, "stored answer %d is no list", i)
		}
		if fault = checkEach(v.Items(), stored); fault.Valid() || fault.Code == Unjudgeable {
			return fault
		}
	}
	return fault
}

func checkEach(items, stored []python.Value) Verdict {
	for i := range items {
		if fault := checkDict(items[i], stored[i:i+1]); !fault.Valid() {
			return fault
		}
	}
	return Verdict{}
}

// length is Python's len.
func length(v python.Value) (int, bool) {
	switch v.Kind {
	case python.List, python.Dict:
		return len(v.Items()), true
	case python.Str:
		return len([]rune(v.Text)), true
	}
	return 0, false
}
