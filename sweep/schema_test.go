package sweep

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestSchemasHaveEveryKey keeps schemas/sweep/v1 equal to what is written and read.
func TestSchemasHaveEveryKey(t *testing.T) {
	for file, of := range map[string]reflect.Type{
		"plan": reflect.TypeFor[Plan](), "sweep": reflect.TypeFor[State](), "report": reflect.TypeFor[Report](),
	} {
		text, err := os.ReadFile("../schemas/sweep/v1/" + file + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		defs, _ := schema["$defs"].(map[string]any)
		sameKeys(t, file, of, schema, defs)
	}
}

// sameKeys compares the keys of a struct with those of its schema, and goes down both.
func sameKeys(t *testing.T, at string, of reflect.Type, schema, defs map[string]any) {
	t.Helper()
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch of.Kind() {
	case reflect.Pointer:
		sameKeys(t, at, of.Elem(), schema, defs)
	case reflect.Slice:
		if items, ok := schema["items"].(map[string]any); ok {
			sameKeys(t, at+"[]", of.Elem(), items, defs)
		}
	case reflect.Struct:
		props, ok := schema["properties"].(map[string]any)
		keys := keysOf(of)
		if !ok || len(keys) == 0 { // a value that writes itself
			return
		}
		for key := range props {
			if _, there := keys[key]; !there {
				t.Errorf("%s: the schema has %s, and %v has not", at, key, of)
			}
		}
		for key, of := range keys {
			sub, there := props[key].(map[string]any)
			if !there {
				t.Errorf("%s: %s is not in the schema", at, key)
				continue
			}
			sameKeys(t, at+"."+key, of, sub, defs)
		}
	}
}

func keysOf(of reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && f.IsExported() {
			keys[name] = f.Type
		}
	}
	return keys
}
