package assemblyscript

import (
	"bytes"
	"fmt"

	"paceline/tools/internal/declared"
)

// tables writes the contract as data for the test driver.
func (c *contract) tables(b *bytes.Buffer) {
	for _, e := range c.Enums {
		fmt.Fprintf(b, "\nexport const %s = Object.freeze({\n", e.Name())
		for i := range e.Values().Len() {
			v := e.Values().Get(i)
			fmt.Fprintf(b, "  %s: %d,\n", valueName(v), v.Number())
		}
		b.WriteString("});\n")
	}
	b.WriteString("\n/** The fields of each message by rising number: number, name, form, bits of a number, message, whether absence differs from zero, member of a oneof. */\n")
	b.WriteString("export const messages = Object.freeze({\n")
	for _, m := range c.Messages {
		fmt.Fprintf(b, "  %s: [\n", m.Name())
		for _, f := range declared.Fields(m) {
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

// recode writes a function that reads a message by its name and writes it again.
func (c *contract) recode(b *bytes.Buffer) {
	b.WriteString("\nimport * as codec from \"paceline/contract/codec_gen\";\nimport * as types from \"paceline/contract/types_gen\";\n")
	b.WriteString("import { Reader, Writer } from \"paceline/contract/wire\";\n\n")
	b.WriteString("/** recode reads the message of that name and writes it again; null where the reader says what is wrong. */\n")
	b.WriteString("export function recode(name: string, r: Reader): Uint8Array | null {\n")
	for _, m := range c.Messages {
		fmt.Fprintf(b, "  if (name == \"%[1]s\") {\n    const m = new types.%[1]s();\n    codec.read%[1]s(r, m);\n", m.Name())
		fmt.Fprintf(b, "    if (r.error.length > 0) return null;\n    const out = new Uint8Array(<i32>codec.size%s(m));\n", m.Name())
		fmt.Fprintf(b, "    const w = new Writer(out.dataStart);\n    codec.write%s(w, m);\n", m.Name())
		b.WriteString("    assert(w.at == out.dataStart + out.length, name);\n    return out;\n  }\n")
	}
	b.WriteString("  throw new Error(`no message ${name}`);\n}\n")
}
