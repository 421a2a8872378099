package check

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

type doc = map[string]any

// edit changes a file of every point, or of those given.
func edit(t *testing.T, files fstest.MapFS, file string, change func(doc), points ...string) {
	t.Helper()
	for name, f := range files {
		if path.Base(name) != file || len(points) > 0 && !slices.Contains(points, path.Base(path.Dir(name))) {
			continue
		}
		d := plainDoc(t, name, f.Data).(doc)
		change(d)
		write(t, files, name, d)
	}
}

func write(t *testing.T, files fstest.MapFS, name string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	files[name] = &fstest.MapFile{Data: text}
}

// textOf changes the text of a file, at every point.
func textOf(files fstest.MapFS, file string, change func(string) string) {
	for name, f := range files {
		if path.Base(name) == file {
			files[name] = &fstest.MapFile{Data: []byte(change(string(f.Data)))}
		}
	}
}

func move(files fstest.MapFS, from, to string) {
	for name, f := range files {
		if rest, ok := strings.CutPrefix(name, from); ok {
			delete(files, name)
			files[to+rest] = f
		}
	}
}

func seedsOf(d doc) doc { return d["runtime_settings"].(doc)["runtime"].(doc) }

func rdi(t *testing.T, files fstest.MapFS, division, status string) {
	t.Helper()
	delete(files, "results/sample/system_power.json")
	edit(t, files, "system_desc.json", func(d doc) { d["division"], d["system_availability_status"] = division, status })
	edit(t, files, "result_summary.json", func(d doc) { delete(d, "system_tps_per_kw") })
}

const unusable = "error:measurement-points-present error:offline-point-present error:point-config-valid warning:accuracy-gate warning:model-name-consistency warning:point-rules-skipped"

// questions are about encodings, layouts and divisions; the answers are the official checker's.
var questions = []struct {
	name   string
	change func(t *testing.T, f fstest.MapFS)
	want   string
}{
	{"YAML files written as JSON", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "point.yaml", func(doc) {})
		edit(t, f, "config.yaml", func(doc) {})
	}, ""},
	{"seeds as text", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "point.yaml", func(d doc) {
			for k, v := range seedsOf(d) {
				seedsOf(d)[k] = v.(json.Number).String()
			}
		})
	}, ""},
	{"seeds as floats", func(_ *testing.T, f fstest.MapFS) {
		textOf(f, "point.yaml", func(s string) string {
			return strings.ReplaceAll(s, "10487924139932647040", "1.0487924139932647e+19")
		})
	}, unusable},
	{"an integer as 4.0", func(_ *testing.T, f fstest.MapFS) {
		textOf(f, "point.yaml", func(s string) string { return strings.Replace(s, "\nregion", ".0\nregion", 1) })
	}, ""},
	{"an integer as text", func(_ *testing.T, f fstest.MapFS) {
		textOf(f, "point.yaml", func(s string) string {
			return strings.Replace(strings.Replace(s, "\nregion", "'\nregion", 1), "concurrency: ", "concurrency: '", 1)
		})
	}, ""},
	{"an unquoted no", notes("no"), unusable},
	{"an unquoted on", notes("on"), unusable},
	{"an unquoted day", notes("2026-10-21"), unusable},
	{"a quoted no", notes("'no'"), ""},
	{"percentile keys as integers", func(_ *testing.T, f fstest.MapFS) {
		textOf(f, "result_summary.json", func(s string) string { return strings.ReplaceAll(s, `.0": `, `": `) })
	}, ""},
	{"a stored metric of NaN", func(_ *testing.T, f fstest.MapFS) {
		textOf(f, "result_summary.json", func(s string) string { return strings.Replace(s, `"system_tps": `, `"system_tps": NaN, "was": `, 1) })
	}, ""},
	{"a stored metric of text", func(t *testing.T, f fstest.MapFS) { // the official checker crashes
		edit(t, f, "result_summary.json", func(d doc) { d["system_tps"] = "fast" })
	}, "error:metric-consistency-system-tps"},
	{"a duration of NaN", func(_ *testing.T, f fstest.MapFS) {
		replace(f, r12+"result_summary.json", `"duration_ns": 900000000000`, `"duration_ns": NaN`)
	}, "error:metric-consistency-system-tps error:metric-consistency-tps-per-kw error:tps-utilization"},
	{"a byte order mark in YAML", func(_ *testing.T, f fstest.MapFS) { prefix(f, r12+"point.yaml") }, ""},
	{"a byte order mark in JSON", func(_ *testing.T, f fstest.MapFS) { prefix(f, r12+"system_desc.json") }, "error:system-description-valid warning:maximal-engagement"},
	{"scores as a map", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "accuracy_results.json", func(d doc) {
			all := doc{}
			for _, e := range d["accuracy_scores"].([]any) {
				all[e.(doc)["dataset_name"].(string)] = e
			}
			d["accuracy_scores"] = all
		})
	}, ""},
	{"scores as a bare list", func(t *testing.T, f fstest.MapFS) {
		for name, file := range f {
			if path.Base(name) == "accuracy_results.json" {
				write(t, f, name, plainDoc(t, name, file.Data).(doc)["accuracy_scores"])
			}
		}
	}, ""},
	{"scores in results.json", rename("accuracy_results.json", "results.json"), ""},
	{"accuracy_result.json", rename("accuracy_results.json", "accuracy_result.json"),
		"error:accuracy-coverage error:accuracy-present error:agentic-accuracy-inline warning:agentic-accuracy-swebench"},
	{"two submissions", func(_ *testing.T, f fstest.MapFS) {
		for name, file := range f {
			delete(f, name)
			f["sub-1/"+name], f["sub-2/"+name] = file, file
		}
	}, "error:required-dir error:src-dir"},
	{"stray files", stray(r12+"events.jsonl", r12+"evidence/log.txt", model+".DS_Store", model+"notes.md", "evidence/manifest.txt", "results/.DS_Store"), ""},
	{"a folder beside points", stray(model + "evidence/x.txt"), ""},
	{"a folder beside models", stray("results/sample/evidence/x.txt"), "error:point-dirs"},
	{"a folder beside systems", stray("results/evidence/x.txt"), "error:benchmark-model-dir error:power-descriptor"},
	{"r012", func(_ *testing.T, f fstest.MapFS) { move(f, r12, model+"r012/") }, ""},
	{"r12b beside r12", func(_ *testing.T, f fstest.MapFS) {
		for name, file := range f {
			if rest, ok := strings.CutPrefix(name, r12); ok {
				f[model+"r12b/"+rest] = file
			}
		}
	}, ""},
	{"another name of the system's folder", func(_ *testing.T, f fstest.MapFS) { move(f, "results/sample/", "results/boxA/") }, ""},
	{"no model", func(_ *testing.T, f fstest.MapFS) {
		for name := range f {
			if strings.HasPrefix(name, model) {
				delete(f, name)
			}
		}
	}, "error:accuracy-present error:benchmark-model-dir"},
	{"RDI without power", func(t *testing.T, f fstest.MapFS) { rdi(t, f, "RDI", "RDI") }, ""},
	{"Serviced without power", func(t *testing.T, f fstest.MapFS) { rdi(t, f, "Serviced", "Available") }, ""},
	{"no accelerators, no parallelism", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "system_desc.json", func(d doc) {
			d["node_types"].([]any)[0].(doc)["accelerator_info"] = []any{}
			for _, k := range []string{"tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel"} {
				delete(d, k)
			}
		})
	}, "warning:maximal-engagement"},
	{"the least about placement", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "point.yaml", func(d doc) {
			delete(d, "region")
			delete(d, "steady_state")
		})
	}, "warning:steady-state-basis"},
	{"no warm-up", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "point.yaml", func(d doc) {
			d["warmup"] = doc{"duration_s": 0, "requests_issued": 0, "requests_completed": 0, "data_source": "none", "concurrency": 0}
		})
	}, ""},
	{"c_min_override 12", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "system_desc.json", func(d doc) { d["c_min_override"] = 12 })
	}, "error:accuracy-coverage error:low-concurrency-coverage warning:agentic-accuracy-swebench warning:region-placement"},
	{"nothing at or below 32", func(t *testing.T, f fstest.MapFS) {
		for from, to := range map[string]int{"r1": 41, "r4": 44, "r12": 52, "r24": 64, "r32": 72} {
			into := "r" + twoDigits(to)
			edit(t, f, "point.yaml", func(d doc) { d["concurrency"] = to }, from)
			move(f, model+from+"/", model+into+"/")
		}
	}, "error:accuracy-coverage error:concurrency-in-range error:low-concurrency-coverage error:point-count error:tps-utilization " +
		"error:ultra-low-concurrency-coverage warning:agentic-accuracy-swebench warning:point-duration warning:region-placement"},
	{"an approved drafter", func(t *testing.T, f fstest.MapFS) {
		edit(t, f, "point.yaml", func(d doc) {
			d["speculative_decoding"] = doc{"algorithm": "mtp", "weight_checksum": "git-sha1:995ad96eacd98c81ed38be0c5b274b04031597b0"}
		})
	}, ""},
	{"failed samples", func(t *testing.T, f fstest.MapFS) { fails(t, f) }, ""},
	{"failed samples without interactivity", func(t *testing.T, f fstest.MapFS) {
		fails(t, f)
		edit(t, f, "result_summary.json", func(d doc) {
			for _, k := range []string{"output_tokens_per_turn_total", "e2e_turn_time_seconds_total", "e2e_avg_interactivity"} {
				delete(d, k)
			}
		})
	}, ""},
}

func twoDigits(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

func fails(t *testing.T, f fstest.MapFS) {
	t.Helper()
	edit(t, f, "result_summary.json", func(d doc) {
		n, err := d["n_samples_completed"].(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		d["n_samples_failed"], d["n_samples_issued"] = 5, n+5
	})
}

func notes(value string) func(*testing.T, fstest.MapFS) {
	return func(_ *testing.T, f fstest.MapFS) {
		textOf(f, "point.yaml", func(s string) string {
			return strings.Replace(s, "model_notes: made-up data; checks the packer only", "model_notes: "+value, 1)
		})
	}
}

func prefix(f fstest.MapFS, name string) {
	f[name] = &fstest.MapFile{Data: append([]byte("\ufeff"), f[name].Data...)}
}

func rename(from, to string) func(*testing.T, fstest.MapFS) {
	return func(_ *testing.T, f fstest.MapFS) {
		for name, file := range f {
			if path.Base(name) == from {
				delete(f, name)
				f[path.Join(path.Dir(name), to)] = file
			}
		}
	}
}

func stray(names ...string) func(*testing.T, fstest.MapFS) {
	return func(_ *testing.T, f fstest.MapFS) {
		for _, n := range names {
			f[n] = &fstest.MapFile{Data: []byte("x")}
		}
	}
}

func TestQuestions(t *testing.T) {
	for _, q := range questions {
		files := load(t, "testdata/golden")
		q.change(t, files)
		r := run(t, files, Options{})
		if got := strings.Join(findings(r), " "); got != q.want || r.Passed != !strings.Contains(q.want, "error:") {
			t.Errorf("%s: got %q, want %q\n%v", q.name, got, q.want, show(r))
		}
	}
}

// TestManyPoints has 33 points, and an empty results/.
func TestManyPoints(t *testing.T) {
	files := load(t, "testdata/golden")
	for n := 2; n <= 30; n++ {
		dir := "r" + twoDigits(n)
		if n == 4 || n == 12 || n == 24 {
			continue
		}
		for _, name := range []string{"point.yaml", "config.yaml", "result_summary.json", "accuracy_results.json", "system_desc.json"} {
			files[model+dir+"/"+name] = files[model+"r24/"+name]
		}
		edit(t, files, "point.yaml", func(d doc) { d["concurrency"] = n }, dir)
	}
	if got := strings.Join(findings(run(t, files, Options{})), " "); got != "error:point-cap" {
		t.Error(got)
	}
	empty := fstest.MapFS{"docs/x.md": files["docs/software_disclosure.md"], "src/a/README.md": files["src/sample-impl/README.md"], "results/x": {Data: []byte("x")}}
	if got := strings.Join(findings(run(t, empty, Options{})), " "); got != "error:system-results-dir" {
		t.Error(got)
	}
}
