package rust

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

func (c *contract) codec(b *bytes.Buffer) {
	b.WriteString("use super::types::*;\nuse super::{Codec, DecodeError, Field, Sink};\n")
	for _, m := range c.Messages {
		fmt.Fprintf(b, "\nimpl Codec for %s {\n    const NAME: &'static str = %q;\n\n", m.Name(), m.Name())
		if m.Fields().Len() == 0 {
			b.WriteString("    fn write(&self, _: &mut Sink<'_>) {}\n\n")
			b.WriteString("    fn set(&mut self, _: &Field<'_>) -> Result<(), DecodeError> {\n        Ok(())\n    }\n}\n")
			continue
		}
		emitWrite(b, m)
		emitSet(b, m)
		b.WriteString("}\n")
	}
}

// passedByValue are the methods of Sink that take a copy.
func passedByValue(method string) bool {
	switch method {
	case "u32", "u64", "s64", "bool", "value", "opt_u32", "opt_u64", "opt_s64":
		return true
	}
	return false
}

func emitWrite(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	b.WriteString("    fn write(&self, to: &mut Sink<'_>) {\n")
	for _, f := range declared.Fields(m) {
		s, _ := shapeOf(f)
		switch {
		case declared.OneofOf(f) != nil:
			o := declared.OneofOf(f)
			fmt.Fprintf(b, "        if let Some(%s::%s(v)) = &self.%s {\n            to.present_%s(%d, v);\n        }\n",
				oneofName(o), camel(string(f.Name())), fieldName(o), s.method, f.Number())
		case passedByValue(s.method):
			fmt.Fprintf(b, "        to.%s(%d, self.%s);\n", s.method, f.Number(), fieldName(f))
		default:
			fmt.Fprintf(b, "        to.%s(%d, &self.%s);\n", s.method, f.Number(), fieldName(f))
		}
	}
	b.WriteString("    }\n\n")
}

func emitSet(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	b.WriteString("    fn set(&mut self, f: &Field<'_>) -> Result<(), DecodeError> {\n        match f.number {\n")
	for _, f := range declared.Fields(m) {
		s, _ := shapeOf(f)
		if o := declared.OneofOf(f); o != nil {
			emitMember(b, f, o, s)
			continue
		}
		fmt.Fprintf(b, "            %d => f.%s(&mut self.%s),\n", f.Number(), s.method, fieldName(f))
	}
	b.WriteString("            _ => Ok(()),\n        }\n    }\n")
}

// emitMember writes how a member of a oneof is taken: a message joins the one that is there, anything else replaces.
func emitMember(b *bytes.Buffer, f protoreflect.FieldDescriptor, o protoreflect.OneofDescriptor, s shape) {
	variant := oneofName(o) + "::" + camel(string(f.Name()))
	if f.Message() == nil {
		fmt.Fprintf(b, "            %d => f.member_%s(|v| self.%s = Some(%s(v))),\n", f.Number(), s.method, fieldName(o), variant)
		return
	}
	fmt.Fprintf(b, "            %d if f.is_blob() => {\n                let mut m = match self.%s.take() {\n", f.Number(), fieldName(o))
	fmt.Fprintf(b, "                    Some(%s(m)) => m,\n                    _ => %s::default(),\n                };\n", variant, s.rust)
	fmt.Fprintf(b, "                f.join(&mut m)?;\n                self.%s = Some(%s(m));\n                Ok(())\n            }\n", fieldName(o), variant)
}

// table writes what the program in recode does for each message: read it, write it again.
func (c *contract) table(b *bytes.Buffer) {
	b.WriteString("use paceline::contract::*;\n\n/// Reads a message and writes it again.\ntype Recode = fn(&[u8]) -> Result<Vec<u8>, DecodeError>;\n\n")
	b.WriteString("/// The messages by name.\npub const TABLE: &[(&str, Recode)] = &[\n")
	for _, m := range c.Messages {
		fmt.Fprintf(b, "    (%q, recode::<%s>),\n", m.Name(), m.Name())
	}
	b.WriteString("];\n\nfn recode<M: Codec>(data: &[u8]) -> Result<Vec<u8>, DecodeError> {\n    Ok(M::decode(data)?.encode())\n}\n")
}
