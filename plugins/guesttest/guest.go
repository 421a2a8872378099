package guesttest

// ReplyAt is where the replies of a Guest that answers from data lie.
const ReplyAt = 1024

// requestAt is where a Guest's alloc puts requests; it grows the memory up to the request's end.
const requestAt = 1 << 20

// Guest is a plugin of ABI version 1. Its invoke has the parameters method (0), ptr (1) and len (2) and gives a packed
// reply.
type Guest struct {
	Imports []Import
	Invoke  []byte
	Locals  string // of invoke, from number 3 on
	Funcs   []Func // further ones, numbered from FuncBase on
	Globals []int32
	Data    []Data
	Pages   [2]int // of memory; zero: 17 and no most
	Start   bool   // Funcs[0] is the start function

	Manifest  string // JSON; empty: there is none
	Manifests int    // how often it is there; 0 means once
	Mutate    func(*Module)
}

// FuncBase is the number of the first of Funcs.
func (g Guest) FuncBase() int { return len(g.Imports) + 3 }

// Packed gives the constant packed reply for size bytes at ReplyAt.
func Packed(size int) []byte { return Const64(ReplyAt<<32 | int64(size)) }

// Pack packs the address and the length that lie on the stack as i32 values in locals ptr and size.
func Pack(ptr, size int) []byte {
	return Code(Get(ptr), Extend(), Const64(32), Shl64(), Get(size), Extend(), Or64())
}

// Bytes assembles the plugin.
func (g Guest) Bytes() []byte {
	if g.Pages == [2]int{} {
		g.Pages = [2]int{17, -1}
	}
	m := Module{Imports: g.Imports, Memories: [][2]int{g.Pages}, Globals: g.Globals, Data: g.Data}
	m.Funcs = append([]Func{
		{Export: "paceline_v1_alloc", Params: I32, Results: I32, Body: alloc()},
		{Export: "paceline_v1_free", Params: I32 + I32},
		{Export: "paceline_v1_invoke", Params: I32 + I32 + I32, Results: I64, Locals: g.Locals, Body: g.Invoke},
	}, g.Funcs...)
	if g.Start {
		m.Start = g.FuncBase() + 1
	}
	if g.Manifest != "" {
		for range max(g.Manifests, 1) {
			m.Customs = append(m.Customs, Custom{Name: "paceline.manifest", Data: []byte(g.Manifest)})
		}
	}
	if g.Mutate != nil {
		g.Mutate(&m)
	}
	return m.Bytes()
}

// alloc gives requestAt, after growing the memory so that the request fits; 0 where it does not grow.
func alloc() []byte {
	return Code(
		// n := (requestAt + n + 65535) >> 16 - memory.size
		Get(0), Const(requestAt+65535), Add(), Const(16), []byte{0x76}, MemorySize(), Sub(), Set(0),
		// if n > 0 (signed) and memory.grow(n) == -1: return 0
		Get(0), Const(0), []byte{0x4a}, If(Get(0), MemoryGrow(), Const(-1), Eq(), If(Const(0), Return())),
		Const(requestAt),
	)
}

// Manifest is a manifest with one component of that kind and name.
func Manifest(name, kind, component, purity string) string {
	return `{"schema":"paceline/manifest/v1","name":"` + name + `","version":"1.0.0","contract":1,"license":"Apache-2.0",` +
		`"components":[{"kind":"` + kind + `","name":"` + component + `","purity":"` + purity + `"}]}`
}
