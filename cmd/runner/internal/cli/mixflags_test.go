package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorkloadFlags(t *testing.T) {
	none := map[string]any{}
	for name, c := range map[string]struct {
		workloads, inputs []string
		want              []map[string]any // of --workload and of --input
	}{
		"one": {[]string{"std/a/x"}, []string{"dataset=f=1"},
			[]map[string]any{{"workload": map[string]any{"name": "std/a/x"}}, {"workload": map[string]any{"inputs": map[string]any{"dataset": "f=1"}}}}},
		"none": {nil, nil, []map[string]any{nil, nil}},
		"two": {[]string{"std/a/x=3", "std/b/y"}, []string{"std/a/x:dataset=c:/f"},
			[]map[string]any{
				{"workloads": map[string]any{"std/a/x": map[string]any{"weight": int64(3)}, "std/b/y": none}},
				{"workloads": map[string]any{"std/a/x": map[string]any{"inputs": map[string]any{"dataset": "c:/f"}}}},
			}},
		"one with a weight": {[]string{"x=1"}, nil, []map[string]any{{"workloads": map[string]any{"x": map[string]any{"weight": int64(1)}}}, nil}},
		"one whose input is named": {[]string{"x"}, []string{"x:d=f"},
			[]map[string]any{{"workloads": map[string]any{"x": none}}, {"workloads": map[string]any{"x": map[string]any{"inputs": map[string]any{"d": "f"}}}}}},
		"dots": {[]string{"a.b=2", "c"}, nil,
			[]map[string]any{{"workloads": map[string]any{"a.b": map[string]any{"weight": int64(2)}, "c": none}}, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			layers, err := workloadLayers(c.workloads, c.inputs)
			if err != nil {
				t.Fatal(err)
			}
			got := []map[string]any{layers[0].Values, layers[1].Values}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWorkloadFlagsRefused(t *testing.T) {
	for _, c := range []struct {
		workloads, inputs []string
		want              string
	}{
		{[]string{"a=x"}, nil, `"x" is no whole number`},
		{[]string{"a=9999999999999999999999"}, nil, "is no whole number"},
		{[]string{"a=1", "a=2"}, nil, "each name once"},
		{[]string{"=3", "a"}, nil, "want NAME or NAME=WEIGHT"},
		{[]string{`a"b=3`}, nil, "want NAME or NAME=WEIGHT"},
		{[]string{"", ""}, nil, "want NAME or NAME=WEIGHT"},
		{nil, []string{"dataset"}, "want name=value"},
		{nil, []string{"=f"}, "want name=value"},
		{nil, []string{":d=f"}, "want WORKLOAD:name=FILE"},
		{nil, []string{"a:=f"}, "want WORKLOAD:name=FILE"},
		{nil, []string{`a"b:d=f`}, "want name=value"},
		{nil, []string{`d"=f`}, "want name=value"},
	} {
		if _, err := workloadLayers(c.workloads, c.inputs); err == nil || !strings.Contains(err.Error(), c.want) || codeOf(err) != exitUsage {
			t.Errorf("%v %v: got %v, want %q", c.workloads, c.inputs, err, c.want)
		}
	}
}
