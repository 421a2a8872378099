package wasmabi

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is the ABI version that this package checks, and the only one that is supported.
const Version = 1

// Names of the ABI.
const (
	HostModule      = "paceline_v1"
	WASIModule      = "wasi_snapshot_preview1"
	ManifestSection = "paceline.manifest"

	ExportMemory     = "memory"
	ExportInitialize = "_initialize"
	ExportAlloc      = "paceline_v1_alloc"
	ExportFree       = "paceline_v1_free"
	ExportInvoke     = "paceline_v1_invoke"
)

// PageSize is the size of a page of linear memory in bytes; MaxPages is the most that 32 bits can address.
const (
	PageSize = 64 << 10
	MaxPages = 1 << 16
)

func sig(params, results string) FuncType {
	letters := strings.NewReplacer("i", string([]byte{I32}), "l", string([]byte{I64}))
	return FuncType{Params: letters.Replace(params), Results: letters.Replace(results)}
}

// exportsV1 lists the functions that a plugin must export.
func exportsV1() []Export {
	return []Export{
		{Name: ExportAlloc, Func: sig("i", "i")},
		{Name: ExportFree, Func: sig("ii", "")},
		{Name: ExportInvoke, Func: sig("iii", "l")},
	}
}

// HostImports lists the functions of the host's own module, by name.
func HostImports() map[string]FuncType {
	return map[string]FuncType{
		"log":        sig("iii", ""),
		"input_read": sig("ilii", "l"),
	}
}

// Imports lists the functions that a module of that name may import. The answer is nil for a name that the host does
// not know.
func Imports(module string) map[string]FuncType {
	switch module {
	case HostModule:
		return HostImports()
	case WASIModule:
		return WASIImports()
	}
	return nil
}

// InterfaceError says why a module is no plugin of the supported ABI version.
type InterfaceError struct {
	Reason    string
	Found     string // a version, a signature, a number; empty where there is none
	Supported string
}

// Error gives the reason, what was found and what is supported.
func (e *InterfaceError) Error() string {
	if e.Supported == "" {
		return e.Reason
	}
	return fmt.Sprintf("%s: found %s, supported %s", e.Reason, e.Found, e.Supported)
}

// Rules is what the host asks of one module beside the ABI itself.
type Rules struct {
	// Pure refuses every import but the host's own, as the manifest declares it.
	Pure bool
	// MemoryPages is the limit of the guest's memory; 0 leaves the declared minimum unchecked.
	MemoryPages uint32
}

// Check says whether a module is a plugin of ABI version 1. The version is looked at first, so that a plugin of another
// version is told so and not a list of missing exports. The error is an *InterfaceError.
func Check(f *File, rules Rules) error {
	for _, check := range []func(*File, Rules) error{checkVersion, checkExports, checkMemory, checkSections, checkImports} {
		if err := check(f, rules); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion looks at modules that do not offer version 1; one may offer other versions beside it.
func checkVersion(f *File, _ Rules) error {
	if _, ok := f.Export(ExportInvoke); ok {
		return nil
	}
	supported := strconv.Itoa(Version)
	for _, e := range f.Exports {
		if v, ok := versionOf(e.Name); ok && v != Version {
			return &InterfaceError{Reason: "another version of the plugin interface", Found: strconv.FormatUint(v, 10), Supported: supported}
		}
	}
	if e, ok := f.Export("abi_version"); ok && !(e.HasConstant && e.Constant == Version) {
		found := "one that its function abi_version tells only when run"
		if e.HasConstant {
			found = strconv.Itoa(int(e.Constant))
		}
		return &InterfaceError{Reason: "another version of the plugin interface", Found: found, Supported: supported}
	}
	return nil
}

// versionOf reads the number of an export named paceline_vN_...
func versionOf(name string) (uint64, bool) {
	rest, ok := strings.CutPrefix(name, "paceline_v")
	if !ok {
		return 0, false
	}
	digits, _, ok := strings.Cut(rest, "_")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 10, 32)
	return v, err == nil
}

func checkExports(f *File, _ Rules) error {
	if _, ok := f.Export("_start"); ok {
		return &InterfaceError{Reason: "the module exports _start, so it is a command; a plugin is a reactor (build mode c-shared, or -mexec-model=reactor)"}
	}
	for _, want := range exportsV1() {
		got, ok := f.Export(want.Name)
		switch {
		case !ok:
			return &InterfaceError{Reason: "the module does not export " + want.Name + ", so it is no plugin of interface version 1"}
		case got.Kind != ExternFunc:
			return &InterfaceError{Reason: "export " + want.Name, Found: "a " + got.Kind.String(), Supported: "a function " + want.Func.String()}
		case got.Func != want.Func:
			return &InterfaceError{Reason: "signature of export " + want.Name, Found: got.Func.String(), Supported: want.Func.String()}
		}
	}
	if got, ok := f.Export(ExportInitialize); ok && (got.Kind != ExternFunc || got.Func != (FuncType{})) {
		return &InterfaceError{Reason: "signature of export " + ExportInitialize, Found: got.Kind.String() + " " + got.Func.String(), Supported: FuncType{}.String()}
	}
	return nil
}

func checkMemory(f *File, rules Rules) error {
	if len(f.Memories) != 1 {
		return &InterfaceError{Reason: "number of memories", Found: strconv.Itoa(len(f.Memories)), Supported: "1"}
	}
	m := f.Memories[0]
	e, ok := f.Export(ExportMemory)
	switch {
	case m.Imported:
		return &InterfaceError{Reason: "the module imports its memory; a plugin has its own"}
	case !ok || e.Kind != ExternMemory:
		return &InterfaceError{Reason: "the module does not export its memory under the name memory"}
	case m.Shared:
		return &InterfaceError{Reason: "the module's memory is shared between threads, and threads are not supported"}
	case rules.MemoryPages > 0 && m.Min > uint64(rules.MemoryPages):
		return &InterfaceError{Reason: "the module wants more memory than its limit", Found: strconv.FormatUint(m.Min, 10) + " pages", Supported: strconv.FormatUint(uint64(rules.MemoryPages), 10) + " pages"}
	}
	return nil
}

func checkSections(f *File, _ Rules) error {
	if n := len(f.Sections(ManifestSection)); n != 1 {
		return &InterfaceError{Reason: "number of " + ManifestSection + " sections", Found: strconv.Itoa(n), Supported: "1"}
	}
	return nil
}

func checkImports(f *File, rules Rules) error {
	for _, imp := range f.Imports {
		name := imp.Module + "." + imp.Name
		want, ok := Imports(imp.Module)[imp.Name]
		switch {
		case imp.Kind != ExternFunc:
			return &InterfaceError{Reason: fmt.Sprintf("import %s is a %s; only functions can be imported", name, imp.Kind)}
		case !ok:
			return &InterfaceError{Reason: "the host does not offer the import " + name}
		case imp.Func != want:
			return &InterfaceError{Reason: "signature of import " + name, Found: imp.Func.String(), Supported: want.String()}
		case rules.Pure && imp.Module != HostModule:
			return &InterfaceError{Reason: "the manifest declares the plugin pure, and the module imports " + name}
		}
	}
	return nil
}
