package lite

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

func (c *contract) codec(b *bytes.Buffer) {
	b.WriteString("package contract\n\nimport \"unsafe\"\n")
	within := map[protoreflect.FullName]bool{} // messages that others hold
	for _, m := range c.Messages {
		for _, f := range declared.Fields(m) {
			if f.Message() != nil {
				within[f.Message().FullName()] = true
			}
		}
	}
	for _, m := range c.Messages {
		emitMethods(b, m)
		emitLayout(b, m, within[m.FullName()])
	}
}

// tableName is the name of a message's table: layoutTurn for Turn.
func tableName(m protoreflect.MessageDescriptor) string { return "layout" + string(m.Name()) }

func emitMethods(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	name, table := m.Name(), tableName(m)
	fmt.Fprintf(b, "\n// EncodedSize returns the number of bytes that AppendTo appends.\n")
	fmt.Fprintf(b, "func (m *%s) EncodedSize() int { return %s.encodedSize(unsafe.Pointer(m)) }\n", name, table)
	fmt.Fprintf(b, "\n// AppendTo appends the canonical bytes of the message to b.\n")
	fmt.Fprintf(b, "func (m *%s) AppendTo(b []byte) []byte { return %s.appendTo(b, unsafe.Pointer(m)) }\n", name, table)
	fmt.Fprintf(b, "\n// Marshal returns the canonical bytes of the message.\n")
	fmt.Fprintf(b, "func (m *%s) Marshal() []byte { return m.AppendTo(make([]byte, 0, m.EncodedSize())) }\n", name)
	fmt.Fprintf(b, "\n// Unmarshal sets the message to what data encodes and keeps references to data.\n")
	fmt.Fprintf(b, "func (m *%s) Unmarshal(data []byte) error {\n*m = %s{}\nreturn %s.unmarshal(unsafe.Pointer(m), data)\n}\n", name, name, table)
}

func emitLayout(b *bytes.Buffer, m protoreflect.MessageDescriptor, within bool) {
	fmt.Fprintf(b, "\nvar %s = layout{name: %q, size: unsafe.Sizeof(%s{})", tableName(m), m.Name(), m.Name())
	if m.Fields().Len() > 0 {
		b.WriteString(", fields: []field{\n")
		for _, f := range declared.Fields(m) {
			s, _ := shapeOf(f)
			sub := "nil"
			if f.Message() != nil {
				sub = "&" + tableName(f.Message())
			}
			fmt.Fprintf(b, "{%d, form%s, %t, unsafe.Offsetof(%s{}.%s), %s},\n", f.Number(), s.form, declared.OneofOf(f) != nil, m.Name(), goName(f.Name()), sub)
		}
		b.WriteString("}")
	}
	if within {
		fmt.Fprintf(b, ", grow: func(list unsafe.Pointer) unsafe.Pointer {\nl := (*[]%s)(list)\n*l = append(*l, %s{})\nreturn unsafe.Pointer(&(*l)[len(*l)-1])\n}", m.Name(), m.Name())
	}
	b.WriteString("}\n")
}
