package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const schemaFile = "../../schemas/result/v1/result.schema.json"

// validator checks documents against the part of JSON Schema that the
// project's own schemas use.
type validator struct {
	t     testing.TB
	files map[string]map[string]any
}

func (v *validator) file(name string) map[string]any {
	if s, ok := v.files[name]; ok {
		return s
	}
	b, err := os.ReadFile(name)
	if err != nil {
		v.t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(b, &s); err != nil {
		v.t.Fatalf("%s: %v", name, err)
	}
	v.files[name] = s
	return s
}

func kind(value any) string {
	switch x := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if !strings.ContainsAny(x.String(), ".e") {
			return "integer"
		}
	}
	return "number"
}

func (v *validator) check(file, at string, schema map[string]any, value any) {
	for key, rule := range schema {
		switch key {
		case "$ref":
			target, pointer, _ := strings.Cut(rule.(string), "#")
			next := file
			if target != "" {
				next = filepath.Join(filepath.Dir(file), target)
			}
			s := v.file(next)
			for part := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
				if part != "" {
					s = s[part].(map[string]any)
				}
			}
			v.check(next, at, s, value)
		case "type":
			types, ok := rule.([]any)
			if !ok {
				types = []any{rule}
			}
			k := kind(value)
			if !slices.Contains(types, any(k)) && (k != "integer" || !slices.Contains(types, any("number"))) {
				v.t.Errorf("%s is %s, want %v", at, k, rule)
			}
		case "enum":
			if !slices.Contains(rule.([]any), value) {
				v.t.Errorf("%s is %v, want one of %v", at, value, rule)
			}
		case "const":
			if value != rule {
				v.t.Errorf("%s is %v, want %v", at, value, rule)
			}
		case "pattern":
			if s, ok := value.(string); ok && !regexp.MustCompile(rule.(string)).MatchString(s) {
				v.t.Errorf("%s is %q, want %v", at, s, rule)
			}
		case "items":
			list, _ := value.([]any)
			for _, x := range list {
				v.check(file, at+"[]", rule.(map[string]any), x)
			}
		case "properties", "required", "additionalProperties":
		case "description", "title", "$schema", "$id", "$defs":
		default:
			v.t.Errorf("%s: the schema has %q, which nobody checks", at, key)
		}
	}
	if m, ok := value.(map[string]any); ok {
		v.object(file, at, schema, m)
	}
}

func (v *validator) object(file, at string, schema, value map[string]any) {
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := value[name.(string)]; !ok {
			v.t.Errorf("%s has no %v", at, name)
		}
	}
	for name, x := range value {
		if s, ok := properties[name].(map[string]any); ok {
			v.check(file, at+"."+name, s, x)
		} else if schema["additionalProperties"] == false {
			v.t.Errorf("%s has %s, which the schema does not know", at, name)
		}
	}
}

func checkSchema(t testing.TB, doc []byte) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		t.Fatal(err)
	}
	v := &validator{t: t, files: map[string]map[string]any{}}
	v.check(schemaFile, "result", v.file(schemaFile), value)
}
