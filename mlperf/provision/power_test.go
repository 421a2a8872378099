package provision

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func watts(w float64) *Sourced {
	return &Sourced{W: &w, Type: "vendor_spec", Source: "https://example.com/spec"}
}

// built is the golden submission's node: two processors of 350 W, eight accelerators of 700 W, two switches of 150 W.
func built() *Descriptor {
	return &Descriptor{SystemDescID: "sample", Cooling: "air", NodeSets: []NodeSet{{
		Nodes: 1, Method: "component_sum", Components: &Components{
			CPU: &Part{"Sample CPU", 2, watts(350)}, Accelerator: &Part{"Sample Accelerator", 8, watts(700)},
			ScaleUp: &ScaleUp{Method: "declared_tdp", Switches: 2, TDP: watts(150)},
		}}}}
}

// TestGolden fills the golden submission's descriptor to the bytes that stand there, but for white space.
func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/system_power.json")
	if err != nil {
		t.Fatal(err)
	}
	var d Descriptor
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	d.Computed, d.KW = nil, nil
	if _, err := d.Fill(); err != nil {
		t.Fatal(err)
	}
	filled, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(filled, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMethods(t *testing.T) {
	kw, pj, ten := 132.0, 5.0, 10.0
	scaled := built()
	scaled.Cooling = "liquid"
	scaled.NodeSets[0].Nodes = 4
	scaled.NodeSets[0].Components.ScaleUp = &ScaleUp{Method: "bandwidth_estimate", Bandwidth: 14.4,
		PerBit: &Sourced{PJ: &pj, Type: "publication", Source: "https://example.com/pj"}}
	scaled.ScaleOut = ScaleOut{Present: true, Cabling: "passive", Required: &ten,
		NICs:     &NICs{Count: 8, Bandwidth: 400, Counted: true, TDP: watts(25)},
		Switches: []Switch{{"switch", 2, 51.2, watts(900)}}}
	rack := &Descriptor{Cooling: "liquid", NodeSets: []NodeSet{{Nodes: 9, Method: "node_scaling", InRack: 18,
		Published: &Sourced{KW: &kw, Type: "vendor_spec", Source: "https://example.com/rack"}}}}
	declared := built()
	declared.NodeSets[0].Nodes = 2
	declared.Declared = &Sourced{KW: &kw, Type: "publication", Source: "https://example.com/all"}
	for _, c := range []struct {
		name      string
		d         *Descriptor
		all, half float64
	}{
		// 700 + 5600 + 576 + 200 = 7076 a node, liquid 1.3, four of them; and 1800 of switches
		{"parts", scaled, 38.6, 19.3},
		{"rack", rack, 66, 66 * 4 / 9.0},
		{"declared", declared, 132, 66},
	} {
		p, err := Compute(c.d)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		used := c.d.NodeSets[0].Nodes / 2
		if got := p.Point(nil); got != c.all || p.KW != c.all {
			t.Errorf("%s: %v and %v, want %v", c.name, got, p.KW, c.all)
		}
		if got := p.Point(map[int]int{0: used}); got != two(c.half) {
			t.Errorf("%s: half is %v, want %v", c.name, got, two(c.half))
		}
	}
}

func TestFaults(t *testing.T) {
	for want, change := range map[string]func(*Descriptor){
		"power.cooling: \"oil\"":                                 func(d *Descriptor) { d.Cooling = "oil" },
		"power.node_sets: want at least one":                     func(d *Descriptor) { d.NodeSets = nil },
		"power.node_sets[0].nodes_provisioned: 0":                func(d *Descriptor) { d.NodeSets[0].Nodes = 0 },
		"power.node_sets[0].power_method: \"guess\"":             func(d *Descriptor) { d.NodeSets[0].Method = "guess" },
		"power.node_sets[0].published_power: is missing":         func(d *Descriptor) { d.NodeSets[0].Method = "published_system" },
		"power.node_sets[0].nodes_in_published_rack: 0":          func(d *Descriptor) { d.NodeSets[0].Method = "node_scaling" },
		"power.node_sets[0].components: is missing":              func(d *Descriptor) { d.NodeSets[0].Components = nil },
		"components.cpu: is missing":                             func(d *Descriptor) { d.NodeSets[0].Components.CPU = nil },
		"accelerator.tdp_per_unit: is missing":                   func(d *Descriptor) { d.NodeSets[0].Components.Accelerator.TDP = nil },
		"cpu.tdp_per_unit.source: \"myself\"; want a public URL": func(d *Descriptor) { d.NodeSets[0].Components.CPU.TDP.Source = "myself" },
		"cpu.tdp_per_unit.source_type: \"own\"":                  func(d *Descriptor) { d.NodeSets[0].Components.CPU.TDP.Type = "own" },
		"cpu.tdp_per_unit: give one of":                          func(d *Descriptor) { d.NodeSets[0].Components.CPU.TDP.W = nil },
		"scale_up_network: is missing":                           func(d *Descriptor) { d.NodeSets[0].Components.ScaleUp = nil },
		"scale_up_network.method: \"\"":                          func(d *Descriptor) { d.NodeSets[0].Components.ScaleUp.Method = "" },
		"power.scale_out: where it is present":                   func(d *Descriptor) { d.ScaleOut.Present = true },
	} {
		d := built()
		change(d)
		if _, err := Compute(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
