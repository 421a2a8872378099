package machine

import (
	"path"
	"strconv"
	"strings"

	"paceline/mlperf/describe"
)

// accelerators asks NVIDIA's tool and the files of the amdgpu driver.
func (a *asker) accelerators() {
	n := &a.facts.Node
	n.Accelerators, n.Driver = a.nvidia()
	if len(n.Accelerators) == 0 {
		n.Accelerators, n.Driver = a.amd()
	}
	if len(n.Accelerators) == 0 {
		a.gap("accelerator_info", "neither nvidia-smi nor the amdgpu driver tells of any")
		a.gap("driver", "no accelerator told its driver")
		return
	}
	a.gap("accelerator_info.accelerator_memory_type", "drivers do not tell it")
	for _, x := range n.Accelerators {
		if x.Interconnect == "" && x.PerNode > 1 {
			a.gap("accelerator_info.accelerator_interconnect", "no link between "+x.Model+" was told")
		}
	}
	if n.Driver == "" {
		a.gap("driver", "the driver does not tell its version")
	}
}

// nvidia reads nvidia-smi's table: name, memory in MiB, version of the driver, generation and width of the host's link.
func (a *asker) nvidia() (list []describe.Accelerator, driver string) {
	table := a.tool("nvidia-smi", "--query-gpu=name,memory.total,driver_version,pcie.link.gen.max,pcie.link.width.max", "--format=csv,noheader,nounits")
	links := ""
	if table != "" {
		links = nvlink(a.tool("nvidia-smi", "topo", "-m"))
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), ", ")
		if len(cells) != 5 {
			continue
		}
		x := describe.Accelerator{Model: cells[0], Interconnect: links}
		if mib, err := strconv.ParseUint(cells[1], 10, 40); err == nil {
			x.Memory = size(mib<<20, 1024)
		}
		if digits(cells[3]) && digits(cells[4]) {
			x.HostInterconnect = "PCIe Gen" + cells[3] + " x" + cells[4]
		}
		list, driver = count(list, x), "NVIDIA "+cells[2]
	}
	return list, driver
}

// nvlink reads the matrix of nvidia-smi: NV18 stands for 18 links between two accelerators. Different numbers are not told.
func nvlink(matrix string) string {
	found := ""
	for _, cell := range strings.Fields(matrix) {
		number, ok := strings.CutPrefix(cell, "NV")
		if !ok || !digits(number) {
			continue
		}
		if found != "" && found != number {
			return ""
		}
		found = number
	}
	if found == "" {
		return ""
	}
	return "NVLink, " + found + " links"
}

// amd reads what the amdgpu driver shows of each card.
func (a *asker) amd() (list []describe.Accelerator, driver string) {
	for _, card := range a.list("sys/class/drm") {
		number, ok := strings.CutPrefix(card, "card")
		at := path.Join("sys/class/drm", card, "device")
		if !ok || !digits(number) || a.read(path.Join(at, "vendor")) != "0x1002" {
			continue
		}
		vram, err := strconv.ParseUint(a.read(path.Join(at, "mem_info_vram_total")), 10, 64)
		if err != nil {
			continue
		}
		x := describe.Accelerator{Model: a.read(path.Join(at, "product_name")), Memory: size(vram, 1024), HostInterconnect: a.pcie(at)}
		if x.Model == "" {
			x.Model = "AMD device " + a.read(path.Join(at, "device"))
		}
		list = count(list, x)
	}
	if version := a.read("sys/module/amdgpu/version"); version != "" {
		driver = "amdgpu " + version
	}
	return list, driver
}

// pcie names the link of a device by its speed.
func (a *asker) pcie(at string) string {
	speed, _, _ := strings.Cut(a.read(path.Join(at, "max_link_speed")), " ")
	generation := map[string]string{"2.5": "1", "5.0": "2", "8.0": "3", "16.0": "4", "32.0": "5", "64.0": "6"}[speed]
	width := a.read(path.Join(at, "max_link_width"))
	if generation == "" || !digits(width) {
		return ""
	}
	return "PCIe Gen" + generation + " x" + width
}

// count adds one accelerator to its kind.
func count(list []describe.Accelerator, x describe.Accelerator) []describe.Accelerator {
	for i := range list {
		y := list[i]
		if y.PerNode = 0; y == x {
			list[i].PerNode++
			return list
		}
	}
	x.PerNode = 1
	return append(list, x)
}
