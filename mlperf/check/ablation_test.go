package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"paceline/mlperf/lax"
)

// differs are the ablations that we judge otherwise on purpose.
var differs = map[string]string{
	"result_summary.json e2e_avg_interactivity mistype": "the official checker crashes on text here; we name the field",
	"result_summary.json system_tps mistype":            "the official checker crashes on text here; we name the field",
	"result_summary.json tps_per_user mistype":          "the official checker crashes on text here; we name the field",
}

// TestAblation drops and mistypes every field of the golden package, one at a time and at all points at once, and compares verdicts
// and rules with those of the official checker.
func TestAblation(t *testing.T) {
	var cases [][]any // file, field, mode, verdict, rules
	decode(t, "testdata/ablation.json", &cases)
	golden := load(t, "testdata/golden")
	docs := map[string]any{}
	for name, f := range golden {
		if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".json") {
			docs[name] = plainDoc(t, name, f.Data)
		}
	}
	seen := 0
	for _, c := range cases {
		file, field, mode := c[0].(string), c[1].(string), c[2].(string)
		files := ablate(t, golden, docs, file, field, mode)
		r := run(t, files, Options{})
		name := file + " " + field + " " + mode
		if differs[name] != "" {
			if seen++; r.Passed {
				t.Errorf("%s passes", name)
			}
			continue
		}
		var want []string
		for _, rule := range c[4].([]any) {
			want = append(want, rule.(string))
		}
		if got := findings(r); !slices.Equal(got, want) || r.Passed != (c[3] == "PASS") {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if seen != len(differs) || len(cases) != 600 {
		t.Errorf("%d of %d known differences were met in %d cases", seen, len(differs), len(cases))
	}
}

// plainDoc is a document as encoding/json has them, with integers as they are written.
func plainDoc(t *testing.T, name string, data []byte) any {
	t.Helper()
	read := lax.JSON
	if strings.HasSuffix(name, ".yaml") {
		read = lax.YAML
	}
	v, err := read(data)
	if err != nil {
		t.Fatal(name, err)
	}
	return plain(v)
}

func plain(v *lax.Value) any {
	switch v.Kind {
	case lax.Null:
		return nil
	case lax.Bool:
		return v.Bool
	case lax.Int:
		return json.Number(v.Int.String())
	case lax.Float:
		return json.Number(strconv.FormatFloat(v.Float, 'g', -1, 64))
	case lax.List:
		all := []any{}
		for _, e := range v.List {
			all = append(all, plain(e))
		}
		return all
	case lax.Map:
		all := map[string]any{}
		for _, f := range v.Fields {
			all[f.Key] = plain(f.Value)
		}
		return all
	}
	return v.Text
}

func ablate(t *testing.T, golden fstest.MapFS, docs map[string]any, file, field, mode string) fstest.MapFS {
	t.Helper()
	out := maps.Clone(golden)
	for name := range golden {
		if path.Base(name) != file {
			continue
		}
		if field == "(whole file)" {
			delete(out, name)
			continue
		}
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(changed(docs[name], field, mode == "drop")); err != nil {
			t.Fatal(err)
		}
		out[name] = &fstest.MapFile{Data: b.Bytes()}
	}
	return out
}

// changed is a copy of doc in which the field is gone or mistyped; a key may hold dots.
func changed(doc any, field string, drop bool) any {
	switch v := doc.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for key, e := range v {
			rest, below := strings.CutPrefix(field, key+".")
			switch {
			case field == key && drop:
				delete(out, key)
			case field == key:
				out[key] = mistyped(e)
			case below:
				out[key] = changed(e, rest, drop)
			}
		}
		return out
	case []any:
		head, rest, below := strings.Cut(field, ".")
		i, err := strconv.Atoi(head)
		if err != nil || i >= len(v) {
			return v
		}
		out := slices.Clone(v)
		switch {
		case below:
			out[i] = changed(v[i], rest, drop)
		case drop:
			out = slices.Delete(out, i, i+1)
		default:
			out[i] = mistyped(v[i])
		}
		return out
	}
	return doc
}

func mistyped(v any) any {
	switch v.(type) {
	case bool:
		return "not-a-bool"
	case json.Number:
		return "not-a-number"
	case string:
		return []string{"not", "a", "string"}
	case map[string]any:
		return "not-a-map"
	case []any:
		return "not-a-list"
	}
	return map[string]string{"was": "null"}
}
