package wasmabi

import "strings"

// The value types that the ABI uses, as the binary format numbers them.
const (
	I32 = 0x7f
	I64 = 0x7e
	F32 = 0x7d
	F64 = 0x7c
)

// ExternKind tells what an import or export is, as the binary format numbers it.
type ExternKind byte

// The kinds of imports and exports.
const (
	ExternFunc   ExternKind = 0
	ExternTable  ExternKind = 1
	ExternMemory ExternKind = 2
	ExternGlobal ExternKind = 3
)

// String gives the word that texts for people use.
func (k ExternKind) String() string {
	switch k {
	case ExternFunc:
		return "function"
	case ExternTable:
		return "table"
	case ExternMemory:
		return "memory"
	case ExternGlobal:
		return "global"
	}
	return "thing of an unknown kind"
}

// FuncType is the signature of a function: value types as the binary format numbers them.
type FuncType struct {
	Params, Results string
}

// String shows a signature as (i32, i32) -> i64.
func (t FuncType) String() string {
	return "(" + typeNames(t.Params) + ") -> " + orNothing(typeNames(t.Results))
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func typeNames(types string) string {
	names := make([]string, len(types))
	for i := range len(types) {
		switch types[i] {
		case I32:
			names[i] = "i32"
		case I64:
			names[i] = "i64"
		case F32:
			names[i] = "f32"
		case F64:
			names[i] = "f64"
		default:
			names[i] = "other"
		}
	}
	return strings.Join(names, ", ")
}

// Import is one thing that a module wants from its host.
type Import struct {
	Module, Name string
	Kind         ExternKind
	Func         FuncType // for functions
}

// Export is one thing that a module offers.
type Export struct {
	Name string
	Kind ExternKind
	Func FuncType // for functions
	// Constant holds the value that a function without parameters returns, where its body is that constant alone;
	// HasConstant tells whether this is so. It makes a version function readable without running it.
	Constant    int32
	HasConstant bool
}

// Memory is one linear memory: imported or the module's own. Sizes are in pages of 64 KiB.
type Memory struct {
	Min, Max uint64
	HasMax   bool
	Shared   bool
	Imported bool
}

// Custom is one custom section. Data shares the file's bytes.
type Custom struct {
	Name string
	Data []byte
}

// File is the outside of one core module.
type File struct {
	Imports  []Import
	Exports  []Export
	Memories []Memory
	Customs  []Custom
	Start    bool // a start section is present
	FuncNum  int  // functions with a body
}

// Sections gives the data of every custom section with that name, in file order.
func (f *File) Sections(name string) [][]byte {
	var out [][]byte
	for _, c := range f.Customs {
		if c.Name == name {
			out = append(out, c.Data)
		}
	}
	return out
}

// Export finds an export by its name.
func (f *File) Export(name string) (Export, bool) {
	for _, e := range f.Exports {
		if e.Name == name {
			return e, true
		}
	}
	return Export{}, false
}

// AppendCustom adds one custom section at the end of a module's bytes and returns the new bytes.
func AppendCustom(module []byte, name string, data []byte) []byte {
	body := appendU32(nil, uint32(len(name)))
	body = append(body, name...)
	body = append(body, data...)
	out := append(make([]byte, 0, len(module)+len(body)+8), module...)
	out = append(out, 0)
	out = appendU32(out, uint32(len(body)))
	return append(out, body...)
}

// appendU32 writes v in LEB128.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
