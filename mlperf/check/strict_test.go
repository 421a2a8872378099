package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestStrictGolden: the golden package is invented, and not consistent in itself. The second list finds exactly this.
func TestStrictGolden(t *testing.T) {
	r := run(t, load(t, "testdata/golden"), Options{Rules: RulesStrict})
	var want []string
	for _, p := range []struct{ n, turns int }{{1, 915}, {4, 2322}, {12, 5280}, {24, 8330}, {32, 9799}, {48, 35007}, {64, 39443}} {
		want = append(want, fmt.Sprintf("error:strict-full-run-turns: r%d: the full run has %d turns, but 613 trajectories have 30335", p.n, p.turns),
			fmt.Sprintf("error:strict-super-passes: r%d: the steady-state window claims 5 super-passes, but 613 trajectories make 1", p.n),
			fmt.Sprintf("error:strict-git-sha: r%d: git_sha is %q; want the 40 hexadecimal digits of the client's revision", p.n, strings.Repeat("0", 40)))
	}
	if got := show(r); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// consistent is the golden package without its inconsistencies.
func consistent(t *testing.T) fstest.MapFS {
	t.Helper()
	files := load(t, "testdata/golden")
	for name := range files {
		switch {
		case strings.HasSuffix(name, "point.yaml"):
			replace(files, name, "super_pass_end: 5", "super_pass_end: 1")
			replace(files, name, "status: windowable", "status: insufficient_passes")
		case strings.HasSuffix(name, "result_summary.json"):
			replace(files, name, strings.Repeat("0", 40), strings.Repeat("1", 40))
			text := string(files[name].Data)
			full := text[strings.Index(text, "full_run"):]
			full = full[strings.Index(full, `"counts"`):]
			full = full[:strings.Index(full, "]")]
			replace(files, name, full, `"counts": [30335`)
		}
	}
	return files
}

func replace(files fstest.MapFS, name, old, new string) {
	text := string(files[name].Data)
	// the last place: earlier blocks of a summary look the same
	if at := strings.LastIndex(text, old); at >= 0 {
		files[name] = &fstest.MapFile{Data: []byte(text[:at] + new + text[at+len(old):])}
	}
}

const (
	model      = "results/sample/qwen3_6-35b-a3b/"
	r12        = model + "r12/"
	trajectory = "num_trajectories_to_issue: 613"
)

// TestStrict trips each rule of the second list on a package that is otherwise consistent.
func TestStrict(t *testing.T) {
	base := run(t, consistent(t), Options{Rules: RulesStrict})
	if got := findings(base); !slices.Equal(got, []string{"warning:steady-state-basis"}) {
		t.Fatalf("the consistent package: %v", show(base))
	}
	for _, c := range []struct{ name, file, old, new, want string }{
		{"a trajectory less", r12 + "point.yaml", trajectory, "num_trajectories_to_issue: 612", "strict-trajectories"},
		{"none", r12 + "point.yaml", trajectory, "num_trajectories_to_issue: 0", "strict-trajectories"},
		{"two passes, turns of one", r12 + "point.yaml", trajectory, "num_trajectories_to_issue: 1226", "strict-full-run-turns"},
		{"no salt", r12 + "point.yaml", "enable_salt: true", "enable_salt: false", "strict-agentic-flags"},
		{"no delay", r12 + "point.yaml", "inject_tool_delay: true", "inject_tool_delay: no", "strict-agentic-flags"},
		{"stops early", r12 + "point.yaml", "stop_issuing_on_first_user_complete: false", "stop_issuing_on_first_user_complete: true", "strict-agentic-flags"},
		{"a turn more", r12 + "result_summary.json", "[30335", "[30336", "strict-full-run-turns"},
		{"a super-pass of another size", r12 + "point.yaml", "super_pass_size: 613", "super_pass_size: 600", "strict-super-passes"},
		{"no revision", r12 + "result_summary.json", strings.Repeat("1", 40), "v1.2", "strict-git-sha"},
		{"ours", r12 + "result_summary.json", strings.Repeat("1", 40), "Paceline:abc", "strict-git-sha"},
		{"NaN", r12 + "result_summary.json", `"system_tps": 2076.9222222222224`, `"system_tps": NaN`, "strict-numbers"},
		{"text for a metric", r12 + "result_summary.json", `"qps": 5.4222222222222225`, `"qps": "5.4"`, "strict-numbers"},
		{"text for a count", r12 + "point.yaml", "concurrency: 12\nregion", "concurrency: '12'\nregion", "strict-numbers"},
		{"text for a score", r12 + "accuracy_results.json", `"score": 0.72`, `"score": "0.72"`, "strict-numbers"},
		{"another name", r12 + "accuracy_results.json", `"dataset_name": "swe_bench"`, `"dataset_name": "swebench_verified"`, "strict-swebench-name"},
		{"50 instances", r12 + "point.yaml", "num_instances: 200", "num_instances: 50", "strict-accuracy-settings"},
		{"another template", r12 + "point.yaml", "swebench_template: qwen_tools", "swebench_template: other", "strict-accuracy-settings"},
		{"another checkpoint", r12 + "point.yaml", "repository: Qwen/Qwen3.6-35B-A3B", "repository: me/tuned", "strict-checkpoint"},
		{"no full revision", r12 + "point.yaml", "revision: 995ad96eacd98c81ed38be0c5b274b04031597b0", "revision: main", "strict-checkpoint"},
		{"another temperature", r12 + "config.yaml", "temperature: 1.0", "temperature: 0.6", "strict-sampling"},
		{"a parameter more", r12 + "config.yaml", "  top_k: 20", "  top_k: 20\n  min_p: 0.1", "strict-sampling"},
		{"a parameter less", r12 + "config.yaml", "  top_k: 20\n", "", "strict-sampling"},
		{"a drafter here only", r12 + "point.yaml", "seed_set: A", "seed_set: A\nspeculative_decoding: {weight_checksum: 'git-sha1:995ad96eacd98c81ed38be0c5b274b04031597b0'}", "strict-one-drafter"},
		{"another cohort", r12 + "point.yaml", "target_cohort: 2026-10-C1", "target_cohort: 2026-11-C0", "strict-one-cohort"},
		{"the same concurrency twice", r12 + "point.yaml", "concurrency: 12\nregion", "concurrency: 24\nregion", "strict-one-point"},
		{"a short run is an error", r12 + "point.yaml", "duration_s: 800.0", "duration_s: 80.0", "point-duration"},
		{"a missing length is an error", r12 + "result_summary.json", "output_sequence_lengths_full_run", "x", "agentic-osl-range"},
	} {
		files := consistent(t)
		replace(files, c.file, c.old, c.new)
		r := run(t, files, Options{Rules: RulesStrict})
		want := "error:" + c.want
		if c.name == "ours" {
			want = "warning:" + c.want
		}
		if got := findings(r); !slices.Contains(got, want) {
			t.Errorf("%s: got %v, want %s", c.name, got, want)
		}
		if official := run(t, files, Options{}); slices.ContainsFunc(findings(official), func(s string) bool { return strings.Contains(s, "strict-") }) {
			t.Errorf("%s: the official list has rules of the second one", c.name)
		}
	}
}

// TestFailedTurns: where turns failed, the full run may be shorter than the passes.
func TestFailedTurns(t *testing.T) {
	files := consistent(t)
	replace(files, r12+"result_summary.json", "[30335", "[30000")
	replace(files, r12+"result_summary.json", `"n_samples_failed": 0`, `"n_samples_failed": 2`)
	if got := findings(run(t, files, Options{Rules: RulesStrict})); slices.Contains(got, "error:strict-full-run-turns") {
		t.Error(got)
	}
}
