package describe

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// filled is the template with what is required.
func filled(t *testing.T, also ...string) *Description {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range append([]string{string(Template), sample(t)}, also...) {
		path := filepath.Join(dir, string(rune('a'+i))+".yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	d, err := Read(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sample.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFilledTemplateIsComplete(t *testing.T) {
	d := filled(t, "system: {target_availability_date: 2027-01-31, system_availability_status: Preview, submitter_contact: no}\n"+
		"points: {64: {batch: 64, nodes_used: [{system_node_ensemble_id: 0, nodes: 1}]}}\n")
	p, err := d.Check()
	if err != nil {
		t.Fatal(err)
	}
	if p.KW != 9.9 || d.System.AvailabilityDate != "2027-01-31" || d.System.Contact != "no" {
		t.Errorf("%v, %+v", p.KW, d.System)
	}
	if s, nodes, _ := d.At(64); s.Batch != 64 || s.Tensor != 2 || len(nodes) != 1 {
		t.Errorf("%+v, %v", s, nodes)
	}
	if s, nodes, _ := d.At(1); s.Batch != 8 || len(nodes) != 0 {
		t.Errorf("%+v, %v", s, nodes)
	}
}

// TestGapsLeaveFacts lays a template with gaps over what a machine told.
func TestGapsLeaveFacts(t *testing.T) {
	dir := t.TempDir()
	facts := filepath.Join(dir, "facts.yaml")
	if err := os.WriteFile(facts, []byte("system:\n  node_types:\n    - {driver: d 7, host_processor_core_count: 48, accelerator_info: [{accelerators_per_node: 8}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "system.yaml")
	if err := os.WriteFile(own, bytes.Replace(Template, []byte("filesystem: \"\""), []byte("filesystem: xfs"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Read(facts, own)
	if err != nil {
		t.Fatal(err)
	}
	n := d.System.Nodes[0]
	if len(d.System.Nodes) != 1 || n.Driver != "d 7" || n.Cores != 48 || n.FileSystem != "xfs" || n.Accelerators[0].PerNode != 8 || n.Number != 1 {
		t.Errorf("%+v", d.System.Nodes)
	}
}

// TestTemplateExplainsEveryField holds the template to the types: each key is there, with a comment above it or above the
// group that explains it.
func TestTemplateExplainsEveryField(t *testing.T) {
	var tree yaml.Node
	if err := yaml.Unmarshal(Template, &tree); err != nil {
		t.Fatal(err)
	}
	explained(t, "", tree.Content[0], reflect.TypeFor[Description](), false)
	d, err := Parse(Template)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Check(); err == nil || !strings.Contains(err.Error(), "organization: is empty; it is required") ||
		!strings.Contains(err.Error(), "system.node_types[0].driver: is empty") {
		t.Errorf("the empty template: %v", err)
	}
}

func explained(t *testing.T, at string, n *yaml.Node, of reflect.Type, covered bool) {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		if of = of.Elem(); n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
			n = n.Content[0]
		}
	}
	if of.Kind() != reflect.Struct || n.Kind != yaml.MappingNode {
		return
	}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if f.Anonymous {
			explained(t, at, n, f.Type, covered)
			continue
		}
		if name == "-" {
			continue
		}
		v := place(n, name)
		if v < 0 {
			if !covered {
				t.Errorf("the template lacks %s%s", at, name)
			}
			continue
		}
		comment := n.Content[v-1].HeadComment
		if i == 0 && comment == "" {
			comment = n.HeadComment
		}
		group := strings.HasPrefix(at, "power.") || at == "speculative_decoding."
		if comment == "" && !covered {
			t.Errorf("the template does not explain %s%s", at, name)
		}
		explained(t, at+name+".", n.Content[v], f.Type, covered || group && comment != "")
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"sistem: {}":                                      "line 1: field sistem is not known; `runner submit template`",
		"system: {driver: x}":                             "field driver is not known",
		"system: {node_types: 3}":                         "line 1: cannot unmarshal",
		"organization: &a x\nsubmission: *a":              "line 2: aliases are not read",
		strings.Repeat("[", 40) + strings.Repeat("]", 40): "nested deeper",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "describe.") {
			t.Errorf("%s: want %q, got %v", text, want, err)
		}
	}
	for more, want := range map[string]string{
		"submission: a/b":            `submission: "a/b" cannot be the name of a folder`,
		"system: {division: Closed}": `system.division: "Closed"; want Standardized, Serviced, RDI`,
		"system: {shortened_system_name: abcdefghijklmnopqrstu}": "has 21 characters",
		"system: {availability_url: ftp}":                        "system.availability_url",
		"system: {system_availability_status: Preview}":          "system.target_availability_date",
		"system: {max_supported_concurrency: 32}":                "want more than 32",
		"system: {c_min_override: 33}":                           "system.c_min_override: 33",
		"system: {config_summary: abc}":                          "at least 4 characters",
		"power: {cooling: liquid}":                               `system.node_types[0].cooling: "Air-cooled", and power.cooling is "liquid"`,
	} {
		if _, err := filled(t, more).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", more, want, err)
		}
	}
	d := filled(t)
	d.Power = nil
	if _, err := d.Check(); err == nil || !strings.Contains(err.Error(), "power: is missing; Standardized needs it") {
		t.Error(err)
	}
	d.System.Division = RDI
	if _, err := d.Check(); err != nil {
		t.Errorf("RDI needs no power: %v", err)
	}
}

func TestFolder(t *testing.T) {
	for text, want := range map[string]string{"sample org": "sample_org", "../x": "-x", "a/b": "a-b", "Straße 7": "Stra-e_7"} {
		if got := Folder(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
