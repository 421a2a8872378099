package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// network counts the cards that have a device behind them, by speed and driver.
func (a *asker) network() {
	const class = "sys/class/net"
	var cards counter
	var kinds []string
	for _, name := range a.list(class) {
		at := path.Join(class, name)
		if !a.exists(path.Join(at, "device")) {
			continue // loopback, bridges, tunnels
		}
		kind := map[string]string{"1": "Ethernet", "32": "InfiniBand"}[a.read(path.Join(at, "type"))]
		if kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		cards.add(a.card(at))
	}
	n := &a.facts.Node
	if n.Cards = cards.String(); n.Cards == "" {
		a.gap("host_network_card_count", "/"+class+" shows no card")
	}
	if n.Networking = strings.Join(kinds, ", "); n.Networking == "" {
		a.gap("host_networking", "no card tells its kind")
	}
}

// card is a network card's speed and driver; a virtual card tells no speed.
func (a *asker) card(at string) string {
	name := "network card"
	if driver := driverOf(a.read(path.Join(at, "device/uevent"))); driver != "" {
		name = driver
	}
	if mbit, err := strconv.Atoi(a.read(path.Join(at, "speed"))); err == nil && mbit >= 1000 {
		return strconv.Itoa(mbit/1000) + " Gb/s " + name
	}
	return name
}

func driverOf(uevent string) string {
	for line := range strings.Lines(uevent) {
		if driver, ok := strings.CutPrefix(line, "DRIVER="); ok {
			return strings.TrimSpace(driver)
		}
	}
	return ""
}

// storage adds up the disks of the machine and names their kinds.
func (a *asker) storage() {
	const class = "sys/block"
	var total uint64
	var kinds []string
	for _, name := range a.list(class) {
		at := path.Join(class, name)
		sectors, err := strconv.ParseUint(a.read(path.Join(at, "size")), 10, 54)
		if err != nil || sectors == 0 || !a.exists(path.Join(at, "device")) || a.read(path.Join(at, "removable")) == "1" {
			continue // what the kernel makes itself, empty drives, sticks
		}
		total += sectors * 512
		if kind := a.disk(name, at); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	n := &a.facts.Node
	if total == 0 {
		a.gap("host_storage_capacity", "/"+class+" shows no disk")
		a.gap("host_storage_type", "/"+class+" shows no disk")
		return
	}
	n.Storage, n.StorageType = size(total, 1000), strings.Join(kinds, ", ")
}

func (a *asker) disk(name, at string) string {
	switch {
	case strings.HasPrefix(name, "nvme"):
		return "NVMe SSD"
	case strings.HasPrefix(name, "vd") || strings.HasPrefix(name, "xvd"):
		return "virtual disk"
	case a.read(path.Join(at, "queue/rotational")) == "1":
		return "HDD"
	}
	return "SSD"
}
