package configschema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const agent = `{"$schema":"x","type":"object","additionalProperties":false,"required":["name"],"properties":{
 "max_steps":{"type":"integer","minimum":1,"maximum":100,"default":12,"description":"requests"},
 "name":{"type":"string","minLength":1},
 "subset":{"enum":["all","some"],"default":"all"},
 "list":{"type":"array","items":{"type":"string"},"default":["a"]},
 "share":{"type":"number","minimum":0},
 "big":{"type":"integer"},
 "maybe":{"type":["string","null"]},
 "retry":{"$ref":"#/$defs/retry"},
 "any/thing":{"type":"object"}},
 "$defs":{"retry":{"type":"object","additionalProperties":false,"properties":{"times":{"type":"integer","default":3}}}}}`

func mustRead(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestComplete(t *testing.T) {
	for name, c := range map[string]struct{ schema, given, want string }{
		"defaults":        {agent, `{"name":"x"}`, `{"list":["a"],"max_steps":12,"name":"x","subset":"all"}`},
		"given ones stay": {agent, `{"name":"x","max_steps":3,"list":[],"subset":"some"}`, `{"list":[],"max_steps":3,"name":"x","subset":"some"}`},
		"null is none": {agent, `{"name":"x","max_steps":null,"share":null,"maybe":null}`,
			`{"list":["a"],"max_steps":12,"maybe":null,"name":"x","subset":"all"}`},
		"within an object": {agent, `{"name":"x","retry":{}}`, `{"list":["a"],"max_steps":12,"name":"x","retry":{"times":3},"subset":"all"}`},
		"digits are kept": {agent, `{"name":"<x>","big":90071992547409931234,"share":0.10}`,
			`{"big":90071992547409931234,"list":["a"],"max_steps":12,"name":"<x>","share":0.10,"subset":"all"}`},
		"no schema":          {``, `{"a":{"b":null}}`, `{"a":{"b":null}}`},
		"allows everything":  {`{}`, `{"a":1}`, `{"a":1}`},
		"a root that points": {`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"x":{"default":1}}}}}`, `{}`, `{"x":1}`},
		"a reference loop":   {`{"properties":{"x":{"$ref":"#/properties/x"}}}`, `{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			given := object(t, c.given)
			got, faults := mustRead(t, c.schema).Complete(given)
			text, err := encode(got)
			if err != nil || len(faults) > 0 || string(text) != c.want {
				t.Errorf("got %s, %v, %v", text, faults, err)
			}
			if d := cmp.Diff(object(t, c.given), given); d != "" {
				t.Errorf("what was given is changed: %s", d)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ given, path, text string }{
		"unknown":          {`{"name":"x","max_step":3}`, "max_step", "unknown key"},
		"unknown below":    {`{"name":"x","retry":{"time":3}}`, "retry.time", "unknown key"},
		"missing":          {`{}`, "", `the property "name" is missing`},
		"type":             {`{"name":"x","max_steps":"many"}`, "max_steps", `"many" does not fit; want integer from 1 to 100`},
		"too large":        {`{"name":"x","max_steps":101}`, "max_steps", `101 does not fit; want integer from 1 to 100`},
		"too small":        {`{"name":"x","share":-0.5}`, "share", `-0.5 does not fit; want number from 0`},
		"choice":           {`{"name":"x","subset":"none"}`, "subset", `"none" does not fit; want one of all, some`},
		"element":          {`{"name":"x","list":["a",3]}`, "list.1", `3 does not fit; want string`},
		"too short":        {`{"name":""}`, "name", `"" does not fit; want string of at least 1 characters`},
		"a slash in a key": {`{"name":"x","any/thing":1}`, "any/thing", `1 does not fit; want object`},
		"a long value":     {`{"name":"x","max_steps":"` + strings.Repeat("é", 100) + `"}`, "max_steps", "... does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := mustRead(t, agent).Complete(object(t, c.given))
			if len(faults) != 1 || strings.Join(faults[0].Path, ".") != c.path || !strings.Contains(faults[0].Text, c.text) {
				t.Errorf("got %+v", faults)
			}
		})
	}
	_, faults := mustRead(t, agent).Complete(map[string]any{"name": func() {}})
	if len(faults) != 1 || !strings.Contains(faults[0].Text, "cannot be written as JSON") {
		t.Errorf("got %+v", faults)
	}
}

// TestHostileSchemas: what a stranger writes takes bounded time and loads nothing.
func TestHostileSchemas(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": `{`, "a list": `[]`, "true": `true`, "two": `{}{}`, "large": `{"x":"` + strings.Repeat("x", MaxBytes) + `"}`, "not UTF-8": "{\"a\":\"\xff\"}",
		"deep": strings.Repeat(`{"items":`, 5000) + `1` + strings.Repeat(`}`, 5000),
	} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%s: was read", name)
		}
	}
	twice := `{"allOf":[{"$ref":"#/$defs/1"},{"$ref":"#/$defs/1"}],"$defs":{`
	for i := 1; i < 40; i++ {
		n := string(rune('0' + i))
		next := string(rune('0' + i + 1))
		twice += `"` + n + `":{"allOf":[{"$ref":"#/$defs/` + next + `"},{"$ref":"#/$defs/` + next + `"}]},`
	}
	twice += `"x":{}}}`
	for _, text := range []string{
		twice, `{"$ref":"#"}`, `{"$ref":"file:///etc/passwd"}`, `{"properties":{"a":{"$ref":"https://example.org/x"}}}`, `{"properties":[1]}`,
		`{"properties":{"a":{"default":{"a":null},"$ref":"#"}},"default":{}}`, `{"type":7,"enum":3,"required":"x"}`,
		`{"items":` + strings.Repeat(`{"items":`, 200) + `1` + strings.Repeat(`}`, 200) + `}`,
	} {
		s := mustRead(t, text)
		s.Complete(map[string]any{"a": map[string]any{"a": []any{1}}})
		s.Keys()
	}
}

func TestKeys(t *testing.T) {
	keys := mustRead(t, agent).Keys()
	want := []Key{
		{Name: "max_steps", Want: "integer from 1 to 100", Default: "12", About: "requests"},
		{Name: "name", Want: "string of at least 1 characters", Required: true},
		{Name: "subset", Want: "one of all, some", Default: `"all"`},
		{Name: "list", Want: "array of string", Default: `["a"]`},
		{Name: "share", Want: "number from 0"},
		{Name: "big", Want: "integer"},
		{Name: "maybe", Want: "string or null"},
		{Name: "retry", Want: "object"},
		{Name: "any/thing", Want: "object"},
	}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
}

func FuzzComplete(f *testing.F) {
	f.Add(agent, `{"name":"x"}`)
	f.Add(`{"properties":{"a":{"default":1}}}`, `{"a":null}`)
	f.Fuzz(func(t *testing.T, text, config string) {
		s, err := Read([]byte(text))
		if err != nil {
			return
		}
		s.Keys()
		given, err := decode([]byte(config))
		if err != nil {
			return
		}
		full, faults := s.Complete(given)
		if len(faults) > 0 {
			return
		}
		if again, faults := s.Complete(full); len(faults) > 0 || !cmp.Equal(full, again) {
			t.Errorf("a complete configuration is completed to %v, %v", again, faults)
		}
		if _, err := json.Marshal(full); err != nil {
			t.Error(err)
		}
	})
}
