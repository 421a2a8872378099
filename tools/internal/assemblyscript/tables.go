package assemblyscript

import (
	"bytes"
	"fmt"
)

// tables writes the contract as data for the test driver.
func (c *contract) tables(b *bytes.Buffer) {
	for _, e := range c.enums {
		fmt.Fprintf(b, "\nexport const %s = Object.freeze({\n", e.Name())
		for i := range e.Values().Len() {
			v := e.Values().Get(i)
			fmt.Fprintf(b, "  %s: %d,\n", valueName(v), v.Number())
		}
		b.WriteString("});\n")
	}
	b.WriteString("\n/** The fields of each message by rising number: number, name, form, bits of a number, message, whether absence differs from zero, member of a oneof. */\n")
	b.WriteString("export const messages = Object.freeze({\n")
	for _, m := range c.messages {
		fmt.Fprintf(b, "  %s: [\n", m.Name())
		for _, f := range fields(m) {
			s, _ := shapeOf(f)
			sub, bits := "", 32
			if f.Message() != nil {
				sub = string(f.Message().Name())
			}
			if s.kind == "u64" || s.kind == "i64" {
				bits = 64
			}
			fmt.Fprintf(b, "    [%d, %q, %q, %d, %q, %t, %t],\n", f.Number(), fieldName(f.Name()), s.form, bits, sub, flagged(f), inOneof(f))
		}
		b.WriteString("  ],\n")
	}
	b.WriteString("});\n")
}
