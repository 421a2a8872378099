package provision

import "math"

// Descriptor is system_power.json. A null or an absent part is one that the rules do not ask for by the chosen method.
type Descriptor struct {
	SystemDescID string    `json:"system_desc_id" yaml:"system_desc_id"`
	Cooling      string    `json:"cooling" yaml:"cooling"` // liquid, air
	NodeSets     []NodeSet `json:"node_sets" yaml:"node_sets"`
	ScaleOut     ScaleOut  `json:"scale_out" yaml:"scale_out"`
	Declared     *Sourced  `json:"declared_provisioned_power,omitempty" yaml:"declared_provisioned_power"`
	Computed     *Computed `json:"computed,omitempty" yaml:"-"`
	KW           *float64  `json:"provisioned_power_kw,omitempty" yaml:"-"`
	Estimated    bool      `json:"mlc_estimated_power" yaml:"-"`
	Notes        string    `json:"notes,omitempty" yaml:"notes"`
}

// Sourced is one figure and where it stands in public. Exactly one of the values is set.
type Sourced struct {
	W      *float64 `json:"value_w,omitempty" yaml:"value_w"`
	KW     *float64 `json:"value_kw,omitempty" yaml:"value_kw"`
	PJ     *float64 `json:"value_pj,omitempty" yaml:"value_pj"` // of one bit
	Type   string   `json:"source_type" yaml:"source_type"`     // vendor_spec, publication, public_statement, mlc_default
	Source string   `json:"source" yaml:"source"`               // URL; of a default D.1 to D.4
}

// NodeSet are nodes of one kind.
type NodeSet struct {
	ID         int         `json:"node_set_id" yaml:"node_set_id"`
	Ensemble   int         `json:"system_node_ensemble_id" yaml:"system_node_ensemble_id"`
	Nodes      int         `json:"nodes_provisioned" yaml:"nodes_provisioned"`
	Method     string      `json:"power_method" yaml:"power_method"` // component_sum, published_system, node_scaling
	Components *Components `json:"components,omitempty" yaml:"components"`
	Published  *Sourced    `json:"published_power,omitempty" yaml:"published_power"`
	InRack     int         `json:"nodes_in_published_rack,omitempty" yaml:"nodes_in_published_rack"`
}

// Components are the parts of one node.
type Components struct {
	CPU         *Part    `json:"cpu,omitempty" yaml:"cpu"`
	Accelerator *Part    `json:"accelerator,omitempty" yaml:"accelerator"`
	Combined    *Sourced `json:"combined_cpu_accelerator,omitempty" yaml:"combined_cpu_accelerator"`
	ScaleUp     *ScaleUp `json:"scale_up_network,omitempty" yaml:"scale_up_network"`
}

// Part is one kind of processor of a node.
type Part struct {
	Model string   `json:"model" yaml:"model"`
	Count int      `json:"count_per_node" yaml:"count_per_node"`
	TDP   *Sourced `json:"tdp_per_unit,omitempty" yaml:"tdp_per_unit"`
}

// ScaleUp is the network between the accelerators of one node or rack.
type ScaleUp struct {
	Method    string   `json:"method" yaml:"method"` // none, declared_tdp, bandwidth_estimate
	Switches  int      `json:"switch_count,omitempty" yaml:"switch_count"`
	TDP       *Sourced `json:"tdp_per_switch,omitempty" yaml:"tdp_per_switch"`
	Bandwidth float64  `json:"aggregate_bandwidth_tbps,omitempty" yaml:"aggregate_bandwidth_tbps"` // read as terabytes/s
	PerBit    *Sourced `json:"energy_per_bit_pj,omitempty" yaml:"energy_per_bit_pj"`
}

// ScaleOut is the network between nodes.
type ScaleOut struct {
	Present  bool     `json:"present" yaml:"present"`
	Cabling  string   `json:"cabling,omitempty" yaml:"cabling"` // passive, active_optical
	Required *float64 `json:"required_bandwidth_tbps,omitempty" yaml:"required_bandwidth_tbps"`
	NICs     *NICs    `json:"nics,omitempty" yaml:"nics"`
	Switches []Switch `json:"switches,omitempty" yaml:"switches"`
}

// NICs are the network cards of the nodes.
type NICs struct {
	Count     int      `json:"count_per_node" yaml:"count_per_node"`
	Bandwidth float64  `json:"bandwidth_per_nic_gbps" yaml:"bandwidth_per_nic_gbps"`
	Counted   bool     `json:"counted" yaml:"counted"`
	TDP       *Sourced `json:"tdp_per_nic,omitempty" yaml:"tdp_per_nic"`
	Excluded  string   `json:"excluded_from_published_power,omitempty" yaml:"excluded_from_published_power"`
}

// Switch is one kind of switch between nodes.
type Switch struct {
	Model     string   `json:"model" yaml:"model"`
	Count     int      `json:"count" yaml:"count"`
	Bandwidth float64  `json:"bandwidth_tbps" yaml:"bandwidth_tbps"`
	Power     *Sourced `json:"power_per_switch,omitempty" yaml:"power_per_switch"`
}

// Computed are the totals, in watts.
type Computed struct {
	Major     float64 `json:"major_components_w"`
	Overhead  float64 `json:"overhead_fraction"`
	Other     float64 `json:"other_components_w"`
	Published float64 `json:"published_node_power_w"`
	Switches  float64 `json:"scale_out_switch_power_w"`
	Total     float64 `json:"total_system_power_w"`
}

// two rounds to two decimals, as kilowatts are reported.
func two(kw float64) float64 { return math.Round(kw*100) / 100 }
