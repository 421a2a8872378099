package cgen

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

func (c *contract) types(b *bytes.Buffer) {
	b.WriteString("// The messages of the plugin contract, version 1, as C structs. A list has its number of elements in a second member\n" +
		"// NAME_len, an optional number says in has_NAME whether it is there, and an optional message is a pointer, NULL where it\n" +
		"// is absent. Of the members of a oneof at most one is set, bytes being set when their ptr is not NULL; where several are\n" +
		"// set, the one with the lowest number is sent. A struct of zeros is an empty message.\n\n")
	b.WriteString("#ifndef PACELINE_CONTRACT_H\n#define PACELINE_CONTRACT_H\n\n")
	b.WriteString("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n#include \"paceline/text.h\"\n\n")
	b.WriteString("// The version of the contract that this header has.\n#define PL_CONTRACT_VERSION 1\n")
	for _, e := range c.Enums {
		emitEnum(b, e)
	}
	b.WriteString("\n")
	for _, m := range c.Messages {
		fmt.Fprintf(b, "typedef struct %s %s;\n", typeName(m), typeName(m))
	}
	for _, m := range c.Messages {
		emitStruct(b, m)
	}
	b.WriteString("\n#endif\n")
}

func emitEnum(b *bytes.Buffer, e protoreflect.EnumDescriptor) {
	emitDoc(b, e, "enum")
	fmt.Fprintf(b, "typedef int32_t %s;\nenum {\n", typeName(e))
	for i := range e.Values().Len() {
		v := e.Values().Get(i)
		fmt.Fprintf(b, "\t%s = %d,", constName(v), v.Number())
		emitTrailing(b, v)
		b.WriteString("\n")
	}
	b.WriteString("};\n")
}

func emitStruct(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	emitDoc(b, m, "message")
	fmt.Fprintf(b, "struct %s {\n", typeName(m))
	for _, f := range declared.Fields(m) {
		s, _ := shapeOf(f)
		for _, line := range comment(location(f).LeadingComments) {
			b.WriteString("\t// " + line + "\n")
		}
		if s.extra == "has" {
			fmt.Fprintf(b, "\tbool %s;\n", s.second(f))
		}
		fmt.Fprintf(b, "\t%s%s;", s.cType, memberName(f))
		emitTrailing(b, f)
		b.WriteString("\n")
		if s.extra == "len" {
			fmt.Fprintf(b, "\tsize_t %s;\n", s.second(f))
		}
	}
	if m.Fields().Len() == 0 {
		b.WriteString("\tchar nothing; // C has no empty structs\n")
	}
	b.WriteString("};\n")
}

func layoutName(m protoreflect.MessageDescriptor) string {
	return "pl_layout_" + strings.TrimPrefix(typeName(m), "pl_")
}

func (c *contract) declarations(b *bytes.Buffer) {
	b.WriteString("#ifndef PACELINE_TABLES_GEN_H\n#define PACELINE_TABLES_GEN_H\n\n#include \"codec.h\"\n\n")
	b.WriteString("// The table of each message.\n")
	for _, m := range c.Messages {
		fmt.Fprintf(b, "extern const pl_layout %s;\n", layoutName(m))
	}
	b.WriteString("\n// Every message, for tests: X(layout, type).\n#define PL_EVERY_MESSAGE(X)")
	for _, m := range c.Messages {
		fmt.Fprintf(b, " \\\n\tX(%s, %s)", layoutName(m), typeName(m))
	}
	b.WriteString("\n\n#endif\n")
}

func (c *contract) tables(b *bytes.Buffer) {
	b.WriteString("#include \"tables_gen.h\"\n\n#include \"paceline/contract.h\"\n")
	for _, m := range c.Messages {
		list := declared.Fields(m)
		if len(list) > 0 {
			fmt.Fprintf(b, "\nstatic const pl_field %s_fields[] = {\n", snake(string(m.Name())))
		}
		for _, f := range list {
			emitField(b, m, f)
		}
		table := "NULL"
		if len(list) > 0 {
			b.WriteString("};\n")
			table = snake(string(m.Name())) + "_fields"
		}
		fmt.Fprintf(b, "const pl_layout %s = {\"%s\", %s, %d, sizeof(%s)};\n", layoutName(m), m.Name(), table, len(list), typeName(m))
	}
}

func emitField(b *bytes.Buffer, m protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) {
	s, _ := shapeOf(f)
	second, sub, one := "0", "NULL", 0
	if name := s.second(f); name != "" {
		second = fmt.Sprintf("offsetof(%s, %s)", typeName(m), name)
	}
	if f.Message() != nil {
		sub = "&" + layoutName(f.Message())
	}
	if declared.OneofOf(f) != nil {
		one = 1
	}
	fmt.Fprintf(b, "\t{%d, PL_FORM_%s, %d, offsetof(%s, %s), %s, %s},\n", f.Number(), s.form, one, typeName(m), memberName(f), second, sub)
}

// emitDoc writes the comment of a declaration.
func emitDoc(b *bytes.Buffer, d protoreflect.Descriptor, what string) {
	name := strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())+".")
	fmt.Fprintf(b, "\n// %s %s.\n", strings.ToUpper(what[:1])+what[1:], name)
	for _, line := range comment(location(d).LeadingComments) {
		b.WriteString("// " + line + "\n")
	}
}

func location(d protoreflect.Descriptor) protoreflect.SourceLocation {
	return d.ParentFile().SourceLocations().ByDescriptor(d)
}

// comment splits a comment into its lines. A backslash at a line's end would continue it in C.
func comment(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(lines[i], " "), "\\ ")
	}
	return lines
}

func emitTrailing(b *bytes.Buffer, d protoreflect.Descriptor) {
	if lines := comment(location(d).TrailingComments); len(lines) > 0 {
		b.WriteString(" // " + strings.Join(lines, " "))
	}
}
