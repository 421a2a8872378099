package assemblyscript

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

func (c *contract) codec(b *bytes.Buffer) {
	b.WriteString("\nimport { Reader, Writer, sizeBlob, sizeNumbers, sizeText, sizeVarint, zigzag, unzigzag } from \"./wire\";\nimport {\n")
	for _, e := range c.Enums {
		if c.used(e) {
			fmt.Fprintf(b, "  %s,\n", e.Name())
		}
	}
	for _, m := range c.Messages {
		fmt.Fprintf(b, "  %s,\n", m.Name())
	}
	b.WriteString("} from \"./types_gen\";\n")
	for _, m := range c.Messages {
		emitSize(b, m)
		emitWrite(b, m)
		emitRead(b, m)
	}
}

// used reports whether a field has that enum as its type.
func (c *contract) used(e protoreflect.EnumDescriptor) bool {
	for _, m := range c.Messages {
		for _, f := range declared.Fields(m) {
			if f.Enum() != nil && f.Enum().FullName() == e.FullName() {
				return true
			}
		}
	}
	return false
}

// tag is the number that goes before a field's value.
func tag(f protoreflect.FieldDescriptor) uint64 {
	s, _ := shapeOf(f)
	return uint64(f.Number())<<3 | uint64(s.wire())
}

// tagSize is the number of bytes of the tag.
func tagSize(f protoreflect.FieldDescriptor) int {
	n := 1
	for v := tag(f); v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

// guard is the condition under which a field is sent; x is its value.
func guard(f protoreflect.FieldDescriptor, x string) string {
	s, _ := shapeOf(f)
	switch {
	case flagged(f):
		return "m." + flagName(f)
	case s.form == formPresent || s.form == formMessage:
		return x + " !== null"
	case s.form == formBool:
		return x
	case s.form == formText || s.form == formBytes || s.form == formNumbers || s.form == formEnums:
		return x + ".length > 0"
	}
	return x + " != 0"
}

// emitFields writes one statement for each field, guarded by what says that the field is sent. Of a oneof the member with the
// lowest number is taken.
func emitFields(b *bytes.Buffer, m protoreflect.MessageDescriptor, each func(f protoreflect.FieldDescriptor, s shape, x string) string) {
	for _, f := range declared.Fields(m) {
		if inOneof(f) {
			b.WriteString("  let taken = false;\n")
			break
		}
	}
	for _, f := range declared.Fields(m) {
		s, _ := shapeOf(f)
		x := fmt.Sprintf("f%d", f.Number())
		fmt.Fprintf(b, "  const %s = m.%s;\n", x, fieldName(f.Name()))
		switch {
		case s.form == formTexts || s.form == formMessages:
			fmt.Fprintf(b, "  for (let i = 0, n = %s.length; i < n; i++) {\n    %s\n  }\n", x, each(f, s, x+"[i]"))
		case inOneof(f):
			fmt.Fprintf(b, "  if (!taken && %s) {\n    %s\n    taken = true;\n  }\n", guard(f, x), each(f, s, x))
		default:
			fmt.Fprintf(b, "  if (%s) %s\n", guard(f, x), each(f, s, x))
		}
	}
}

func emitSize(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n/** size%s is the number of bytes that write%s writes. */\nexport function size%s(m: %s): u64 {\n  let size: u64 = 0;\n",
		m.Name(), m.Name(), m.Name(), m.Name())
	emitFields(b, m, func(f protoreflect.FieldDescriptor, s shape, x string) string {
		value := ""
		switch s.form {
		case formNumber:
			value = "sizeVarint(" + x + ")"
		case formSigned:
			value = "sizeVarint(zigzag(" + x + "))"
		case formBool:
			value = "1"
		case formEnum:
			value = "sizeVarint(<u64>(<i64>" + x + "))"
		case formText, formTexts:
			value = "sizeText(" + x + ")"
		case formBytes, formPresent:
			value = "sizeBlob(<u64>" + x + ".length)"
		case formMessage, formMessages:
			value = fmt.Sprintf("sizeBlob(size%s(%s))", f.Message().Name(), x)
		case formNumbers, formEnums:
			value = "sizeBlob(sizeNumbers(" + x + "))"
		}
		return fmt.Sprintf("size += %d + %s;", tagSize(f), value)
	})
	b.WriteString("  return size;\n}\n")
}

func emitWrite(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n/** write%s writes the canonical bytes of a message. */\nexport function write%s(w: Writer, m: %s): void {\n",
		m.Name(), m.Name(), m.Name())
	emitFields(b, m, func(f protoreflect.FieldDescriptor, s shape, x string) string {
		switch s.form {
		case formNumber:
			return fmt.Sprintf("w.number(%d, %s);", tag(f), x)
		case formSigned:
			return fmt.Sprintf("w.number(%d, zigzag(%s));", tag(f), x)
		case formBool:
			return fmt.Sprintf("w.number(%d, 1);", tag(f))
		case formEnum:
			return fmt.Sprintf("w.number(%d, <u64>(<i64>%s));", tag(f), x)
		case formText, formTexts:
			return fmt.Sprintf("w.text(%d, %s);", tag(f), x)
		case formBytes, formPresent:
			return fmt.Sprintf("w.bytes(%d, %s);", tag(f), x)
		case formNumbers, formEnums:
			return fmt.Sprintf("w.numbers(%d, %s);", tag(f), x)
		}
		name := f.Message().Name()
		return fmt.Sprintf("{ w.head(%d, size%s(%s)); write%s(w, %s); }", tag(f), name, x, name, x)
	})
	b.WriteString("}\n")
}

func emitRead(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n/** read%s takes what the reader has left into a message. */\nexport function read%s(r: Reader, m: %s): void {\n  while (r.next()) {\n",
		m.Name(), m.Name(), m.Name())
	if len(declared.Fields(m)) > 0 {
		b.WriteString("    switch (r.field) {\n")
		for _, f := range declared.Fields(m) {
			emitReadField(b, m, f)
		}
		b.WriteString("    }\n")
	}
	b.WriteString("  }\n}\n")
}

func emitReadField(b *bytes.Buffer, m protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) {
	s, _ := shapeOf(f)
	x := "m." + fieldName(f.Name())
	fmt.Fprintf(b, "      case %d:\n", f.Number())
	switch {
	case s.form == formNumbers || s.form == formEnums:
		fmt.Fprintf(b, "        r.numbers(%s);\n        break;\n", x)
		return
	case s.wire() == 0:
		b.WriteString("        if (!r.isNumber) break;\n")
	default:
		b.WriteString("        if (!r.isBlob) break;\n")
	}
	if inOneof(f) {
		emitClear(b, m, f)
	}
	switch s.form {
	case formNumber:
		fmt.Fprintf(b, "        %s = <%s>r.value;\n", x, s.kind)
	case formSigned:
		fmt.Fprintf(b, "        %s = unzigzag(r.value);\n", x)
	case formBool:
		fmt.Fprintf(b, "        %s = r.value != 0;\n", x)
	case formEnum:
		fmt.Fprintf(b, "        %s = <i32>r.value as %s;\n", x, s.kind)
	case formText:
		fmt.Fprintf(b, "        %s = r.text();\n", x)
	case formTexts:
		fmt.Fprintf(b, "        %s.push(r.text());\n", x)
	case formBytes, formPresent:
		fmt.Fprintf(b, "        %s = r.bytes();\n", x)
	case formMessage, formMessages:
		emitReadMessage(b, f, x, s.form == formMessages)
	}
	b.WriteString("        break;\n")
}

// emitReadMessage reads a message within a message: one that is there already is added to.
func emitReadMessage(b *bytes.Buffer, f protoreflect.FieldDescriptor, x string, list bool) {
	name := f.Message().Name()
	b.WriteString("        {\n")
	if list {
		fmt.Fprintf(b, "          const sub = new %s();\n          %s.push(sub);\n", name, x)
	} else {
		fmt.Fprintf(b, "          let sub = %s;\n          if (sub === null) {\n            sub = new %s();\n            %s = sub;\n          }\n", x, name, x)
	}
	fmt.Fprintf(b, "          const end = r.enter();\n          read%s(r, sub);\n          r.leave(end, %d, \"%s\");\n        }\n", name, f.Number(), name)
}

// emitClear unsets the other members of the oneof that f is one of.
func emitClear(b *bytes.Buffer, m protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) {
	for _, other := range declared.Fields(m) {
		if !inOneof(other) || other.Number() == f.Number() {
			continue
		}
		if flagged(other) {
			fmt.Fprintf(b, "        m.%s = false;\n", flagName(other))
			continue
		}
		fmt.Fprintf(b, "        m.%s = null;\n", fieldName(other.Name()))
	}
}
