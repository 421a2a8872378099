package history

import (
	"fmt"
	"testing"
)

func TestDistinct(t *testing.T) {
	told := func(id, parent string, start int64, input, answer string) Told {
		q := Told{ID: id, Parent: parent, Call: Call{Start: start, End: start + 1, Usage: NoUsage()}}
		if input != "" {
			q.Call = call(start, start+1, answer, input)
		}
		return q
	}
	for name, tc := range map[string]struct {
		list []Told
		want string
	}{
		"in order":                         {[]Told{told("b", "", 2, "two", "x"), told("a", "", 1, "one", "x")}, "[1 2]"},
		"exported twice":                   {[]Told{told("a", "", 1, "one", "x"), told("a", "", 1, "one", "x")}, "[1]"},
		"told before it was over":          {[]Told{told("a", "", 1, "one", ""), told("a", "", 1, "one", "x")}, "[1]"},
		"without ids":                      {[]Told{told("", "", 1, "one", "x"), told("", "", 1, "one", "x")}, "[1 1]"},
		"by two layers":                    {[]Told{told("a", "", 1, "one", "x"), told("b", "a", 2, "one", "x")}, "[1]"},
		"by two layers, the inner has all": {[]Told{told("a", "", 1, "", ""), told("b", "a", 2, "one", "x")}, "[2]"},
		"inside what is no request":        {[]Told{told("a", "z", 1, "one", "x"), told("b", "z", 2, "two", "x")}, "[1 2]"},
		"inside itself":                    {[]Told{told("a", "a", 1, "one", "x")}, "[1]"},
	} {
		var starts []int64
		calls := Distinct(tc.list)
		for i := range calls {
			starts = append(starts, calls[i].Start)
			if len(calls[i].Input) == 0 || calls[i].Output == nil {
				t.Errorf("%s: what tells less was kept", name)
			}
		}
		if got := fmt.Sprint(starts); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
