package wasmabi

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// FormatError says why a file is not a core WebAssembly module that can be read.
type FormatError struct {
	Reason string
	Offset int  // where in the file
	Cut    bool // the file ends too early
}

// Error gives the reason and, inside a module, the place.
func (e *FormatError) Error() string {
	if e.Offset == 0 {
		return e.Reason
	}
	return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset)
}

// Section numbers of the binary format that matter here.
const (
	secCustom = 0
	secType   = 1
	secImport = 2
	secFunc   = 3
	secMemory = 5
	secExport = 7
	secStart  = 8
	secCode   = 10
	secMax    = 12
)

// parser holds what later sections refer to.
type parser struct {
	file    File
	types   []FuncType
	funcs   []int // type index of every function, imported ones first
	imports int   // of them imported
	bodies  [][]byte
}

// Parse reads the outside of a module. Its result shares the custom sections' bytes with data. Files of the component
// format, files that end too early and files that are something else each fail with a text of their own.
func Parse(data []byte) (*File, error) {
	if err := checkHeader(data); err != nil {
		return nil, err
	}
	p := parser{}
	r := reader{data: data, pos: 8}
	for r.err == nil && r.left() > 0 {
		p.section(&r)
	}
	if r.err != nil {
		return nil, r.err
	}
	return p.finish()
}

func checkHeader(data []byte) error {
	magic := []byte("\x00asm")
	n := min(len(data), 4)
	switch {
	case len(data) == 0:
		return &FormatError{Reason: "not a WebAssembly module: the file is empty"}
	case !bytes.Equal(data[:n], magic[:n]):
		return &FormatError{Reason: fmt.Sprintf("not a WebAssembly module: the file starts with %q, a module with %q", data[:n], magic)}
	case len(data) < 8:
		return &FormatError{Cut: true, Reason: "the module is cut off inside its header", Offset: len(data)}
	}
	version, layer := binary.LittleEndian.Uint16(data[4:]), binary.LittleEndian.Uint16(data[6:])
	switch {
	case layer == 1:
		return &FormatError{Reason: "a file of the WebAssembly component format, and a plugin is a core module: build it for a core target such as wasm32-wasip1 as a reactor"}
	case version != 1 || layer != 0:
		return &FormatError{Reason: fmt.Sprintf("WebAssembly binary version %d, and version 1 is supported", binary.LittleEndian.Uint32(data[4:]))}
	}
	return nil
}

func (p *parser) section(r *reader) {
	id := r.byte("a section's head")
	size := r.u32("a section's head")
	what := fmt.Sprintf("section %d", id)
	if r.err == nil && id > secMax {
		r.fail("unknown section %d", id)
	}
	s := r.sub(size, what)
	if r.err != nil {
		return
	}
	switch id {
	case secCustom:
		name := s.name(what)
		p.file.Customs = append(p.file.Customs, Custom{Name: name, Data: s.bytes(s.left(), what)})
	case secType:
		p.readTypes(&s)
	case secImport:
		p.readImports(&s)
	case secFunc:
		for n := s.count(what); n > 0 && s.err == nil; n-- {
			p.funcs = append(p.funcs, s.u32(what))
		}
	case secMemory:
		for n := s.count(what); n > 0 && s.err == nil; n-- {
			p.file.Memories = append(p.file.Memories, readMemory(&s))
		}
	case secExport:
		p.readExports(&s)
	case secStart:
		p.file.Start = true
	case secCode:
		for n := s.count(what); n > 0 && s.err == nil; n-- {
			p.bodies = append(p.bodies, s.bytes(s.u32(what), what))
		}
	}
	r.err = s.err
}

func (p *parser) readTypes(s *reader) {
	const what = "the type section"
	for n := s.count(what); n > 0 && s.err == nil; n-- {
		if form := s.byte(what); s.err == nil && form != 0x60 {
			s.fail("a type of form 0x%x, which is no function", form)
		}
		params := s.bytes(s.count(what), what)
		results := s.bytes(s.count(what), what)
		p.types = append(p.types, FuncType{Params: string(params), Results: string(results)})
	}
}

func (p *parser) readImports(s *reader) {
	const what = "the import section"
	for n := s.count(what); n > 0 && s.err == nil; n-- {
		imp := Import{Module: s.name(what), Name: s.name(what), Kind: ExternKind(s.byte(what))}
		switch imp.Kind {
		case ExternFunc:
			index := s.u32(what)
			imp.Func = p.typeAt(index)
			p.funcs = append(p.funcs, index)
			p.imports++
		case ExternTable:
			s.byte(what)
			readLimits(s)
		case ExternMemory:
			m := readMemory(s)
			m.Imported = true
			p.file.Memories = append(p.file.Memories, m)
		case ExternGlobal:
			s.byte(what)
			s.byte(what)
		default:
			s.fail("an import of kind %d", byte(imp.Kind))
		}
		p.file.Imports = append(p.file.Imports, imp)
	}
}

func (p *parser) readExports(s *reader) {
	const what = "the export section"
	for n := s.count(what); n > 0 && s.err == nil; n-- {
		e := Export{Name: s.name(what), Kind: ExternKind(s.byte(what))}
		index := s.u32(what)
		if e.Kind == ExternFunc {
			// The code comes later in the file: keep the index until then.
			e.Constant = int32(index)
		}
		p.file.Exports = append(p.file.Exports, e)
	}
}

// finish resolves what exports refer to and checks that every function has its body.
func (p *parser) finish() (*File, error) {
	p.file.FuncNum = len(p.funcs) - p.imports
	if len(p.bodies) != p.file.FuncNum {
		return nil, &FormatError{Cut: len(p.bodies) < p.file.FuncNum,
			Reason: fmt.Sprintf("the module is cut off or damaged: it declares %d functions and has the code of %d", p.file.FuncNum, len(p.bodies))}
	}
	for i := range p.file.Exports {
		e := &p.file.Exports[i]
		if e.Kind != ExternFunc {
			continue
		}
		index := int(uint32(e.Constant))
		e.Constant = 0
		if index >= len(p.funcs) {
			return nil, &FormatError{Reason: fmt.Sprintf("export %q names function %d of %d", e.Name, index, len(p.funcs))}
		}
		e.Func = p.typeAt(p.funcs[index])
		if index >= p.imports && e.Func == (FuncType{Results: string([]byte{I32})}) {
			e.Constant, e.HasConstant = constantOf(p.bodies[index-p.imports])
		}
	}
	return &p.file, nil
}

func (p *parser) typeAt(i int) FuncType {
	if i < 0 || i >= len(p.types) {
		return FuncType{Params: "?"}
	}
	return p.types[i]
}

// constantOf reads a body that is `i32.const n` alone.
func constantOf(body []byte) (int32, bool) {
	r := reader{data: body}
	if r.u32("a body") != 0 || r.byte("a body") != 0x41 {
		return 0, false
	}
	n := r.int32("a body")
	end := r.byte("a body")
	return n, r.err == nil && end == 0x0b && r.left() == 0
}

func readMemory(s *reader) Memory {
	flags, lo, hi := readLimits(s)
	return Memory{Min: lo, Max: hi, HasMax: flags&1 != 0, Shared: flags&2 != 0}
}

func readLimits(s *reader) (flags byte, lo, hi uint64) {
	flags = s.byte("limits")
	lo = s.uint(64, "limits")
	if flags&1 != 0 {
		hi = s.uint(64, "limits")
	}
	if s.err == nil && flags > 7 {
		s.fail("limits with flags 0x%x", flags)
	}
	return flags, lo, hi
}
