package check

import (
	"strings"

	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// own are the fields of system_desc.json that may differ between the points of a curve.
var own = map[string]bool{"tps_utilization": true, "tensor_parallel": true, "pipeline_parallel": true, "expert_parallel": true, "data_parallel": true,
	"disaggregated": true, "batch": true, "config_summary": true, "config_summary_notes": true}

const shortName = 20 // characters of shortened_system_name

func systemShape() lax.Shape {
	text, whole := lax.Words(), lax.WholeNumber()
	texts := func(names ...string) (all []lax.Named) {
		for _, n := range names {
			all = append(all, null(n, text))
		}
		return all
	}
	wholes := func(names ...string) (all []lax.Named) {
		for _, n := range names {
			all = append(all, null(n, whole))
		}
		return all
	}
	accelerator := lax.Object(append(texts("accelerator_model_name", "accelerator_memory_capacity", "accelerator_memory_type", "accelerator_interconnect",
		"accelerator_host_interconnect"), null("accelerators_per_node", whole))...)
	node := []lax.Named{req("host_memory_configuration", text), req("host_network_card_count", text), req("driver", text), req("filesystem", text),
		opt("accelerator_info", lax.ListOf(accelerator))}
	node = append(node, wholes("host_processor_core_count", "host_processor_vcpu_count", "system_node_ensemble_id", "number_of_nodes", "host_processors_per_node")...)
	node = append(node, texts("host_processor_model_name", "host_memory_capacity", "host_networking", "host_storage_capacity", "host_storage_type", "other_hardware",
		"hw_notes", "cooling", "inference_backend", "operating_system", "container_link", "other_software_stack", "sw_notes")...)
	nodes := lax.ListOf(lax.Object(node...).That("a map with host_processor_core_count or host_processor_vcpu_count", hasCores))
	override := lax.WholeNumber().That("an integer from 1 to 32", func(v *lax.Value) bool {
		n, ok := v.Small()
		return v.Kind == lax.Int && ok && n >= 1 && n <= rules.MaxUltraLow
	})
	fields := []lax.Named{req("system_name", text), req("shortened_system_name", text.Short(shortName)), req("division", lax.CaselessChoice("Standardized", "Serviced", "RDI")),
		req("system_availability_status", lax.CaselessChoice("Available", "Preview", "RDI")), null("target_availability_date", lax.Day()),
		req("max_supported_concurrency", whole), opt("c_min_override", override), req("system_size", text), req("system_node_ensemble_count", whole),
		req("system_node_ensemble_total", whole), req("node_types", nodes), null("disaggregated", lax.TruthValue()), null("tps_utilization", lax.RealNumber()),
		null("config_summary", lax.Custom("a text of at least 4 characters, or a map", summaryWords))}
	fields = append(fields, wholes("tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel", "batch")...)
	fields = append(fields, texts("availability_url", "node_config", "config_summary_notes", "submitter_org_names", "submitter_contact", "endpoint_url",
		"serving_framework", "system_category")...)
	return lax.Object(fields...).
		That("a map with availability_url where the status is Available", func(v *lax.Value) bool { return forStatus(v, "available", "availability_url") }).
		That("a map with target_availability_date where the status is Preview", func(v *lax.Value) bool { return forStatus(v, "preview", "target_availability_date") })
}

func hasCores(v *lax.Value) bool {
	return !v.Get("host_processor_core_count").IsNull() || !v.Get("host_processor_vcpu_count").IsNull()
}

func summaryWords(v *lax.Value) bool {
	const least = 4
	return v.Kind == lax.Map || v.Kind == lax.Text && len([]rune(v.Text)) >= least
}

func forStatus(v *lax.Value, status, field string) bool {
	return !strings.EqualFold(strings.TrimSpace(v.Get("system_availability_status").Words()), status) || strings.TrimSpace(v.Get(field).Words()) != "" ||
		!v.Get(field).IsNull() && v.Get(field).Kind != lax.Text
}

// describe checks the first description by its shape, and the others for being equal to it.
func (c *checker) describe(v *curve) {
	for _, p := range v.points {
		if p.System.Here && p.desc == nil {
			err := p.System.Err
			if err == nil {
				c.fail("system-description-valid", "no-map", p.System.Path, "Write the description as one JSON object.", "system_desc.json holds %s", p.System.Doc)
				continue
			}
			c.unreadable("system-description-valid", p.System)
		}
	}
	first := v.firstDescribed()
	if first == nil {
		for _, p := range v.points {
			if p.System.Here { // where none is there, that was said already
				c.fail("system-description-present", "none", v.model.Path, "Mend the files.", "no system_desc.json in %s/ can be read", v.model.Path)
				break
			}
		}
		return
	}
	faults := systemShape().Faults(first.desc)
	c.faults("system-description-valid", first.System, faults)
	if len(faults) == 0 {
		c.pass("system-description-valid", first.System.Path, "the description is complete")
	}
	same := true
	for _, p := range v.points {
		if p.desc == nil || p == first {
			continue
		}
		if names := differing(first.desc, p.desc); len(names) > 0 {
			same = false
			c.fail("system-description-consistency", "differ", p.System.Path, "Describe one system; only parallelism, batch, tps_utilization and the configuration's summary may differ.",
				"system_desc.json differs from that of %s in %s", first.Dir, strings.Join(names, ", "))
		}
	}
	if same {
		c.pass("system-description-consistency", v.model.Path, "all points describe the same system")
	}
}

// differing are the top-level fields that two descriptions do not share.
func differing(a, b *lax.Value) []string {
	var names []string
	other := make(map[string]*lax.Value, len(b.Fields))
	for _, f := range b.Fields {
		other[f.Key] = f.Value
	}
	for _, f := range a.Fields {
		if !own[f.Key] && !lax.Equal(f.Value, other[f.Key]) {
			names = append(names, f.Key)
		}
		delete(other, f.Key)
	}
	for _, f := range b.Fields {
		if other[f.Key] != nil && !own[f.Key] {
			names = append(names, f.Key)
		}
	}
	return names
}
