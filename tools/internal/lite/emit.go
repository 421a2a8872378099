package lite

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

func (c *contract) types(b *bytes.Buffer) {
	b.WriteString("package contract\n")
	for _, e := range c.Enums {
		emitEnum(b, e)
	}
	for _, m := range c.Messages {
		emitStruct(b, m)
	}
}

func emitEnum(b *bytes.Buffer, e protoreflect.EnumDescriptor) {
	emitDoc(b, e, "enum")
	fmt.Fprintf(b, "\ntype %s int32\n\n// Values of %s.\nconst (\n", e.Name(), e.Name())
	for i := range e.Values().Len() {
		v := e.Values().Get(i)
		fmt.Fprintf(b, "%s %s = %d", constName(v), e.Name(), v.Number())
		emitTrailing(b, v)
		b.WriteString("\n")
	}
	b.WriteString(")\n")
}

func emitStruct(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	emitDoc(b, m, "message")
	fmt.Fprintf(b, "\ntype %s struct {\n", m.Name())
	for _, f := range declared.Fields(m) {
		s, _ := shapeOf(f)
		if len(comment(leading(f))) > 0 {
			b.WriteString("// ")
			emitComment(b, f, "", "\n// ")
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%s %s", goName(f.Name()), s.goType)
		emitTrailing(b, f)
		b.WriteString("\n")
	}
	b.WriteString("}\n")
}

// emitDoc writes the comment of a declaration, beginning with its name as Go's comments do.
func emitDoc(b *bytes.Buffer, d protoreflect.Descriptor, what string) {
	if strings.HasPrefix(leading(d), " "+string(d.Name())+" ") {
		b.WriteString("\n// ")
		emitComment(b, d, "", "\n// ")
		return
	}
	fmt.Fprintf(b, "\n// %s is the contract's %s %s.", d.Name(), what, local(d))
	emitComment(b, d, "\n//\n// ", "\n// ")
}

// local is the name within the contract's package, with the parent of what is nested.
func local(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())+".")
}

func location(d protoreflect.Descriptor) protoreflect.SourceLocation {
	return d.ParentFile().SourceLocations().ByDescriptor(d)
}

func leading(d protoreflect.Descriptor) string { return location(d).LeadingComments }

func comment(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], " ")
	}
	return lines
}

func emitComment(b *bytes.Buffer, d protoreflect.Descriptor, first, next string) {
	for i, line := range comment(leading(d)) {
		if i == 0 {
			b.WriteString(first)
		} else {
			b.WriteString(next)
		}
		b.WriteString(line)
	}
}

func emitTrailing(b *bytes.Buffer, d protoreflect.Descriptor) {
	if lines := comment(location(d).TrailingComments); len(lines) > 0 {
		b.WriteString(" // " + strings.Join(lines, " "))
	}
}

// aliased are the enums and messages that authors name; the rest belongs to the machinery, or package sdk has a form of
// its own for it.
func aliased(name string) bool {
	switch name {
	case "Method", "Component", "Input":
		return false
	case "NextResponse", "CheckInputsResponse", "ConcludeRequest", "ConcludeCheckResponse", "ConcludeScoreResponse",
		"EvaluateRequest", "EvaluateResponse":
		return true
	}
	return !strings.HasSuffix(name, "Request") && !strings.HasSuffix(name, "Response")
}

func (c *contract) aliases(b *bytes.Buffer) {
	b.WriteString("package sdk\n\nimport \"paceline/sdk/contract\"\n\n")
	b.WriteString("// Messages and enums of the contract under the names by which authors use them.\ntype (\n")
	for _, e := range c.Enums {
		if aliased(string(e.Name())) {
			fmt.Fprintf(b, "%s = contract.%s\n", e.Name(), e.Name())
		}
	}
	for _, m := range c.Messages {
		if aliased(string(m.Name())) {
			fmt.Fprintf(b, "%s = contract.%s\n", m.Name(), m.Name())
		}
	}
	b.WriteString(")\n\n// Values of the contract's enums.\nconst (\n")
	for _, e := range c.Enums {
		for i := range e.Values().Len() {
			if v := e.Values().Get(i); aliased(string(e.Name())) && v.Number() != 0 {
				fmt.Fprintf(b, "%s = contract.%s\n", constName(v), constName(v))
			}
		}
	}
	b.WriteString(")\n")
}

func (c *contract) table(b *bytes.Buffer) {
	b.WriteString("package pluginv1_test\n\nimport (\n\"google.golang.org/protobuf/proto\"\n\n")
	b.WriteString("\"paceline/schemas/gen/pluginv1\"\n\"paceline/sdk/contract\"\n)\n\n")
	b.WriteString("// pairs has an empty value of each message in both forms.\nvar pairs = []struct {\n")
	b.WriteString("full func() proto.Message\nlite func() liteMessage\n}{\n")
	for _, m := range c.Messages {
		goFull := strings.ReplaceAll(local(m), ".", "_")
		fmt.Fprintf(b, "{func() proto.Message { return new(pluginv1.%s) }, func() liteMessage { return new(contract.%s) }},\n", goFull, m.Name())
	}
	b.WriteString("}\n")
}
