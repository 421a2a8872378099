package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// memory tells how much there is and, where the tool may be asked, what modules it consists of.
func (a *asker) memory() {
	n := &a.facts.Node
	kib, _, _ := strings.Cut(field(a.read("proc/meminfo"), "MemTotal"), " ")
	if v, err := strconv.ParseUint(kib, 10, 50); err == nil {
		n.Memory = size(v<<10, 1024)
	} else {
		a.gap("host_memory_capacity", "/proc/meminfo does not tell it")
	}
	modules, capacity := memoryModules(a.tool("dmidecode", "-t", "17"))
	if modules == "" {
		a.gap("host_memory_configuration", "`dmidecode -t 17` tells no modules: it wants root, and virtual machines have none")
		return
	}
	n.MemoryConfig, n.Memory = modules, size(capacity, 1024) // the kernel keeps a part of it for itself
}

// memoryModules reads dmidecode's list of memory devices: "16x 64 GB DDR5-5600", and their capacity in bytes.
func memoryModules(text string) (modules string, capacity uint64) {
	var c counter
	for _, device := range strings.Split(text, "Memory Device")[1:] {
		bytes := moduleSize(field(device, "Size"))
		if bytes == 0 {
			continue // an empty socket
		}
		speed, _, _ := strings.Cut(field(device, "Speed"), " ")
		name := size(bytes, 1024) + " " + field(device, "Type")
		if digits(speed) {
			name += "-" + speed
		}
		c.add(name)
		capacity += bytes
	}
	return c.String(), capacity
}

// moduleSize is "64 GB" or "65536 MB" in bytes, 0 for anything else.
func moduleSize(text string) uint64 {
	number, unit, _ := strings.Cut(text, " ")
	shift, known := map[string]uint{"KB": 10, "MB": 20, "GB": 30, "TB": 40}[unit]
	v, err := strconv.ParseUint(number, 10, 20)
	if err != nil || !known {
		return 0
	}
	return v << shift
}

// counter counts equal things in the order in which they first come.
type counter struct {
	names  []string
	counts map[string]int
}

func (c *counter) add(name string) {
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	if c.counts[name]++; c.counts[name] == 1 {
		c.names = append(c.names, name)
	}
}

// String is "2x A, 1x B".
func (c *counter) String() string {
	parts := make([]string, len(c.names))
	for i, name := range c.names {
		parts[i] = fmt.Sprintf("%dx %s", c.counts[name], name)
	}
	return strings.Join(parts, ", ")
}
