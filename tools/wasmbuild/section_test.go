package main

import (
	"slices"
	"testing"
)

const empty = "\x00asm\x01\x00\x00\x00"

func TestAppendSection(t *testing.T) {
	module, err := appendSection([]byte(empty+"\x01\x01\x00"), "paceline.manifest", []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(module), empty+"\x01\x01\x00\x00\x19\x11paceline.manifest"+`{"a":1}`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	names, err := customSections(module)
	if err != nil || !slices.Equal(names, []string{"paceline.manifest"}) {
		t.Errorf("sections %q, error %v", names, err)
	}
	if _, err := appendSection(module, "paceline.manifest", nil); err == nil {
		t.Error("a second section of that name was appended")
	}
}

func TestAppendSectionRefuses(t *testing.T) {
	for name, module := range map[string]string{
		"no module":        "hello",
		"component":        "\x00asm\x0d\x00\x01\x00",
		"section too long": empty + "\x01\x05\x00",
	} {
		if _, err := appendSection([]byte(module), "x", nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCanonical(t *testing.T) {
	for source, want := range map[string]string{
		`{ "name": "p", "a": [1.50, "<é>"] }`: `{"a":[1.50,"<é>"],"name":"p"}`,
		`{"a":1}`:                             "",
		`{"name":"p"}{}`:                      "",
		`[]`:                                  "",
	} {
		got, _, err := canonical([]byte(source))
		if (err != nil) != (want == "") || string(got) != want {
			t.Errorf("canonical(%s) = %s, %v; want %s", source, got, err, want)
		}
	}
}
