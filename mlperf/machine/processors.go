package machine

import (
	"path"
	"strings"
)

// processors counts sockets, physical cores of each and threads of all.
func (a *asker) processors() {
	n := &a.facts.Node
	if n.CPU = a.processorName(); n.CPU == "" {
		a.gap("host_processor_model_name", "neither /proc/cpuinfo nor lscpu tells it")
	}
	const topology = "sys/devices/system/cpu"
	sockets, cores := map[string]bool{}, map[string]bool{}
	for _, cpu := range a.list(topology) {
		number, ok := strings.CutPrefix(cpu, "cpu")
		at := path.Join(topology, cpu, "topology")
		if !ok || !digits(number) || !a.exists(at) {
			continue
		}
		socket := a.read(path.Join(at, "physical_package_id"))
		sockets[socket] = true
		cores[socket+"/"+a.read(path.Join(at, "core_id"))] = true
		n.VCPUs++
	}
	if n.VCPUs == 0 {
		a.gap("host_processors_per_node", "/"+topology+" tells no topology")
		return
	}
	n.CPUs = len(sockets)
	if len(cores)%len(sockets) == 0 {
		n.Cores = len(cores) / len(sockets)
	} else {
		a.gap("host_processor_core_count", "the processors have different numbers of cores")
	}
}

// processorName is what the processor calls itself; arm64 has it in lscpu alone.
func (a *asker) processorName() string {
	if name := field(a.read("proc/cpuinfo"), "model name"); name != "" {
		return name
	}
	return field(a.tool("lscpu"), "Model name")
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
