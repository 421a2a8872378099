package viz

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"testing"
)

const golden = "../../../shared/golden/mlperf-submission/"

// differences are where our bundle of the golden package differs from the stored one, and why.
var differences = map[string]string{
	"generated_at":                      "no clock is read",
	"generator":                         "the bundle names who wrote it",
	"source_root":                       "the name of the folder, no path of a machine",
	"runs/*/run/direct_fields/scenario": "the page derives it where it is missing; ours says it",
	"submissions/*/combined_submission/submission_info/early_publish": "without it the page calls the result verified",
}

// TestGoldenPackage holds our bundle against the stored one, which was made by the visualizer and completed by hand.
func TestGoldenPackage(t *testing.T) {
	text, err := os.ReadFile(golden + "viz/bundle.agentic.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the golden package lies beside the repository in shared, which is not there")
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := Build(os.DirFS(golden+"golden"), "golden", "Paceline test")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := b.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	compare(value(t, text), value(t, ours), "", func(at, how string) {
		if _, known := differences[at]; !known {
			t.Errorf("%s: %s", at, how)
		}
		found = append(found, at)
	})
	for at := range differences {
		if !slices.Contains(found, at) {
			t.Errorf("%s is equal; no longer a difference", at)
		}
	}
	if len(b.Runs) != 7 || len(b.Warnings) != 0 {
		t.Errorf("%d runs, warnings %v", len(b.Runs), b.Warnings)
	}
}

func value(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// compare calls f for each field that is not the same. Numbers must be equal as numbers.
func compare(want, got any, at string, f func(at, how string)) {
	join := func(step string) string {
		if at == "" {
			return step
		}
		return at + "/" + step
	}
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k := range w {
			if _, ok := g[k]; !ok {
				f(join(k), "missing")
				continue
			}
			compare(w[k], g[k], join(k), f)
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				f(join(k), "not in the stored bundle")
			}
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			f(at, strconv.Itoa(len(g))+" elements")
			return
		}
		for i := range w {
			compare(w[i], g[i], join("*"), f)
		}
	default:
		if want != got {
			a, _ := json.Marshal(want)
			b, _ := json.Marshal(got)
			f(at, "want "+string(a)+", got "+string(b))
		}
	}
}
