package strict_test

import (
	"strings"
	"testing"

	"paceline/plugins/strict"
)

type pair struct {
	Name string `json:"name"`
	N    int    `json:"n,omitempty"`
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"name": "a", "n": 3}`: "",
		``:                      "empty",
		`{"name": "a"} {}`:      "something follows",
		`{"nane": "a"}`:         "unknown field",
		`{"name": 3}`:           "cannot unmarshal",
		`{"name": "a"`:          "unexpected EOF",
	} {
		var p pair
		if err := strict.Decode([]byte(text), &p); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestForm(t *testing.T) {
	for text, fits := range map[string]bool{
		`{"name":"a<b","n":3}`:              true,
		" {\n\t\"name\" : \"a\",\"n\":3}\n": true,
		`{"name":"a"}`:                      true,
		`{"name":"a","n":0}`:                false,
		`{"Name":"a"}`:                      false,
		`{"name":"b","name":"a"}`:           false,
		`{"n":3,"name":"a"}`:                false,
		`{"name":"\u0061"}`:                 false,
		`{"name":"a","n":3e0}`:              false,
	} {
		var p pair
		err := strict.Decode([]byte(text), &p)
		if err == nil {
			err = strict.Form([]byte(text), &p)
		}
		if (err == nil) != fits {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
