package power

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"paceline/mlperf/lax"
)

const (
	sourcedText = `{"value_w": %g, "source_type": "vendor_spec", "source": "https://example.com/x"}`
	worked      = `{"system_desc_id": "s", "cooling": "air", "node_sets": [{"node_set_id": 0, "system_node_ensemble_id": 0, "nodes_provisioned": 1, "power_method": "component_sum",
 "components": {"cpu": {"model": "C", "count_per_node": 2, "tdp_per_unit": CPU}, "accelerator": {"model": "A", "count_per_node": 8, "tdp_per_unit": ACC},
 "scale_up_network": {"method": "declared_tdp", "switch_count": 2, "tdp_per_switch": SWITCH}}}], "scale_out": {"present": false}}`
	fabricText = `"scale_out": {"present": true, "cabling": "passive", "required_bandwidth_tbps": 0.8, "nics": {"count_per_node": 2, "bandwidth_per_nic_gbps": 400, "counted": true, "tdp_per_nic": CPU},
 "switches": [{"model": "X", "count": 2, "bandwidth_tbps": 51.2, "power_per_switch": SWITCH}]}`
)

var example = figures(worked)

func figures(s string) string {
	for name, w := range map[string]float64{"CPU": 350, "ACC": 700, "SWITCH": 150} {
		s = strings.ReplaceAll(s, name, fmt.Sprintf(sourcedText, w))
	}
	return s
}

func document(t *testing.T, text string) *lax.Value {
	t.Helper()
	v, err := lax.JSON([]byte(text))
	if err != nil {
		t.Fatal(err, text)
	}
	if faults := Shape().Faults(v); len(faults) > 0 {
		t.Fatal(faults)
	}
	return v
}

// sums are what Compute gives: total, and whether an Appendix D figure was needed; or the first problem.
func sums(t *testing.T, text string, nodes ...NodeType) string {
	t.Helper()
	totals, problems := Compute(document(t, text), nodes)
	if totals == nil {
		for _, p := range problems {
			if !p.Warning {
				return p.Key
			}
		}
	}
	s := fmt.Sprintf("%g", totals.Watts())
	if len(totals.Estimated) > 0 {
		s += " estimated"
	}
	for _, p := range problems {
		s += " " + p.Key
	}
	return s
}

// TestCompute changes the worked example of 9.9 kW.
func TestCompute(t *testing.T) {
	cores := func(n int) NodeType { return NodeType{Cores: n, Accelerators: 8} }
	set := func(old, now string) string {
		if !strings.Contains(example, old) {
			t.Fatalf("%s is not in the example", old)
		}
		return strings.Replace(example, old, now, 1)
	}
	noCPU := func(name string) string {
		return set(`"model": "C", "count_per_node": 2, "tdp_per_unit": `+fmt.Sprintf(sourcedText, 350.0), `"model": "`+name+`", "count_per_node": 2`)
	}
	noACC := func(name string) string {
		return set(`"model": "A", "count_per_node": 8, "tdp_per_unit": `+fmt.Sprintf(sourcedText, 700.0), `"model": "`+name+`", "count_per_node": 8`)
	}
	published := func(method, more string) string {
		return set(`"power_method": "component_sum"`, `"power_method": "`+method+`", "published_power": {"value_kw": 100, "source_type": "publication", "source": "https://example.com"}`+more)
	}
	network := func(s string) string {
		at := strings.Index(example, `"scale_up_network"`)
		return example[:at] + `"scale_up_network": ` + s + example[strings.Index(example, `}}], "scale_out"`):]
	}
	for _, c := range []struct {
		name, text string
		nodes      []NodeType
		want       string
	}{
		{"worked", example, nil, "9900"},
		{"liquid", set(`"air"`, `"liquid"`), nil, "8580"},
		{"two nodes", set(`"nodes_provisioned": 1`, `"nodes_provisioned": 2`), nil, "19800 no-fabric"},
		{"kW", set(`"value_w": 350`, `"value_kw": 0.35`), nil, "9900"},
		{"an energy", set(`"value_w": 350`, `"value_pj": 350`), nil, "no-power"},
		{"Xeon of 64 cores", noCPU("Xeon"), []NodeType{cores(64)}, "9900 estimated"},
		{"Xeon of 65 cores", noCPU("Xeon"), []NodeType{cores(65)}, "10350 estimated"},
		{"cores in the name", noCPU("Xeon 96-core"), nil, "10350 estimated"},
		{"no cores", noCPU("Xeon"), nil, "no-figure"},
		{"Grace", noCPU("NVIDIA Grace"), []NodeType{cores(128)}, "9750 estimated"},
		{"Grace of 144 cores", noCPU("NVIDIA Grace"), []NodeType{cores(144)}, "no-figure"},
		{"an unknown processor", noCPU("Sample"), []NodeType{cores(64)}, "no-figure"},
		{"GB200 is no B200", noACC("nvidia gb200 nvl72"), nil, "15900 estimated"},
		{"TPU v7", noACC("TPU v7"), nil, "13500 estimated"},
		{"H100 has no default", noACC("H100"), nil, "no-figure"},
		{"a default that is named", set(`"source_type": "vendor_spec", "source": "https://example.com/x"`, `"source_type": "mlc_default", "source": "D.2"`), nil, "9900 estimated"},
		{"published", published(publishedSystem, ""), nil, "100000"},
		{"a tenth of a rack", published(nodeScaling, `, "nodes_in_published_rack": 10`), nil, "10000"},
		{"no rack", published(nodeScaling, ""), nil, "rack"},
		{"no published power", set(`"component_sum"`, `"published_system"`), nil, "no-published"},
		{"no network", network(`{"method": "none"}`), nil, "9450"},
		{"terabytes per second", network(`{"method": "bandwidth_estimate", "aggregate_bandwidth_tbps": 7.2, "energy_per_bit_pj": {"value_pj": 5, "source_type": "vendor_spec", "source": "https://e.com"}}`), nil, "9882"},
		{"no energy", network(`{"method": "bandwidth_estimate", "aggregate_bandwidth_tbps": 7.2}`), nil, "no-link-energy"},
		{"no switch count", network(`{"method": "declared_tdp"}`), nil, "no-switch-count"},
		{"no network at all", network(`null`), nil, "no-scale-up"},
		{"a set twice", set(`"node_sets": [`, `"node_sets": [{"node_set_id": 0, "system_node_ensemble_id": 0, "nodes_provisioned": 1, "power_method": "published_system", "published_power": `+fmt.Sprintf(sourcedText, 1.0)+`}, `), nil, "set-twice"},
		{"another ensemble", example, []NodeType{{Ensemble: 3}}, "9900 unknown-ensemble"},
		{"declared", set(`"scale_out"`, `"declared_provisioned_power": `+fmt.Sprintf(sourcedText, 12000.0)+`, "provisioned_power_kw": 12, "scale_out"`), nil, "9900"},
		{"declared and not that", set(`"scale_out"`, `"declared_provisioned_power": `+fmt.Sprintf(sourcedText, 12000.0)+`, "provisioned_power_kw": 9.9, "scale_out"`), nil, "stored"},
		{"stored within half a watt", set(`"scale_out"`, `"computed": {"major_components_w": 6600.4}, "scale_out"`), nil, "9900"},
		{"stored and more", set(`"scale_out"`, `"computed": {"major_components_w": 6600.6}, "scale_out"`), nil, "stored"},
		{"a fabric", strings.Replace(example, `"scale_out": {"present": false}`, figures(fabricText), 1), nil, "11250 lone-fabric"}, // (6600 + 2 NICs of 350 W) * 1.5 + 2 switches of 150 W
		{"a fabric of other NICs", strings.Replace(example, `"scale_out": {"present": false}`, strings.Replace(figures(fabricText), `"counted": true`, `"counted": false`, 1), 1), nil, "nics-left-out"},
		{"too little required", strings.Replace(example, `"scale_out": {"present": false}`, strings.Replace(figures(fabricText), `tbps": 0.8`, `tbps": 0.7`, 1), 1), nil, "bandwidth-low"},
		{"too few switches", strings.Replace(example, `"scale_out": {"present": false}`, strings.Replace(figures(fabricText), `tbps": 0.8`, `tbps": 103`, 1), 1), nil, "switches-few"},
		{"half a fabric", set(`"present": false`, `"present": true`), nil, "fabric-incomplete"},
	} {
		if got := sums(t, c.text, c.nodes...); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPoint(t *testing.T) {
	totals := &Totals{Major: 6000, Switches: 900, Sets: []Set{{Ensemble: 0, Nodes: 4, Watts: 4000}, {Ensemble: 1, Nodes: 2, Watts: 2000}}}
	for _, c := range []struct {
		used map[int]int
		want float64
	}{{nil, 6.9}, {map[int]int{0: 1, 1: 2}, 3.45}, {map[int]int{0: 4, 1: 2}, 6.9}, {map[int]int{0: 1}, 3.45}} {
		if got := totals.Point(c.used); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: got %g, want %g", c.used, got, c.want)
		}
	}
	if totals.Declared = 13.8; totals.Point(map[int]int{0: 1, 1: 2}) != 6.9 || totals.Kilowatts() != 13.8 {
		t.Error("declared power does not govern")
	}
}

func TestDefaultsOfSwitches(t *testing.T) {
	for _, c := range []struct {
		name    string
		optical bool
		want    float64
	}{{"SN6810-LD", true, 1960}, {"SN6810", false, 0}, {"NVIDIA SN5610", false, 900}, {"sn5610", true, 2080}, {"SN5400", false, 670}, {"SN5400", true, 0}, {"SN4700", false, 630}, {"X", false, 0}} {
		if got, ok := switchDefault(c.name, c.optical); got != c.want || ok != (c.want > 0) {
			t.Errorf("%s, optical %t: %g %t", c.name, c.optical, got, ok)
		}
	}
}

func TestSourcedFigures(t *testing.T) {
	for text, fits := range map[string]bool{
		`{"value_w": 1, "source_type": "vendor_spec", "source": "https://e.com"}`:                true,
		`{"value_w": "1", "source_type": "publication", "source": "http://e"}`:                   true,
		`{"value_w": 1, "value_kw": 1, "source_type": "vendor_spec", "source": "https://e.com"}`: false,
		`{"source_type": "vendor_spec", "source": "https://e.com"}`:                              false,
		`{"value_w": -1, "source_type": "vendor_spec", "source": "https://e.com"}`:               false,
		`{"value_w": NaN, "source_type": "vendor_spec", "source": "https://e.com"}`:              false,
		`{"value_w": 1, "source_type": "submitter", "source": "https://e.com"}`:                  false,
		`{"value_w": 1, "source_type": "vendor_spec", "source": "www.e.com"}`:                    false,
		`{"value_w": 1, "source_type": "vendor_spec", "source": ""}`:                             false,
		`{"value_w": 1, "source_type": "mlc_default", "source": "D.4"}`:                          true,
		`{"value_w": 1, "source_type": "mlc_default", "source": "D.9"}`:                          false,
		`{"value_w": 1, "source_type": "vendor_spec", "source": "https://e.com", "note": "x"}`:   false,
		`350`: false,
	} {
		v, err := lax.JSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if faults := sourced().Faults(v); (len(faults) == 0) != fits {
			t.Errorf("%s: %v", text, faults)
		}
	}
}
