package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc"

	pb "paceline/schemas/gen/pluginv1"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// schemaOf reads the component's configuration schema; nil: it has none.
func (c *component) schemaOf() (map[string]json.RawMessage, error) {
	text := c.about.GetConfigSchema()
	if len(text) == 0 {
		return nil, nil
	}
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(text, &schema); err != nil || schema == nil {
		return nil, unlike("a JSON Schema that is an object", "%.80q", text)
	}
	return schema, nil
}

// configSchema looks at the schema that the component gives for its configuration.
func (c *component) configSchema(context.Context) error {
	schema, err := c.schemaOf()
	switch {
	case err != nil:
		return err
	case schema == nil:
		return skipf("the component has no config_schema: it takes no configuration")
	}
	var kind string
	if json.Unmarshal(schema["type"], &kind) != nil || kind != "object" {
		return unlike(`a schema of "type":"object", since a configuration is one`, "type %s", orAbsent(schema["type"]))
	}
	_, err = properties(schema)
	return err
}

func orAbsent(doc json.RawMessage) string {
	if doc == nil {
		return "nothing"
	}
	return string(doc)
}

// properties are the schemas of a schema's properties.
func properties(schema map[string]json.RawMessage) (map[string]map[string]json.RawMessage, error) {
	all := map[string]map[string]json.RawMessage{}
	if schema["properties"] == nil {
		return all, nil
	}
	if err := json.Unmarshal(schema["properties"], &all); err != nil {
		return nil, unlike("properties that are JSON Schemas", "%v", err)
	}
	return all, nil
}

// wrongConfig is a configuration that the schema forbids.
type wrongConfig struct {
	text    string
	pointer string // what a fault must be about; empty: anything
}

// wrongConfigs makes faulty configurations out of a schema: no object, a key that there is not, and for each property a value
// of another type or no choice of its list.
func wrongConfigs(schema map[string]json.RawMessage) ([]wrongConfig, error) {
	list := []wrongConfig{{"[]", ""}, {`"text"`, ""}, {"5", ""}}
	if string(schema["additionalProperties"]) == "false" {
		list = append(list, wrongConfig{`{"there-is-no-such-key":1}`, "/there-is-no-such-key"})
	}
	all, err := properties(schema)
	if err != nil {
		return nil, err
	}
	for _, name := range sortedNames(all) {
		if value := wrongValue(all[name]); value != "" {
			key, err := json.Marshal(name)
			if err != nil {
				return nil, err
			}
			list = append(list, wrongConfig{fmt.Sprintf("{%s:%s}", key, value), "/" + escapePointer(name)})
		}
	}
	return list, nil
}

// wrongValue is a value that a property's schema forbids; empty where that cannot be told.
func wrongValue(schema map[string]json.RawMessage) string {
	if schema["enum"] != nil {
		return `"there-is-no-such-choice"`
	}
	var kind string
	if json.Unmarshal(schema["type"], &kind) != nil {
		return ""
	}
	if kind == "string" {
		return "5"
	}
	return `"text"`
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// badConfig opens the component with configurations that are wrong: all faults are told, each so that a person can mend it.
func (c *component) badConfig(ctx context.Context) error {
	schema, err := c.schemaOf()
	if err != nil {
		return err
	}
	if schema == nil {
		return c.nonsense(ctx)
	}
	list, err := wrongConfigs(schema)
	if err != nil {
		return err
	}
	for _, w := range list {
		q := c.openRequest()
		q.Config = []byte(w.text)
		err := c.rawOpen(ctx, q, func(r *pb.OpenResponse, _ grpc.ClientConnInterface) error { return w.refusedBy(r) })
		if err != nil {
			return fmt.Errorf("configuration %s: %w", w.text, err)
		}
	}
	return nil
}

// refusedBy looks at the faults that a wrong configuration was answered with.
func (w wrongConfig) refusedBy(r *pb.OpenResponse) error {
	if len(r.GetFaults()) == 0 {
		return unlike("faults", "that the component was opened")
	}
	about := w.pointer == ""
	for i, f := range r.GetFaults() {
		if f.GetCode() == "" || f.GetMessage() == "" {
			return unlike("a code and a message in every fault", "faults[%d] with code %q and message %q", i, f.GetCode(), f.GetMessage())
		}
		about = about || f.GetPointer() == w.pointer || strings.HasPrefix(f.GetPointer(), w.pointer+"/")
	}
	if !about {
		return unlike("a fault about "+w.pointer, "%q", r.GetFaults()[0].GetPointer())
	}
	return nil
}

// nonsense opens a component that takes no configuration with some: it may refuse or ignore it.
func (c *component) nonsense(ctx context.Context) error {
	for _, text := range []string{"", "{", "[]", "\xff\xfe", `{"a":{"b":[1,2,3]}}`, strings.Repeat("[", 100_000)} {
		q := c.openRequest()
		q.Config = []byte(text)
		err := c.rawOpen(ctx, q, func(*pb.OpenResponse, grpc.ClientConnInterface) error { return nil })
		if err := crashed(err); err != nil {
			return fmt.Errorf("configuration %.40q: %w", text, err)
		}
	}
	return nil
}
