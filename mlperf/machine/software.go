package machine

import (
	"strconv"
	"strings"
)

// software tells operating system, kernel, file system of the weights, and what the machine is where it says so.
func (a *asker) software() {
	n := &a.facts.Node
	n.OS = a.operatingSystem()
	if n.OS == "" {
		a.gap("operating_system", "/etc/os-release does not tell it")
	}
	if n.FileSystem = fileSystem(a.read("proc/mounts"), a.Weights); n.FileSystem == "" {
		a.gap("filesystem", "/proc/mounts does not tell it")
	}
	vendor, product := a.read("sys/class/dmi/id/sys_vendor"), a.read("sys/class/dmi/id/product_name")
	n.OtherHardware = strings.TrimSpace(vendor + " " + product)
	if a.exists(".dockerenv") || a.exists("run/.containerenv") {
		n.SoftwareNotes = "asked from inside a container"
	}
}

func (a *asker) operatingSystem() string {
	name := ""
	for line := range strings.Lines(a.read("etc/os-release")) {
		if v, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			name = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	if kernel := a.read("proc/sys/kernel/osrelease"); name != "" && kernel != "" {
		return name + ", Linux " + kernel
	}
	return name
}

// fileSystem is the type of the mount that holds a path: the longest that begins it, of equal ones the last, which hides
// the others.
func fileSystem(mounts, at string) string {
	kind, longest := "", -1
	for line := range strings.Lines(mounts) {
		cells := strings.Fields(line)
		if len(cells) < 3 {
			continue
		}
		point := unescape(cells[1])
		if inside(at, point) && len(point) >= longest {
			kind, longest = cells[2], len(point)
		}
	}
	return kind
}

func inside(at, point string) bool {
	return point == "/" || at == point || strings.HasPrefix(at, point+"/")
}

// unescape undoes the octal escapes of a mount's path.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(v))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
