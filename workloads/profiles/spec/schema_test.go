package spec

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"paceline/sdk"
)

// TestSchemaHasEveryKey keeps schemas/profile/v1 equal to what is read, by what is expected where a key is unknown.
func TestSchemaHasEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../../schemas/profile/v1/profile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]json.RawMessage
		Items      *object
		AnyOf      []object
	}
	var schema struct {
		Properties map[string]object
		Defs       map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	distribution := schema.Defs["distribution"].AnyOf[1]
	for name, c := range map[string]struct {
		profile string
		keys    []string
	}{
		"profile":      {with("bogus", "1"), slices.Collect(maps.Keys(schema.Properties))},
		"shared":       {with("shared", `[{"bogus":1}]`), slices.Collect(maps.Keys(schema.Properties["shared"].Items.Properties))},
		"effect":       {with("effect", `{"bogus":1}`), slices.Collect(maps.Keys(schema.Properties["effect"].Properties))},
		"end":          {with("end", `{"bogus":1}`), slices.Collect(maps.Keys(schema.Properties["end"].Properties))},
		"lengths":      {with("lengths", `[{"bogus":1}]`), slices.Collect(maps.Keys(schema.Properties["lengths"].Items.Properties))},
		"distribution": {strings.Replace(small, `"tool":20`, `"tool":{"bogus":1}`, 1), slices.Collect(maps.Keys(distribution.Properties))},
	} {
		_, err := Read([]byte(c.profile), "")
		var faults sdk.Faults
		if !errors.As(err, &faults) {
			t.Fatalf("%s: %v", name, err)
		}
		keys := strings.Split(strings.TrimPrefix(faults[0].Expected, "one of "), ", ")
		slices.Sort(keys)
		slices.Sort(c.keys)
		if !slices.Equal(keys, c.keys) {
			t.Errorf("%s: %q is read, the schema has %q", name, keys, c.keys)
		}
	}
}
