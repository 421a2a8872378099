package settings

import (
	"errors"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

func TestRead(t *testing.T) {
	r := Read([]byte(` {"yes": true, "list": ["a", "b"], "of": {"x/y": 1, "z": "t"}}`), "yes", "list", "of", "gone")
	if !r.Flag("yes") || r.Flag("gone") {
		t.Error("flags are wrong")
	}
	if list, set := r.Words("list", "a", "b"); !set || strings.Join(list, " ") != "a b" {
		t.Errorf("list is %q, %v", list, set)
	}
	if _, set := r.Words("gone"); set {
		t.Error("gone is set")
	}
	var names []string
	r.Object("of", func(name string, value rawjson.Value) { names = append(names, name+"="+string(value)) })
	if strings.Join(names, " ") != `x/y=1 z="t"` {
		t.Errorf("members are %q", names)
	}
	if err := r.Err(); err != nil {
		t.Errorf("%v", err)
	}
	if got := Pointer("of", "x/y"); got != "/of/x~1y" {
		t.Errorf("pointer %s", got)
	}
}

func TestFaults(t *testing.T) {
	bad := Read([]byte(`{"yes": 1, "list": ["c", 2], "of": []}`), "yes", "list", "of")
	bad.Flag("yes")
	bad.Words("list", "a")
	bad.Object("of", nil)
	faults, ok := errors.AsType[sdk.Faults](bad.Err())
	if !ok || len(faults) != 4 {
		t.Errorf("faults: %v", bad.Err())
	}
	if none := Read([]byte(`[`), "yes"); none.Flag("yes") || none.Err() == nil {
		t.Error("what is no object has no fault")
	}
}
