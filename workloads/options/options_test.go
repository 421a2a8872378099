package options

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	r := Read([]byte(` {"n": 7.0, "share": 0.25, "word": "b", "none": null} `), "n", "share", "word", "none")
	if n := r.Count("n"); n != 7 {
		t.Errorf("n is %d", n)
	}
	if m, set := r.Micro("share", 1); m != 250_000 || !set {
		t.Errorf("share is %d, %v", m, set)
	}
	if _, set := r.Micro("none", 1); set {
		t.Error("null is set")
	}
	if w := r.Choice("word", "a", "b"); w != "b" {
		t.Errorf("word is %s", w)
	}
	if w := r.Choice("none", "a", "b"); w != "a" {
		t.Errorf("the default is %s", w)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	if err := Read(nil).Err(); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	r := Read([]byte(`{"n": 1.5, "share": 0.0000001, "word": true, "x": 1}`), "n", "share", "word")
	r.Count("n")
	r.Micro("share", 1)
	r.Choice("word", "a", "b")
	var got []string
	for _, f := range r.faults {
		got = append(got, f.Pointer+" "+f.Code)
		if f.Expected == "" || f.Message == "" {
			t.Errorf("%+v says too little", f)
		}
	}
	const want = "/x unknown-key,/n option-range,/share option-range,/word option-choice"
	if strings.Join(got, ",") != want {
		t.Errorf("faults %q", got)
	}
}
