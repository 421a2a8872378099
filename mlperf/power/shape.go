package power

import (
	"regexp"

	"paceline/mlperf/lax"
)

func need(name string, s lax.Shape) lax.Named { return lax.Named{Name: name, Shape: s} }

func may(name string, s lax.Shape) lax.Named {
	return lax.Named{Name: name, Shape: s, Need: lax.Nullable}
}

var webAddress = regexp.MustCompile(`^https?://[^/]`)

var subsection = regexp.MustCompile(`^D\.[1-4]$`)

// sourced is a figure with where it comes from.
func sourced() lax.Shape {
	figure := lax.RealNumber().From(0)
	return lax.Object(may("value_w", figure), may("value_kw", figure), may("value_pj", figure),
		need("source_type", lax.Choice("vendor_spec", "publication", "public_statement", mlcDefault)),
		need("source", lax.Words().NotEmpty())).Closed().
		That("a map with exactly one of value_w, value_kw and value_pj", oneFigure).
		That("a map whose source is a web address (http:// or https://), or D.1 to D.4 for an mlc_default", goodSource)
}

// MaxNodeSets bounds lists of kinds of nodes.
const MaxNodeSets = 1000

const mlcDefault = "mlc_default"

func oneFigure(v *lax.Value) bool {
	n := 0
	for _, name := range []string{"value_w", "value_kw", "value_pj"} {
		if !v.Get(name).IsNull() {
			n++
		}
	}
	return n == 1
}

func goodSource(v *lax.Value) bool {
	source, kind := v.Get("source"), v.Get("source_type").Words()
	if source == nil || source.Text == "" || kind == "" {
		return true // said elsewhere
	}
	if kind == mlcDefault {
		return subsection.MatchString(source.Text)
	}
	return webAddress.MatchString(source.Text)
}

// Shape is what system_power.json must look like.
func Shape() lax.Shape {
	count, text, watts := lax.WholeNumber().From(0), lax.Words(), sourced()
	part := lax.Object(may("model", text), need("count_per_node", count), may("tdp_per_unit", watts))
	scaleUp := lax.Object(need("method", lax.Choice("none", "declared_tdp", "bandwidth_estimate")), may("switch_count", count),
		may("tdp_per_switch", watts), may("aggregate_bandwidth_tbps", lax.RealNumber().From(0)), may("energy_per_bit_pj", watts))
	components := lax.Object(may("cpu", part), may("accelerator", part), may("combined_cpu_accelerator", watts), may("scale_up_network", scaleUp))
	set := lax.Object(need("node_set_id", lax.WholeNumber()), need("system_node_ensemble_id", lax.WholeNumber()),
		need("nodes_provisioned", lax.WholeNumber().Above(0)), need("power_method", lax.Choice(componentSum, publishedSystem, nodeScaling)),
		may("components", components), may("published_power", watts), may("nodes_in_published_rack", lax.WholeNumber()))
	nics := lax.Object(need("count_per_node", count), need("bandwidth_per_nic_gbps", lax.RealNumber().From(0)), need("counted", lax.TruthValue()),
		may("tdp_per_nic", watts))
	sw := lax.Object(need("model", text), need("count", lax.WholeNumber().Above(0)), need("bandwidth_tbps", lax.RealNumber().From(0)), may("power_per_switch", watts))
	scaleOut := lax.Object(need("present", lax.TruthValue()), may("cabling", lax.Choice("passive", opticalCabling)),
		may("required_bandwidth_tbps", lax.RealNumber().From(0)), may("nics", nics), may("switches", lax.ListOf(sw)))
	number := lax.RealNumber()
	computed := lax.Object(may("major_components_w", number), may("overhead_fraction", number), may("other_components_w", number),
		may("published_node_power_w", number), may("scale_out_switch_power_w", number), may("total_system_power_w", number))
	return lax.Object(need("system_desc_id", text.NotEmpty()), need("cooling", lax.Choice("liquid", "air")), need("node_sets", lax.ListOf(set).NotEmpty().AtMost(MaxNodeSets)),
		need("scale_out", scaleOut), may("declared_provisioned_power", watts), may("computed", computed), may("provisioned_power_kw", number),
		may("mlc_estimated_power", lax.TruthValue()))
}
