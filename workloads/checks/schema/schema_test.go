package schema

import (
	"strings"
	"testing"

	"paceline/workloads/rawjson"
)

func TestCheck(t *testing.T) {
	for _, tc := range []struct{ name, schema, value, faults, unknown string }{
		{"any", `{}`, `[1]`, "", ""},
		{"true", `true`, `1`, "", ""},
		{"false", `false`, `1`, "schema-unexpected ", ""},
		{"type", `{"type":"string"}`, `1`, "schema-type ", ""},
		{"types", `{"type":["string","null"]}`, `null`, "", ""},
		{"integer of a fraction", `{"type":"integer"}`, `1.5`, "schema-type ", ""},
		{"integer written as 1.0", `{"type":"integer"}`, `1.0`, "", ""},
		{"number takes integers", `{"type":"number"}`, `1`, "", ""},
		{"large integer", `{"type":"integer"}`, `123456789012345678901234567890`, "", ""},
		{"unknown type", `{"type":"text"}`, `1`, "", "type"},
		{"enum", `{"enum":["a",1]}`, `1.0`, "", ""},
		{"not in enum", `{"enum":["a",1]}`, `"b"`, "schema-choice ", ""},
		{"const", `{"const":{"a":[1,2],"b":1}}`, `{"b":1,"a":[1,2]}`, "", ""},
		{"not const", `{"const":1}`, `2`, "schema-choice ", ""},
		{"properties", `{"properties":{"a/b":{"type":"string"}}}`, `{"a/b":1}`, "schema-type /a~1b", ""},
		{"required", `{"required":["a","b"]}`, `{"a":1}`, "schema-required ", ""},
		{"required of another type", `{"required":["a"]}`, `[]`, "", ""},
		{"additional", `{"properties":{"a":true},"additionalProperties":false}`, `{"a":1,"b":2}`, "schema-unexpected /b", ""},
		{"additional by schema", `{"additionalProperties":{"type":"integer"}}`, `{"b":"x"}`, "schema-type /b", ""},
		{"patternProperties", `{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`, `{"x1":1,"x2":"s"}`, "schema-type /x2", ""},
		{"too few members", `{"minProperties":1}`, `{}`, "schema-size ", ""},
		{"items", `{"items":{"type":"integer"}}`, `[1,"a"]`, "schema-type /1", ""},
		{"prefixItems", `{"prefixItems":[{"type":"string"}],"items":false}`, `["a",1]`, "schema-unexpected /1", ""},
		{"items of older drafts", `{"items":[{"type":"string"}]}`, `[1]`, "", "items"},
		{"minItems", `{"minItems":2}`, `[1]`, "schema-size ", ""},
		{"maxItems", `{"maxItems":0}`, `[1]`, "schema-size ", ""},
		{"uniqueItems", `{"uniqueItems":true}`, `[1,1.0]`, "schema-unique ", ""},
		{"minLength in characters", `{"minLength":2}`, `"é"`, "schema-size ", ""},
		{"maxLength", `{"maxLength":1}`, `"\u00e9"`, "", ""},
		{"pattern", `{"pattern":"^[a-z]+$"}`, `"A"`, "schema-pattern ", ""},
		{"pattern is not anchored", `{"pattern":"b"}`, `"abc"`, "", ""},
		{"pattern that looks ahead", `{"pattern":"(?=a)"}`, `"b"`, "", "pattern"},
		{"minimum", `{"minimum":0}`, `-0.5`, "schema-range ", ""},
		{"exclusiveMaximum", `{"exclusiveMaximum":10}`, `10.0`, "schema-range ", ""},
		{"multipleOf", `{"multipleOf":0.1}`, `0.3`, "", ""},
		{"not a multiple", `{"multipleOf":0.1}`, `0.25`, "schema-range ", ""},
		{"anyOf", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, "schema-combination ", ""},
		{"oneOf, two fit", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, "schema-combination ", ""},
		{"allOf", `{"allOf":[{"minimum":1},{"maximum":2}]}`, `3`, "schema-combination ", ""},
		{"not", `{"not":{"type":"string"}}`, `"a"`, "schema-combination ", ""},
		{"$ref", `{"$defs":{"a~b":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a~0b"}}}`, `{"x":1}`, "schema-type /x", ""},
		{"$ref elsewhere", `{"$ref":"https://example.org/s"}`, `1`, "", "$ref"},
		{"$ref to itself", `{"$ref":"#"}`, `1`, "", "(too deep or too large)"},
		{"recursive", `{"type":"object","properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":1}}`, "schema-type /next/next", ""},
		{"unknown keywords", `{"if":{},"contains":{},"title":"t","if2":1}`, `1`, "", "if contains if2"},
		{"unknown in a branch", `{"anyOf":[{"x-y":1}]}`, `1`, "", "x-y"},
		{"format says nothing", `{"format":"date"}`, `"x"`, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(rawjson.Value(tc.schema)).Check(rawjson.Value(tc.value))
			var faults []string
			for _, f := range r.Faults {
				faults = append(faults, f.Class+" "+f.Pointer)
			}
			if got := strings.Join(faults, "; "); got != tc.faults {
				t.Errorf("faults %q, want %q", got, tc.faults)
			}
			if got := strings.Join(r.Unknown, " "); got != tc.unknown {
				t.Errorf("unknown %q, want %q", got, tc.unknown)
			}
		})
	}
}

// TestBoundedWork holds the checker against schemas and values that would take for ever.
func TestBoundedWork(t *testing.T) {
	double := New(rawjson.Value(`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`)).Check(rawjson.Value(`1`))
	if len(double.Unknown) == 0 {
		t.Errorf("a schema that doubles at each level: %+v", double)
	}
	deep := rawjson.Value(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000))
	if r := New(rawjson.Value(`{"properties":{"a":{"$ref":"#"}}}`)).Check(deep); len(r.Unknown) != 1 {
		t.Errorf("a deep value: %+v", r)
	}
	many := rawjson.Value("[" + strings.Repeat("1,", 500_000) + "1]")
	if r := New(rawjson.Value(`{"items":{"type":"string"}}`)).Check(many); len(r.Faults) != maxFaults {
		t.Errorf("%d faults", len(r.Faults))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}},"anyOf":[{"pattern":"a"}]}`, `{"a":[1,"x",{}]}`)
	f.Add(`{"prefixItems":[{}],"items":false,"multipleOf":0.1}`, `[1e400,-0.0]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		if rawjson.Valid([]byte(schema)) != nil || rawjson.Valid([]byte(value)) != nil {
			return
		}
		trim := func(s string) rawjson.Value { return rawjson.Value(strings.Trim(s, " \n\r\t")) }
		r := New(trim(schema)).Check(trim(value))
		if len(r.Faults) > maxFaults {
			t.Errorf("%d faults", len(r.Faults))
		}
	})
}
