package assemblyscript

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

func (c *contract) types(b *bytes.Buffer) {
	b.WriteString("\nimport { NONE } from \"./wire\";\n")
	for _, e := range c.Enums {
		emitDoc(b, e, "enum")
		fmt.Fprintf(b, "export enum %s {\n", e.Name())
		for i := range e.Values().Len() {
			v := e.Values().Get(i)
			fmt.Fprintf(b, "  %s = %d,%s\n", valueName(v), v.Number(), trailing(v))
		}
		b.WriteString("}\n")
	}
	for _, m := range c.Messages {
		emitClass(b, m)
	}
}

func emitClass(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	emitDoc(b, m, "message")
	fmt.Fprintf(b, "export class %s {\n", m.Name())
	for _, f := range declared.Fields(m) {
		s, _ := shapeOf(f)
		name := fieldName(f.Name())
		if text := strings.Join(comment(f), " "); text != "" {
			fmt.Fprintf(b, "  /** %s */\n", text)
		}
		if !flagged(f) {
			fmt.Fprintf(b, "  %s: %s = %s;%s\n", name, s.kind, s.zero, trailing(f))
			continue
		}
		flag := flagName(f)
		fmt.Fprintf(b, "  private %s_: %s = 0;%s\n", name, s.kind, trailing(f))
		fmt.Fprintf(b, "  /** Whether %s is there: setting it sets this. */\n  %s: bool = false;\n", name, flag)
		fmt.Fprintf(b, "  get %s(): %s {\n    return this.%s_;\n  }\n", name, s.kind, name)
		fmt.Fprintf(b, "  set %s(v: %s) {\n    this.%s_ = v;\n    this.%s = true;\n  }\n", name, s.kind, name, flag)
	}
	b.WriteString("}\n")
}

// emitDoc writes the comment of a declaration.
func emitDoc(b *bytes.Buffer, d protoreflect.Descriptor, what string) {
	lines := comment(d)
	if len(lines) == 0 {
		lines = []string{fmt.Sprintf("%s is the contract's %s %s.", d.Name(), what, local(d))}
	}
	b.WriteString("\n/**\n")
	for _, line := range lines {
		b.WriteString(" * " + line + "\n")
	}
	b.WriteString(" */\n")
}

// local is the name within the contract's package, with the parent of what is nested.
func local(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())+".")
}

func comment(d protoreflect.Descriptor) []string {
	return textLines(d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments)
}

func trailing(d protoreflect.Descriptor) string {
	lines := textLines(d.ParentFile().SourceLocations().ByDescriptor(d).TrailingComments)
	if len(lines) == 0 {
		return ""
	}
	return " // " + strings.Join(lines, " ")
}

func textLines(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimSpace(lines[i]), "*/", "* /")
	}
	return lines
}

// offered are the enums and messages that authors name; the rest belongs to the machinery, or the SDK has a form of its own
// for it.
func offered(name string) bool {
	switch name {
	case "Method", "Component", "Input":
		return false
	case "NextResponse", "CheckInputsResponse", "CheckResponse", "ScoreResponse", "ConcludeRequest", "ConcludeCheckResponse",
		"ConcludeScoreResponse":
		return true
	}
	return !strings.HasSuffix(name, "Request") && !strings.HasSuffix(name, "Response")
}

func (c *contract) names(b *bytes.Buffer) {
	b.WriteString("\n// The contract's enums and messages that authors name.\nexport {\n")
	for _, e := range c.Enums {
		if offered(string(e.Name())) {
			fmt.Fprintf(b, "  %s,\n", e.Name())
		}
	}
	for _, m := range c.Messages {
		if offered(string(m.Name())) {
			fmt.Fprintf(b, "  %s,\n", m.Name())
		}
	}
	b.WriteString("} from \"./contract/types_gen\";\n")
}
