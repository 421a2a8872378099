package config

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/plugins/policy"
)

const goodPolicy = `# who may be used
schema: paceline/policy/v1
keys:
  acme: ed25519:0101010101010101010101010101010101010101010101010101010101010101
  audit: "ed25519:0202020202020202020202020202020202020202020202020202020202020202"
plugins:
  - source: std
  - source: oci://registry.example/acme/
    all_of: [acme]
    any_of: {minimum: 1, keys: [audit]}
    native: true
    capabilities: [inputs, network]
`

func TestParsePolicy(t *testing.T) {
	p, err := ParsePolicy("p.yaml", []byte(goodPolicy))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rules) != 2 || p.Rules[1].AnyOf.Minimum != 1 || !p.Rules[1].Native || len(p.Rules[1].Capabilities) != 2 || p.Rules[0].Capabilities != nil {
		t.Errorf("got %+v", p)
	}
	text := `{"schema": "paceline/policy/v1", "plugins": [{"source": "std"}]}`
	if _, err := ParsePolicy("p.json", []byte(text)); err != nil {
		t.Errorf("JSON: %v", err)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":       {"all_of:", "allof:", "p.yaml:9: plugins[1].allof: unknown key; did you mean all_of?"},
		"unknown group":     {"\nplugins:", "\nplugin:", "p.yaml:6: plugin: unknown key; did you mean plugins?"},
		"twice":             {"source: std", "source: std\n    source: file", "p.yaml:8: plugins[0].source: no plain key, or there twice"},
		"no list":           {"all_of: [acme]", "all_of: acme", "p.yaml:9: plugins[1].all_of: a list is expected"},
		"no boolean":        {"native: true", "native: maybe", "p.yaml:11"},
		"no number":         {"minimum: 1", "minimum: one", "p.yaml:10"},
		"too many":          {"minimum: 1", "minimum: 2", "p.yaml:10: plugins[1].any_of.minimum: 2 is not in 1..1"},
		"no key":            {"[acme]", "[acne]", "p.yaml:9: plugins[1].all_of[0]: no key \"acne\""},
		"bad key":           {"ed25519:01", "ed25519:xx", "p.yaml:4: keys.acme:"},
		"source":            {"source: std", "source: http://x", "p.yaml:7: plugins[0].source:"},
		"alias":             {"  - source: std", "  - &a {source: std}\n  - *a", "anchors and aliases"},
		"schema":            {"policy/v1", "policy/v2", "p.yaml:2: schema: found"},
		"no YAML":           {"keys:", "keys: [", "p.yaml: line"},
		"everything, empty": {goodPolicy, "", "the policy is empty"},
		"a list":            {goodPolicy, "- a", "p.yaml:1: a group of keys is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(goodPolicy, c.from, c.to, 1)
			if _, err := ParsePolicy("p.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestPolicySchema keeps schemas/policy/v1 equal to the keys that a policy may have.
func TestPolicySchema(t *testing.T) {
	text, err := os.ReadFile("../../../../schemas/policy/v1/policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	var node func(n map[string]any, path string)
	node = func(n map[string]any, path string) {
		if items, ok := n["items"].(map[string]any); ok {
			node(items, path)
		}
		props, _ := n["properties"].(map[string]any)
		for key, sub := range props {
			got = append(got, dotted(path, key))
			node(sub.(map[string]any), dotted(path, key))
		}
	}
	node(schema, "")
	var fields func(t reflect.Type, path string)
	fields = func(of reflect.Type, path string) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return
		}
		for f := range of.Fields() {
			p := dotted(path, f.Tag.Get("yaml"))
			want = append(want, p)
			fields(f.Type, p)
		}
	}
	fields(reflect.TypeFor[policy.Policy](), "")
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add(goodPolicy)
	f.Add("plugins: [")
	f.Add(`{"schema": "paceline/policy/v1", "plugins": [{"source": "std", "any_of": null}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePolicy("x", []byte(text))
		if err == nil && len(p.Faults()) > 0 {
			t.Fatalf("taken with faults: %v", p.Faults())
		}
	})
}
