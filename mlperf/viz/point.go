package viz

import (
	"path"
	"strings"
)

// Words of the page.
const (
	scenarioOnline  = "Online"
	scenarioOffline = "Offline"
)

// direct are the fields that the files of a point hold. What they do not hold is left out.
func direct(p pointFiles, power *power) Document {
	s := p.summary
	completed := figure(s["n_samples_completed"])
	d := Document{
		"concurrency":                    first(figure(p.params["concurrency"]), figure(p.config["concurrency"]), concurrency(path.Base(p.dir))),
		"run_date":                       text(first(p.params["run_date"], p.system["run_date"])),
		"config_summary":                 p.system["config_summary"],
		"config_summary_notes":           p.system["config_summary_notes"],
		"node_config":                    p.system["node_config"],
		"link_config":                    p.system["link_config"],
		"measured_total_requests":        completed,
		"measured_total_requests_issued": figure(s["n_samples_issued"]),
		"measured_total_requests_failed": figure(s["n_samples_failed"]),
		"measured_run_duration":          seconds(p),
		"measured_total_output_tokens":   outputTokens(p),
		"average_output_tokens":          first(figure(p.params["output_token_average"]), figure(p.system["output_token_average"]), over(outputTokens(p), completed)),
		"measured_accuracy_score":        accuracy(p.accuracy),
		"result_version":                 named(p, text(s["version"])),
		"result_state":                   state(s),
		"benchmark_version":              named(p, text(first(s["git_sha"], s["benchmark_version"]))),
		"client":                         clientName(p),
		"config_region":                  p.params["region"],
		"config_type":                    first(p.config["type"], p.config["benchmark_mode"], in(s, "run_config", "type")),
		"load_pattern":                   loadPattern(p),
		"offline":                        first(p.params["offline"], "none"),
		"scenario":                       scenario(p),
	}
	if power != nil {
		d["mlc_estimated_power"] = power.estimated
	}
	latencies(d, s, completed)
	for k, v := range d {
		if v == nil || v == "" && k != "run_date" && k != "config_summary_notes" {
			delete(d, k)
		}
	}
	return d
}

func latencies(d, summary Document, completed any) {
	for _, name := range []string{"ttft", "tpot"} {
		for _, p := range []string{"50", "90", "95", "99"} {
			d["measured_latency_"+name+"_p"+p] = milliseconds(percentile(summary[name], p))
		}
		if block, ok := summary[name].(Document); ok {
			d["measured_latency_"+name+"_average"] = milliseconds(over(block["total"], completed))
		}
	}
}

// derived are the figures of the axes. What cannot be told is null.
func derived(p pointFiles, power *power) Document {
	s := p.summary
	tps := first(figure(s["system_tps"]), over(outputTokens(p), seconds(p)))
	kw := power.point(p)
	return Document{
		"system_tps":            tps,
		"tps_per_user":          first(figure(s["tps_per_user"]), over(1000.0, milliseconds(percentile(s["tpot"], "90")))),
		"qps":                   first(figure(s["qps"]), over(s["n_samples_completed"], seconds(p))),
		"ttft":                  milliseconds(percentile(s["ttft"], "90")),
		"tps_utilization":       figure(p.system["tps_utilization"]),
		"e2e_avg_interactivity": interactivity(s),
		"system_tps_per_kw":     first(figure(s["system_tps_per_kw"]), over(tps, kw)),
		"point_power_kw":        kw,
	}
}

// interactivity is the agentic x axis: tokens of all turns over the time that users waited for them. Where a turn failed there is
// none, unless the package tells one.
func interactivity(s Document) any {
	if v := figure(s["e2e_avg_interactivity"]); v != nil {
		return v
	}
	if failed, ok := float(s["n_samples_failed"]); ok && failed > 0 {
		return nil
	}
	if s["output_tokens_per_turn_total"] != nil || s["e2e_turn_time_seconds_total"] != nil {
		return over(s["output_tokens_per_turn_total"], s["e2e_turn_time_seconds_total"])
	}
	return over(in(s, "output_sequence_lengths", "total"), over(in(s, "latency", "total"), 1e9))
}

func seconds(p pointFiles) any { return over(p.summary["duration_ns"], 1e9) }

func outputTokens(p pointFiles) any { return figure(in(p.summary, "output_sequence_lengths", "total")) }

func loadPattern(p pointFiles) any {
	return first(in(p.params, "runtime_settings", "load_pattern"), in(p.config, "settings", "load_pattern", "type"), in(p.summary, "run_config", "load_pattern", "type"))
}

// scenario is the page's word, which is not the rules' CoP or CoN: those stand in no file of a package.
func scenario(p pointFiles) string {
	if text(p.params["offline"]) == "dedicated" || loadPattern(p) == "max_throughput" {
		return scenarioOffline
	}
	return scenarioOnline
}

func state(s Document) any {
	if v := first(s["state"]); v != nil {
		return v
	}
	if s["complete"] == true {
		return "complete"
	}
	return nil
}

// clientName is the program that measured, where the package names one. The reference client's packages name none.
func clientName(p pointFiles) string {
	return text(first(in(p.summary, "client", "name"), p.summary["client"], in(p.params, "client", "name")))
}

// named says of which client a version is. The page shows these fields as the reference client's, so no other may leave its name out.
func named(p pointFiles, version string) string {
	client := clientName(p)
	if version == "" || client == "" || strings.HasPrefix(strings.ToLower(version), strings.ToLower(client)) {
		return version
	}
	return client + " " + version
}
