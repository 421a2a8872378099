package guesttest

// Value types.
const (
	I32 = "\x7f"
	I64 = "\x7e"
)

// Import is one function that the module wants. Imported functions come first in the numbering.
type Import struct {
	Module, Name    string
	Params, Results string
}

// Func is one function with its body, without the closing end.
type Func struct {
	Export          string // empty: not exported
	Params, Results string
	Locals          string // types of further locals
	Body            []byte
}

// Data is one active data segment.
type Data struct {
	At    int32
	Bytes []byte
}

// Custom is one custom section.
type Custom struct {
	Name string
	Data []byte
}

// Module is a module to be assembled.
type Module struct {
	Imports  []Import
	Funcs    []Func
	Memories [][2]int // least and most pages; most below 0: none named
	Tables   int      // of functions, empty and without a most
	Globals  []int32  // mutable i32 globals
	Start    int      // number of the start function plus 1; 0: none
	Data     []Data
	Customs  []Custom
	NoMemory bool // leave the export of memory 0 out
}

// Bytes assembles the module.
func (m Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	var types, imports, funcs, code [][]byte
	typeOf := func(params, results string) int {
		types = append(types, cat([]byte{0x60}, Name(params), Name(results)))
		return len(types) - 1
	}
	for _, i := range m.Imports {
		imports = append(imports, cat(Name(i.Module), Name(i.Name), []byte{0}, U(typeOf(i.Params, i.Results))))
	}
	exports := [][]byte{}
	for i, f := range m.Funcs {
		funcs = append(funcs, U(typeOf(f.Params, f.Results)))
		if f.Export != "" {
			exports = append(exports, cat(Name(f.Export), []byte{0}, U(len(m.Imports)+i)))
		}
		locals := []byte{}
		for _, l := range f.Locals {
			locals = append(locals, 1, byte(l))
		}
		body := cat(U(len(f.Locals)), locals, f.Body, []byte{0x0b})
		code = append(code, cat(U(len(body)), body))
	}
	if len(m.Memories) > 0 && !m.NoMemory {
		exports = append(exports, cat(Name("memory"), []byte{2, 0}))
	}
	out = append(out, section(1, types)...)
	out = append(out, section(2, imports)...)
	out = append(out, section(3, funcs)...)
	out = append(out, section(4, m.tables())...)
	out = append(out, section(5, m.memories())...)
	out = append(out, section(6, m.globals())...)
	out = append(out, section(7, exports)...)
	if m.Start > 0 {
		start := U(m.Start - 1)
		out = append(out, cat([]byte{8}, U(len(start)), start)...)
	}
	out = append(out, section(10, code)...)
	out = append(out, section(11, m.data())...)
	for _, c := range m.Customs {
		body := cat(Name(c.Name), c.Data)
		out = append(out, cat([]byte{0}, U(len(body)), body)...)
	}
	return out
}

func (m Module) tables() (all [][]byte) {
	for range m.Tables {
		all = append(all, []byte{0x70, 0, 0})
	}
	return all
}

func (m Module) memories() (all [][]byte) {
	for _, mem := range m.Memories {
		if mem[1] < 0 {
			all = append(all, cat([]byte{0}, U(mem[0])))
		} else {
			all = append(all, cat([]byte{1}, U(mem[0]), U(mem[1])))
		}
	}
	return all
}

func (m Module) globals() (all [][]byte) {
	for _, g := range m.Globals {
		all = append(all, cat([]byte{0x7f, 1}, Const(g), []byte{0x0b}))
	}
	return all
}

func (m Module) data() (all [][]byte) {
	for _, d := range m.Data {
		all = append(all, cat([]byte{0}, Const(d.At), []byte{0x0b}, U(len(d.Bytes)), d.Bytes))
	}
	return all
}

func section(id byte, entries [][]byte) []byte {
	if len(entries) == 0 {
		return nil
	}
	body := cat(append([][]byte{U(len(entries))}, entries...)...)
	return cat([]byte{id}, U(len(body)), body)
}

func cat(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// U is an unsigned number in LEB128.
func U(v int) []byte {
	var b []byte
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// Name is a length and the bytes.
func Name(s string) []byte { return cat(U(len(s)), []byte(s)) }

func signed(v int64) []byte {
	var b []byte
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
