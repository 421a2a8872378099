package lock_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"paceline/plugins/lock"
)

func TestRefusedPresets(t *testing.T) {
	const run, bound = `{"load":{},"workload":{"name":"w"}}`, `"min":"-0.5","max":"1"`
	many := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"p%d","run":{}}`, i))
		}
		return `"presets":[` + strings.Join(list, ",") + `,`
	}
	for name, test := range map[string]struct{ from, to, want string }{
		"run is a list":          {run, `[]`, "presets[0].run: not a JSON object"},
		"run is null":            {run, `null`, "presets[0].run: not a JSON object"},
		"no run":                 {`"run":` + run, `"summary":"x"`, "presets[0].run: not a JSON object"},
		"target":                 {run, `{"target":{"url":"http://example.org"}}`, `presets[0].run: "target.url" may not be set by a preset; it may set max_tokens_key,`},
		"plugins":                {run, `{"plugins":{"a":"./a.wasm"}}`, `"plugins" may not be set`},
		"headers of the target":  {run, `{"target":{"headers":{"a":"b"}}}`, `"target.headers" may not be set by a preset`},
		"a key that is none":     {run, `{"colour":1}`, `"colour" may not be set by a preset; it may set checks,`},
		"out":                    {run, `{"out":"/tmp"}`, `"out" may not be set`},
		"seed":                   {run, `{"seed":"1"}`, `"seed" may not be set`},
		"override":               {run, `{"override":{}}`, `"override" may not be set`},
		"another preset":         {run, `{"preset":"std/x/y"}`, `"preset" may not be set`},
		"inputs":                 {run, `{"workload":{"inputs":{"dataset":"/etc/passwd"}}}`, `"workload.inputs" may not be set`},
		"inputs of a mix":        {run, `{"workloads":{"a":{"inputs":{"dataset":"/etc/passwd"}}}}`, `"workloads.a.inputs" may not be set`},
		"a mix of text":          {run, `{"workloads":{"a":"w"}}`, "presets[0].run.workloads.a: not a JSON object"},
		"workload is text":       {run, `{"workload":"w"}`, "presets[0].run.workload: not a JSON object"},
		"a key twice":            {run, `{"load":{},"load":{"users":9}}`, `the key "load" is there twice`},
		"a large run":            {run, `{"params":{"x":"` + strings.Repeat("x", 64<<10) + `"}}`, "at most 65536 are allowed"},
		"many presets":           {`"presets":[`, many(63), "presets: 65, and at most 64 are allowed"},
		"many thresholds":        {`"thresholds":[`, `"thresholds":[` + strings.Repeat(`{},`, 63), "thresholds: 65, and at most 64"},
		"the same name":          {`"presets":[`, `"presets":[{"name":"a/b_1.0","run":{}},`, "is there twice"},
		"a name with nothing":    {"a/b_1.0", "a//b", `"a//b" is no name`},
		"a name with dots":       {"a/b_1.0", "a/../b", `"a/../b" is no name`},
		"a name with a space":    {"a/b_1.0", "a b", `"a b" is no name`},
		"neither":                {`"component":"s","value":"v",`, ``, "needs a metric, or a component and a value"},
		"both":                   {`"component":"s"`, `"metric":"m","component":"s"`, "needs a metric, or a component and a value"},
		"no value":               {`"value":"v",`, ``, "needs a metric, or a component and a value"},
		"no bound":               {`,` + bound, ``, "needs a bound"},
		"bounds that contradict": {bound, `"min":"3","max":"2.5"`, "min 3 is above max 2.5"},
		"a number as a bound":    {bound, `"min":3`, "cannot unmarshal number"},
		"seven places":           {bound, `"min":"0.1234567"`, "no decimal number"},
		"a power":                {bound, `"min":"1e3"`, "no decimal number"},
		"no digits":              {bound, `"min":"."`, "no decimal number"},
		"a point at the end":     {bound, `"min":"1."`, "no decimal number"},
		"a plus":                 {bound, `"min":"+1"`, "no decimal number"},
		"too large":              {bound, `"max":"9000000000.000001"`, "no decimal number"},
		"no range of users":      {bound, bound + `,"from_users":33,"to_users":32`, "are no range of users"},
		"no status":              {`"thresholds":[`, `"rules":{"of":"x"},"thresholds":[`, `presets[0].rules.status: unknown status ""`},
		"whose rules":            {`"thresholds":[`, `"rules":{"status":"submittable"},"thresholds":[`, "presets[0].rules.of: missing"},
		"no reason":              {`"thresholds":[`, `"rules":{"of":"x","status":"superseded"},"thresholds":[`, "presets[0].rules.reason: wanted where the status is not submittable"},
		"a reason too many":      {`"thresholds":[`, `"rules":{"of":"x","status":"submittable","reason":"y"},"thresholds":[`, "presets[0].rules.reason"},
		"nothing is missing":     {`"thresholds":[`, `"rules":{"of":"x","status":"unpublished","reason":"y"},"thresholds":[`, "presets[0].rules.missing: wanted where"},
		"missing, not sorted":    {`"thresholds":[`, `"rules":{"of":"x","status":"unpublished","reason":"y","missing":["salt","params"]},"thresholds":[`, "not sorted"},
		"missing, and set":       {`"thresholds":[`, `"rules":{"of":"x","status":"unpublished","reason":"y","missing":["workload.name"]},"thresholds":[`, `"workload.name" is missing, and the preset sets it`},
		"missing, and no key":    {`"thresholds":[`, `"rules":{"of":"x","status":"unpublished","reason":"y","missing":["seed"]},"thresholds":[`, `missing[0]: "seed" is no key that a preset may set`},
		"an input of no digest":  {`"thresholds":[`, `"rules":{"of":"x","status":"submittable","inputs":{"data":"0000000000000000000000000000000000000000000000000000000000000000"}},"thresholds":[`, `inputs: "data" needs a name and a sha256`},
		"a rule that is unknown": {`"thresholds":[`, `"rules":{"of":"x","status":"submittable","colour":1},"thresholds":[`, `unknown field "colour"`},
		"a judge that is none":   {`"component":"s"`, `"component":"w"`, `no scorer or validator "w"`},
		"a schema that is none":  {`{"type":"object"}`, `true`, "components[1].config_schema: not a JSON object"},
		"a large schema":         {`{"type":"object"}`, `{"x":"` + strings.Repeat("x", 64<<10) + `"}`, "components[1].config_schema: 65544 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(goodManifest, test.from, test.to, 1)
			if text == goodManifest {
				t.Fatal("nothing was replaced")
			}
			if _, err := lock.ParseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-0": 0, "1": 1_000_000, "0.5586": 558_600, "-3.000001": -3_000_001, "9000000000": 9_000_000_000_000_000} {
		b := lock.Threshold{Min: text}
		if least, most, err := b.Bounds(); err != nil || most != nil || least == nil || *least != want {
			t.Errorf("%s: %v, %v, %v", text, least, most, err)
		}
	}
}

// TestSchemaOfPresets: schemas/manifest/v1 lets a preset set the same keys.
func TestSchemaOfPresets(t *testing.T) {
	text, err := os.ReadFile("../../schemas/manifest/v1/manifest.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Presets struct {
				Items struct {
					Properties struct {
						Run struct{ Properties map[string]any }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(schema.Properties.Presets.Items.Properties.Run.Properties)); !slices.Equal(got, lock.PresetKeys()) {
		t.Errorf("the schema has %q, the reader %q", got, lock.PresetKeys())
	}
}
