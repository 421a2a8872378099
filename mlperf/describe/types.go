package describe

import "paceline/mlperf/provision"

// Description is the file. Keys are those of the template.
type Description struct {
	Organization   string                `yaml:"organization"`
	Submission     string                `yaml:"submission"`
	System         System                `yaml:"system"`
	Power          *provision.Descriptor `yaml:"power"`
	Model          Model                 `yaml:"model"`
	Dataset        Dataset               `yaml:"dataset"`
	Drafter        *Drafter              `yaml:"speculative_decoding"`
	Warmup         Warmup                `yaml:"warmup"`
	NodesUsed      []NodesUsed           `yaml:"nodes_used"`
	DPShortfall    *Shortfall            `yaml:"dp_shortfall"`
	Implementation Implementation        `yaml:"implementation"`
	Points         map[int]Own           `yaml:"points"`
}

// System becomes system_desc.json, in this order.
type System struct {
	Org              string `yaml:"-" json:"submitter_org_names"`
	Contact          string `yaml:"submitter_contact" json:"submitter_contact,omitempty"`
	Division         string `yaml:"division" json:"division"`
	Name             string `yaml:"system_name" json:"system_name"`
	ShortName        string `yaml:"shortened_system_name" json:"shortened_system_name"`
	Category         string `yaml:"system_category" json:"system_category,omitempty"`
	Availability     string `yaml:"system_availability_status" json:"system_availability_status"`
	AvailabilityURL  string `yaml:"availability_url" json:"availability_url,omitempty"`
	AvailabilityDate string `yaml:"target_availability_date" json:"target_availability_date,omitempty"`
	Size             string `yaml:"system_size" json:"system_size"`
	EnsembleCount    int    `yaml:"system_node_ensemble_count" json:"system_node_ensemble_count"`
	EnsembleTotal    int    `yaml:"system_node_ensemble_total" json:"system_node_ensemble_total"`
	Endpoint         string `yaml:"endpoint_url" json:"endpoint_url,omitempty"`
	Framework        string `yaml:"serving_framework" json:"serving_framework,omitempty"`
	MaxConcurrency   int    `yaml:"max_supported_concurrency" json:"max_supported_concurrency"`
	CMinOverride     int    `yaml:"c_min_override" json:"c_min_override,omitempty"`
	Nodes            []Node `yaml:"node_types" json:"node_types"`
	NodeConfig       string `yaml:"node_config" json:"node_config,omitempty"`
	Deployment       `yaml:",inline"`
	Utilization      *float64 `yaml:"-" json:"tps_utilization,omitempty"`
}

// Deployment is what may differ from point to point.
type Deployment struct {
	Disaggregated *bool  `yaml:"disaggregated" json:"disaggregated,omitempty"`
	Expert        int    `yaml:"expert_parallel" json:"expert_parallel,omitempty"`
	Tensor        int    `yaml:"tensor_parallel" json:"tensor_parallel,omitempty"`
	Pipeline      int    `yaml:"pipeline_parallel" json:"pipeline_parallel,omitempty"`
	Data          int    `yaml:"data_parallel" json:"data_parallel,omitempty"`
	Batch         int    `yaml:"batch" json:"batch,omitempty"`
	Summary       string `yaml:"config_summary" json:"config_summary,omitempty"`
	Notes         string `yaml:"config_summary_notes" json:"config_summary_notes,omitempty"`
}

// Own is what a point has of its own.
type Own struct {
	Deployment  `yaml:",inline"`
	NodesUsed   []NodesUsed `yaml:"nodes_used"`
	DPShortfall *Shortfall  `yaml:"dp_shortfall"`
}

// Node is one kind of node.
type Node struct {
	Ensemble      int           `yaml:"system_node_ensemble_id" json:"system_node_ensemble_id"`
	Number        int           `yaml:"number_of_nodes" json:"number_of_nodes"`
	CPU           string        `yaml:"host_processor_model_name" json:"host_processor_model_name"`
	CPUs          int           `yaml:"host_processors_per_node" json:"host_processors_per_node"`
	Cores         int           `yaml:"host_processor_core_count" json:"host_processor_core_count,omitempty"`
	VCPUs         int           `yaml:"host_processor_vcpu_count" json:"host_processor_vcpu_count,omitempty"`
	Memory        string        `yaml:"host_memory_capacity" json:"host_memory_capacity"`
	MemoryConfig  string        `yaml:"host_memory_configuration" json:"host_memory_configuration"`
	Accelerators  []Accelerator `yaml:"accelerator_info" json:"accelerator_info"`
	Cards         string        `yaml:"host_network_card_count" json:"host_network_card_count"`
	Networking    string        `yaml:"host_networking" json:"host_networking"`
	Storage       string        `yaml:"host_storage_capacity" json:"host_storage_capacity"`
	StorageType   string        `yaml:"host_storage_type" json:"host_storage_type"`
	OtherHardware string        `yaml:"other_hardware" json:"other_hardware"`
	Cooling       string        `yaml:"cooling" json:"cooling"`
	HardwareNotes string        `yaml:"hw_notes" json:"hw_notes"`
	Backend       string        `yaml:"inference_backend" json:"inference_backend"`
	Driver        string        `yaml:"driver" json:"driver"`
	OS            string        `yaml:"operating_system" json:"operating_system"`
	FileSystem    string        `yaml:"filesystem" json:"filesystem"`
	Container     string        `yaml:"container_link" json:"container_link"`
	OtherSoftware string        `yaml:"other_software_stack" json:"other_software_stack"`
	SoftwareNotes string        `yaml:"sw_notes" json:"sw_notes"`
}

// Accelerator is one kind of accelerator of a node.
type Accelerator struct {
	Model            string `yaml:"accelerator_model_name" json:"accelerator_model_name"`
	PerNode          int    `yaml:"accelerators_per_node" json:"accelerators_per_node"`
	Memory           string `yaml:"accelerator_memory_capacity" json:"accelerator_memory_capacity"`
	MemoryType       string `yaml:"accelerator_memory_type" json:"accelerator_memory_type"`
	Interconnect     string `yaml:"accelerator_interconnect" json:"accelerator_interconnect"`
	HostInterconnect string `yaml:"accelerator_host_interconnect" json:"accelerator_host_interconnect"`
}

// Model tells which weights were served.
type Model struct {
	Precision      string `yaml:"precision"`
	Link           string `yaml:"link"`
	Transformation string `yaml:"link_to_transformation"`
	Notes          string `yaml:"notes"`
	Revision       string `yaml:"revision"`
}

// Dataset names the data set as the rules do.
type Dataset struct {
	Name string `yaml:"name"`
	Link string `yaml:"link"`
}

// Drafter is the head of speculative decoding.
type Drafter struct {
	ModelID        string         `yaml:"model_id" json:"model_id,omitempty"`
	Algorithm      string         `yaml:"algorithm" json:"algorithm,omitempty"`
	WeightChecksum string         `yaml:"weight_checksum" json:"weight_checksum,omitempty"`
	TargetChecksum string         `yaml:"target_checksum" json:"target_checksum,omitempty"`
	Configuration  map[string]any `yaml:"configuration" json:"configuration,omitempty"`
}

// Warmup is what the target went through before a run, beside the run's own warm-up.
type Warmup struct {
	Source string   `yaml:"data_source"`
	Steps  []string `yaml:"initialization_steps"`
}

// NodesUsed says how many nodes of an ensemble a point uses.
type NodesUsed struct {
	Ensemble int `yaml:"system_node_ensemble_id" json:"system_node_ensemble_id"`
	Nodes    int `yaml:"nodes" json:"nodes"`
}

// Shortfall says why fewer replicas than fit were used.
type Shortfall struct {
	Actual  int    `yaml:"dp_actual" json:"dp_actual"`
	Formula int    `yaml:"dp_formula" json:"dp_formula"`
	Reason  string `yaml:"reason" json:"reason"`
}

// Implementation is the folder src/<name> of the package: how the system was built, started, and a point can be repeated.
type Implementation struct {
	Name   string `yaml:"name"`
	Launch string `yaml:"launch"`
	Notes  string `yaml:"notes"`
}
