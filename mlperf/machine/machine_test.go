package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"paceline/mlperf/describe"
)

// tree makes a machine's files of "path: text" lines.
func tree(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for path, text := range files {
		root[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// server is a machine with two sockets of two cores with two threads each.
func server() map[string]string {
	files := map[string]string{
		"proc/cpuinfo":                    "processor\t: 0\nmodel name\t: Sample CPU @ 2 GHz\n\nprocessor\t: 1\nmodel name\t: Sample CPU @ 2 GHz\n",
		"proc/meminfo":                    "MemTotal:       1056757192 kB\nMemFree: 1 kB\n",
		"proc/mounts":                     "/dev/a / ext4 rw 0 0\n/dev/b /data xfs rw 0 0\n/dev/c /data/my\\040weights zfs rw 0 0\n/dev/d /database nfs rw 0 0\n",
		"proc/sys/kernel/osrelease":       "6.1.0-sample\n",
		"etc/os-release":                  "NAME=x\nPRETTY_NAME=\"Sample Linux 1\"\n",
		"sys/class/dmi/id/sys_vendor":     "Sample Inc.\n",
		"sys/class/dmi/id/product_name":   "Server 8\n",
		"sys/class/dmi/id/product_serial": "SECRET\n",

		"sys/class/net/lo/type":             "772\n",
		"sys/class/net/eth0/type":           "1\n",
		"sys/class/net/eth0/speed":          "400000\n",
		"sys/class/net/eth0/address":        "00:11:22:33:44:55\n",
		"sys/class/net/eth0/device/uevent":  "DRIVER=mlx5_core\nPCI_ID=1\n",
		"sys/class/net/eth1/type":           "1\n",
		"sys/class/net/eth1/speed":          "400000\n",
		"sys/class/net/eth1/device/uevent":  "DRIVER=mlx5_core\n",
		"sys/class/net/ib0/type":            "32\n",
		"sys/class/net/ib0/speed":           "-1\n",
		"sys/class/net/ib0/device/uevent":   "DRIVER=mlx5_core\n",
		"sys/class/net/docker0/type":        "1\n",
		"sys/block/loop0/size":              "100\n",
		"sys/block/nvme0n1/size":            "7501476528\n",
		"sys/block/nvme0n1/device/model":    "x\n",
		"sys/block/sda/size":                "1953525168\n",
		"sys/block/sda/queue/rotational":    "1\n",
		"sys/block/sda/device/model":        "x\n",
		"sys/block/sdb/size":                "1000\n",
		"sys/block/sdb/removable":           "1\n",
		"sys/block/sdb/device/model":        "x\n",
		"sys/devices/system/cpu/cpufreq/x":  "\n",
		"sys/devices/system/cpu/cpu99/only": "offline\n",
	}
	for cpu := range 8 {
		at := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", cpu)
		files[at+"physical_package_id"] = fmt.Sprint(cpu / 4)
		files[at+"core_id"] = fmt.Sprint(cpu % 4 / 2)
	}
	return files
}

// tools answers for tools by their name and first argument.
func tools(outputs map[string]string) func(context.Context, string, ...string) ([]byte, error) {
	return func(_ context.Context, name string, args ...string) ([]byte, error) {
		call := name + " " + strings.Join(args, " ")
		for begin, out := range outputs {
			if strings.HasPrefix(call, begin) {
				return []byte(out), nil
			}
		}
		return nil, errors.New("not installed")
	}
}

const modules = `Handle 0x1
Memory Device
	Size: 64 GB
	Type: DDR5
	Speed: 5600 MT/s
	Serial Number: SECRET

Memory Device
	Size: No Module Installed

Memory Device
	Size: 65536 MB
	Type: DDR5
	Speed: 5600 MT/s
`

func TestServerWithNVIDIA(t *testing.T) {
	f := Ask(t.Context(), Source{Root: tree(server()), Weights: "/data/my weights/model", Run: tools(map[string]string{
		"dmidecode -t 17":         modules,
		"nvidia-smi --query-gpu=": "NVIDIA H200, 143771, 580.95.05, 5, 16\nNVIDIA H200, 143771, 580.95.05, 5, 16\n",
		"nvidia-smi topo -m":      "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n",
	})})
	want := describe.Node{
		Number: 1, CPU: "Sample CPU @ 2 GHz", CPUs: 2, Cores: 2, VCPUs: 8, Memory: "128 GB", MemoryConfig: "2x 64 GB DDR5-5600",
		Accelerators: []describe.Accelerator{{Model: "NVIDIA H200", PerNode: 2, Memory: "140 GB", Interconnect: "NVLink, 18 links", HostInterconnect: "PCIe Gen5 x16"}},
		Cards:        "2x 400 Gb/s mlx5_core, 1x mlx5_core", Networking: "Ethernet, InfiniBand",
		Storage: "4.8 TB", StorageType: "NVMe SSD, HDD", OtherHardware: "Sample Inc. Server 8",
		Driver: "NVIDIA 580.95.05", OS: "Sample Linux 1, Linux 6.1.0-sample", FileSystem: "zfs",
	}
	if d := cmp.Diff(want, f.Node); d != "" {
		t.Error(d)
	}
	text, err := f.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"SECRET", "00:11", "max_supported", "cooling: "} {
		if strings.Contains(string(text), not) {
			t.Errorf("the file holds %q:\n%s", not, text)
		}
	}
	again, err := describe.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]describe.Node{want}, again.System.Nodes); d != "" {
		t.Error(d)
	}
}

func TestServerWithAMD(t *testing.T) {
	files := server()
	for _, card := range []string{"card0", "card1"} {
		at := "sys/class/drm/" + card + "/device/"
		files[at+"vendor"], files[at+"mem_info_vram_total"] = "0x1002\n", "206141652992\n"
		files[at+"product_name"], files[at+"max_link_speed"], files[at+"max_link_width"] = "AMD Instinct MI300X\n", "32.0 GT/s PCIe\n", "16\n"
	}
	files["sys/class/drm/card0-DP-1/device/vendor"] = "0x1002\n"
	files["sys/module/amdgpu/version"] = "6.12.12\n"
	f := Ask(t.Context(), Source{Root: tree(files), Weights: "/", Run: tools(nil)})
	want := []describe.Accelerator{{Model: "AMD Instinct MI300X", PerNode: 2, Memory: "191 GB", HostInterconnect: "PCIe Gen5 x16"}}
	if d := cmp.Diff(want, f.Node.Accelerators); d != "" {
		t.Error(d)
	}
	if f.Node.Driver != "amdgpu 6.12.12" || f.Node.Memory != "1007 GB" || f.Node.FileSystem != "ext4" {
		t.Errorf("%+v", f.Node)
	}
}

// TestNothingIsGuessed asks a machine that tells nothing: each field that the rules want is named with the reason.
func TestNothingIsGuessed(t *testing.T) {
	f := Ask(t.Context(), Source{Root: tree(map[string]string{"proc/mounts": "x\n"}), Weights: "/", Run: tools(map[string]string{"nvidia-smi": "No devices were found\n"})})
	if d := cmp.Diff(describe.Node{Number: 1}, f.Node); d != "" {
		t.Error(d)
	}
	var fields []string
	for _, g := range f.Gaps {
		fields = append(fields, g.Field)
	}
	want := []string{
		"host_processor_model_name", "host_processors_per_node", "host_memory_capacity", "host_memory_configuration", "accelerator_info", "driver",
		"host_network_card_count", "host_networking", "host_storage_capacity", "host_storage_type", "operating_system", "filesystem",
		"cooling", "inference_backend", "container_link",
	}
	if d := cmp.Diff(want, fields); d != "" {
		t.Error(d)
	}
}

// TestFactsBelowTheTemplate lays the template over the facts, as a submitter does.
func TestFactsBelowTheTemplate(t *testing.T) {
	f := Ask(t.Context(), Source{Root: tree(server()), Weights: "/data", Run: tools(nil)})
	text, err := f.YAML()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	facts, own := filepath.Join(dir, "facts.yaml"), filepath.Join(dir, "system.yaml")
	if err := errors.Join(os.WriteFile(facts, text, 0o600), os.WriteFile(own, describe.Template, 0o600)); err != nil {
		t.Fatal(err)
	}
	d, err := describe.Read(facts, own)
	if err != nil {
		t.Fatal(err)
	}
	if n := d.System.Nodes[0]; n.CPU != "Sample CPU @ 2 GHz" || n.VCPUs != 8 || n.FileSystem != "xfs" {
		t.Errorf("%+v", n)
	}
}

func TestStrangeTextDoesNoHarm(t *testing.T) {
	files := server()
	files["proc/cpuinfo"] = "model name: \x1b[31mred\x07\nx"
	files["sys/class/net/eth0/device/uevent"] = "DRIVER=a: {b\n"
	files["proc/meminfo"] = "MemTotal: 99999999999999999999999 kB"
	f := Ask(t.Context(), Source{Root: tree(files), Weights: "/", Run: tools(map[string]string{"dmidecode": "Memory Device\nSize: 999999999999 TB\n"})})
	if f.Node.CPU != "[31mred" || f.Node.Memory != "" {
		t.Errorf("%+v", f.Node)
	}
	if _, err := f.YAML(); err != nil {
		t.Error(err)
	}
}
