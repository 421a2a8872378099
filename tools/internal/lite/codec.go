package lite

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

func (c *contract) codec(b *bytes.Buffer) {
	b.WriteString("package contract\n")
	for _, m := range c.messages {
		emitSize(b, m)
		emitAppend(b, m)
		emitDecode(b, m)
	}
}

// oneofOf is the oneof that f is a member of; nil for all other fields.
func oneofOf(f protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o
	}
	return nil
}

func emitSize(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n// EncodedSize returns the number of bytes that AppendTo appends.\nfunc (m *%s) EncodedSize() int {\n", m.Name())
	b.WriteString("n := 0\n")
	eachField(b, m, func(f protoreflect.FieldDescriptor, s shape) {
		name := goName(f.Name())
		switch s.helper {
		case "Present":
			fmt.Fprintf(b, "n += sizeBlob(%d, len(m.%s))\n", f.Number(), name)
		case "Message":
			fmt.Fprintf(b, "if m.%s != nil {\nn += sizeBlob(%d, m.%s.EncodedSize())\n}\n", name, f.Number(), name)
		case "Messages":
			fmt.Fprintf(b, "for i := range m.%s {\nn += sizeBlob(%d, m.%s[i].EncodedSize())\n}\n", name, f.Number(), name)
		default:
			fmt.Fprintf(b, "n += size%s(%d, %s)\n", s.helper, f.Number(), value(f, s))
		}
	})
	b.WriteString("return n\n}\n")
}

func emitAppend(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n// AppendTo appends the canonical bytes of the message to b.\nfunc (m *%s) AppendTo(b []byte) []byte {\n", m.Name())
	eachField(b, m, func(f protoreflect.FieldDescriptor, s shape) {
		name := goName(f.Name())
		switch s.helper {
		case "Present":
			fmt.Fprintf(b, "b = appendBlob(b, %d, m.%s)\n", f.Number(), name)
		case "Message":
			fmt.Fprintf(b, "if m.%s != nil {\nb = m.%s.AppendTo(appendHead(b, %d, m.%s.EncodedSize()))\n}\n", name, name, f.Number(), name)
		case "Messages":
			fmt.Fprintf(b, "for i := range m.%s {\nb = m.%s[i].AppendTo(appendHead(b, %d, m.%s[i].EncodedSize()))\n}\n", name, name, f.Number(), name)
		default:
			fmt.Fprintf(b, "b = append%s(b, %d, %s)\n", s.helper, f.Number(), value(f, s))
		}
	})
	b.WriteString("return b\n}\n")
}

// eachField emits all fields in wire order; members of a oneof become the cases of one switch, so that one is sent at most.
func eachField(b *bytes.Buffer, m protoreflect.MessageDescriptor, emit func(protoreflect.FieldDescriptor, shape)) {
	var open protoreflect.OneofDescriptor
	for f := range fields(m) {
		s, _ := shapeOf(f)
		o := oneofOf(f)
		if open != nil && o != open {
			b.WriteString("}\n")
		}
		if o != nil && o != open {
			b.WriteString("switch {\n")
		}
		if o != nil {
			fmt.Fprintf(b, "case m.%s != nil:\n", goName(f.Name()))
		}
		open = o
		emit(f, s)
	}
	if open != nil {
		b.WriteString("}\n")
	}
}

func value(f protoreflect.FieldDescriptor, s shape) string {
	v := "m." + goName(f.Name())
	if s.cast != "" {
		return s.cast + "(" + v + ")"
	}
	return v
}

func emitDecode(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n// Marshal returns the canonical bytes of the message.\n")
	fmt.Fprintf(b, "func (m *%s) Marshal() []byte { return m.AppendTo(make([]byte, 0, m.EncodedSize())) }\n", m.Name())
	fmt.Fprintf(b, "\n// Unmarshal sets the message to what data encodes and keeps references to data.\n")
	fmt.Fprintf(b, "func (m *%s) Unmarshal(data []byte) error {\n*m = %s{}\nreturn m.merge(data)\n}\n", m.Name(), m.Name())
	fmt.Fprintf(b, "\nfunc (m *%s) merge(data []byte) error {\nd := decoder{name: %q, data: data}\nfor d.next() {\n", m.Name(), m.Name())
	if m.Fields().Len() > 0 {
		b.WriteString("switch d.num {\n")
		for f := range fields(m) {
			s, _ := shapeOf(f)
			fmt.Fprintf(b, "case %d:\n", f.Number())
			emitSet(b, f, s)
		}
		b.WriteString("}\n")
	}
	b.WriteString("}\nreturn d.err\n}\n")
}

// emitSet takes a field; a member of a oneof that is taken clears the others. Messages within messages are decoded by
// direct calls: through an interface, the linker would have to keep both halves of every message's codec.
func emitSet(b *bytes.Buffer, f protoreflect.FieldDescriptor, s shape) {
	name := goName(f.Name())
	switch s.helper {
	case "Message":
		fmt.Fprintf(b, "if d.wire == wireBytes {\nif m.%s == nil {\nm.%s = new(%s)\n}\nd.within(m.%s.merge(d.b))\n", name, name, s.goType[1:], name)
	case "Messages":
		fmt.Fprintf(b, "if d.wire == wireBytes {\nm.%s = append(m.%s, %s{})\nd.within(m.%s[len(m.%s)-1].merge(d.b))\n", name, name, s.goType[2:], name, name)
	default:
		if oneofOf(f) == nil {
			fmt.Fprintf(b, "%s(&d, &m.%s)\n", s.setter, name)
			return
		}
		fmt.Fprintf(b, "if %s(&d, &m.%s) {\n", s.setter, name)
	}
	if o := oneofOf(f); o != nil {
		for i := range o.Fields().Len() {
			if other := o.Fields().Get(i); other.Number() != f.Number() {
				fmt.Fprintf(b, "m.%s = nil\n", goName(other.Name()))
			}
		}
	}
	b.WriteString("}\n")
}
