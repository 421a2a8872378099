package viz

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a package of one curve with the given files in r8, and r16 which has what a point needs at least.
func tree(files map[string]string) fstest.MapFS {
	const dir = "acme/s1/results/box/qwen3_6-35b-a3b/"
	t := fstest.MapFS{dir + "r16/result_summary.json": {Data: []byte(`{"duration_ns": 2e9, "output_sequence_lengths": {"total": 800}, "n_samples_completed": 4}`)},
		dir + "r16/system_desc.json": {Data: []byte(`{}`)}, dir + "r16/point.yaml": {Data: []byte(`{}`)},
		dir + "notes.txt": {Data: []byte("x")}, "acme/s1/docs/r1/x": {Data: []byte("x")}}
	for name, text := range files {
		if strings.HasPrefix(name, "../") {
			t["acme/s1/results/box/"+name[3:]] = &fstest.MapFile{Data: []byte(text)}
			continue
		}
		t[dir+"r8/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return t
}

// ours is a point that Paceline has measured.
var ours = map[string]string{
	"result_summary.json": `{"version": "Paceline 0.9.0", "git_sha": "abc123", "client": {"name": "Paceline", "reference_client": false},
		"n_samples_issued": 4, "n_samples_completed": 4, "n_samples_failed": 0, "duration_ns": 2000000000,
		"tpot": {"total": 32000000, "percentiles": {"90.0": 8000000}}, "ttft": {"percentiles": {"90": "250000000"}},
		"latency": {"total": 10000000000}, "output_sequence_lengths": {"total": 1000}}`,
	"system_desc.json": `{"system_name": "box", "max_supported_concurrency": 64, "tps_utilization": 0.5, "node_types": [
		{"cooling": "air", "accelerator_info": [{"accelerator_model_name": "A"}, {"accelerator_model_name": "B"}]}]}`,
	"point.yaml": "concurrency: 8\nregion: low_concurrency\nrun_date: 2026-11-30\nmodel_name: qwen3_6-35b-a3b\nruntime_settings: {load_pattern: agentic_inference}\n" +
		"nodes_used: [{system_node_ensemble_id: 0, nodes: 1}]\n",
	"config.yaml":           `{"type": "online"}`,
	"accuracy_results.json": `[{"dataset_name": "performance", "score": 0.56431}, {"dataset_name": "swe_bench", "score": 0.7}, {"dataset_name": "broken"}]`,
	"../system_power.json": `{"provisioned_power_kw": 20, "mlc_estimated_power": true, "node_sets": [
		{"system_node_ensemble_id": 0, "nodes_provisioned": 2}]}`,
}

func build(t *testing.T, files map[string]string) *Bundle {
	t.Helper()
	b, err := Build(tree(files), "package", "Paceline test")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAgenticPoint(t *testing.T) {
	b := build(t, ours)
	if len(b.Runs) != 2 || b.Runs[0].Label != "r8" || b.Runs[0].Submission != "acme-s1-box-qwen3_6-35b-a3b" || b.Submissions[0].SourcePath != "acme/s1/box/qwen3_6-35b-a3b" {
		t.Fatalf("%+v", b)
	}
	d, v := b.Runs[0].Fields.Direct, b.Runs[0].Fields.Derived
	for key, want := range map[string]string{
		"concurrency": "8", "load_pattern": "agentic_inference", "scenario": "Online", "offline": "none", "config_type": "online",
		"client": "Paceline", "benchmark_version": "Paceline abc123", "result_version": "Paceline 0.9.0", "run_date": "2026-11-30",
		"measured_latency_ttft_p90": "250", "measured_latency_tpot_p90": "8", "measured_latency_tpot_average": "8", "average_output_tokens": "250",
		"measured_accuracy_score": "performance=0.5643, swe_bench=0.7", "mlc_estimated_power": "true", "config_region": "low_concurrency",
	} {
		if got := fmt.Sprint(d[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	for key, want := range map[string]string{"system_tps": "500", "tps_per_user": "125", "qps": "2", "ttft": "250", "tps_utilization": "0.5",
		"e2e_avg_interactivity": "100", "point_power_kw": "10", "system_tps_per_kw": "50"} {
		if got := fmt.Sprint(v[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	details := b.Submissions[0].Combined["sut_details"]
	if n := details["node_types"].([]Document)[0]; n["accelerator_model_name"] != "A" || fmt.Sprint(details["provisioned_power_kw"]) != "20" {
		t.Errorf("%v", details)
	}
	if got := b.Submissions[0].Combined["sut_metadata"]["system_name"]; got != "box (client: Paceline)" {
		t.Errorf("the page would call the system %v", got)
	}
	if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "first of 2 kinds of accelerators") {
		t.Errorf("%q", b.Warnings)
	}
}

// TestReferenceClient: a package that names no client keeps the versions that it tells.
func TestReferenceClient(t *testing.T) {
	b := build(t, map[string]string{"result_summary.json": `{"git_sha": "abc123", "version": "0.9"}`, "system_desc.json": `{"system_name": "box"}`})
	d := b.Runs[0].Fields.Direct
	if got := b.Submissions[0].Combined["sut_metadata"]["system_name"]; got != "box" {
		t.Errorf("the page would call the system %v", got)
	}
	if d["benchmark_version"] != "abc123" || d["result_version"] != "0.9" || d["client"] != nil {
		t.Errorf("%v", d)
	}
}

func TestInteractivity(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "<nil>",
		`{"e2e_avg_interactivity": 5, "n_samples_failed": 1}`:                                                                   "5",
		`{"output_tokens_per_turn_total": 30, "e2e_turn_time_seconds_total": 2, "n_samples_failed": 0}`:                         "15",
		`{"output_tokens_per_turn_total": 30, "e2e_turn_time_seconds_total": 2, "n_samples_failed": 1}`:                         "<nil>",
		`{"output_tokens_per_turn_total": 30, "latency": {"total": 2e9}, "output_sequence_lengths": {"total": 30}}`:             "<nil>",
		`{"latency": {"total": 2e9}, "output_sequence_lengths": {"total": 30}}`:                                                 "15",
		`{"output_tokens_per_turn_total": 30, "e2e_turn_time_seconds_total": 0}`:                                                "<nil>",
		`{"output_tokens_per_turn_total": "30", "e2e_turn_time_seconds_total": "2.0", "e2e_avg_interactivity": "not a number"}`: "15",
	} {
		v := build(t, map[string]string{"result_summary.json": text}).Runs[0].Fields.Derived
		if got := fmt.Sprint(v["e2e_avg_interactivity"]); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestPower(t *testing.T) {
	summary := `{"system_tps": 100, "system_tps_per_kw": 7}`
	for _, c := range []struct{ power, used, kw, perKW string }{
		{``, ``, "<nil>", "7"},
		{`{"computed": {"total_system_power_w": 9900}}`, ``, "9.9", "7"},
		{`{"provisioned_power_kw": 4, "node_sets": [{"system_node_ensemble_id": 1, "nodes_provisioned": 2}, {"system_node_ensemble_id": 2, "nodes_provisioned": 2}]}`, `nodes_used: [{system_node_ensemble_id: 1, nodes: 2}]`, "4", "7"},
		{`{"provisioned_power_kw": 4, "node_sets": [{"system_node_ensemble_id": 1, "nodes_provisioned": 2}, {"system_node_ensemble_id": 2, "nodes_provisioned": 2}]}`, `nodes_used: [{system_node_ensemble_id: 1, nodes: 1}]`, "<nil>", "7"},
		{`{"provisioned_power_kw": 4, "node_sets": [{"system_node_ensemble_id": 1, "nodes_provisioned": 2}]}`, `nodes_used: [{system_node_ensemble_id: 1, nodes: 9}]`, "<nil>", "7"},
	} {
		files := map[string]string{"result_summary.json": summary, "point.yaml": c.used}
		if c.power != "" {
			files["../system_power.json"] = c.power
		}
		v := build(t, files).Runs[0].Fields.Derived
		if got := fmt.Sprint(v["point_power_kw"], " ", v["system_tps_per_kw"]); got != c.kw+" "+c.perKW {
			t.Errorf("%s, %s: got %s", c.power, c.used, got)
		}
	}
}

// TestStrangers: what cannot be read costs its own field and leaves a warning, and no number that is none gets into the bundle.
func TestStrangers(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	for _, c := range []struct {
		name, text, warning string
		runs                int
	}{
		{"result_summary.json", `{"duration_ns": NaN}`, "r8/result_summary.json: not JSON", 1},
		{"result_summary.json", `[]`, "r8/result_summary.json: not a map of fields", 1},
		{"result_summary.json", `{} {}`, "something follows", 1},
		{"point.yaml", "concurrency: [", "r8/point.yaml: not YAML", 2},
		{"point.yaml", bomb, "too large or too deep", 2},
		{"point.yaml", "concurrency: .nan\nx: 1e999\n", "r8/system_desc.json: missing", 2},
		{"system_desc.json", `{"tps_utilization": 1e999, "node_types": [7], "node_config": {"a": [1]}}`, "r8/point.yaml: missing", 2},
		{"../system_power.json", `{"provisioned_power_kw": "lots", "node_sets": [[]]}`, "r8/point.yaml: missing", 2},
	} {
		files := map[string]string{"result_summary.json": `{"system_tps": 1e308, "duration_ns": 1e-300, "n_samples_completed": 1e300}`}
		files[c.name] = c.text
		b := build(t, files)
		if all := strings.Join(b.Warnings, "\n"); !strings.Contains(all, c.warning) || len(b.Runs) != c.runs {
			t.Errorf("%s: %d runs, warnings %s", c.text, len(b.Runs), all)
		}
		if _, err := b.JSON(); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

func TestNoCurve(t *testing.T) {
	if _, err := Build(fstest.MapFS{"results/x/r1": {Data: []byte("x")}}, "here", ""); !errors.Is(err, ErrNoCurve) || !strings.HasPrefix(err.Error(), "here: ") {
		t.Errorf("%v", err)
	}
	if _, err := Build(fstest.MapFS{"results/a/b/r1/x": {Data: []byte("x")}}, "here", ""); err == nil || !strings.Contains(err.Error(), "result_summary.json: missing") {
		t.Errorf("%v", err)
	}
}

func TestSameBytes(t *testing.T) {
	a, err := build(t, ours).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if b, _ := build(t, ours).JSON(); !bytes.Equal(a, b) {
			t.Fatal("the same package gave other bytes")
		}
	}
}
