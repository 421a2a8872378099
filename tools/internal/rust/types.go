package rust

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

const deriveMessage = "#[derive(Clone, Debug, Default, PartialEq, Eq)]\n"

func (c *contract) types(b *bytes.Buffer) {
	for _, e := range c.Enums {
		emitEnum(b, e)
	}
	for _, m := range c.Messages {
		emitStruct(b, m)
		for _, o := range oneofs(m) {
			emitOneof(b, o)
		}
	}
}

// emitEnum writes an enum as a number with named values, since a number that this side does not know must be kept.
func emitEnum(b *bytes.Buffer, e protoreflect.EnumDescriptor) {
	emitDoc(b, "", e, "The contract's enum "+local(e)+".")
	fmt.Fprintf(b, "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub struct %s(pub i32);\n\n", e.Name())
	fmt.Fprintf(b, "impl %s {\n", e.Name())
	for i := range e.Values().Len() {
		v := e.Values().Get(i)
		emitDoc(b, "    ", v, fmt.Sprintf("Number %d.", v.Number()))
		fmt.Fprintf(b, "    pub const %s: %s = %s(%d);\n", valueName(v), e.Name(), e.Name(), v.Number())
	}
	b.WriteString("\n    /// The value's name in lower case, without that of its enum; empty where this side does not know it.\n")
	b.WriteString("    pub fn name(self) -> &'static str {\n        match self.0 {\n")
	for i := range e.Values().Len() {
		v := e.Values().Get(i)
		fmt.Fprintf(b, "            %d => %q,\n", v.Number(), strings.ToLower(valueName(v)))
	}
	b.WriteString("            _ => \"\",\n        }\n    }\n}\n\n")
	fmt.Fprintf(b, "impl From<i32> for %s {\n    fn from(number: i32) -> Self {\n        %s(number)\n    }\n}\n\n", e.Name(), e.Name())
	fmt.Fprintf(b, "impl From<%s> for i32 {\n    fn from(value: %s) -> i32 {\n        value.0\n    }\n}\n\n", e.Name(), e.Name())
}

func emitStruct(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	emitDoc(b, "", m, "The contract's message "+local(m)+".")
	b.WriteString(deriveMessage)
	fmt.Fprintf(b, "pub struct %s {\n", m.Name())
	done := map[protoreflect.Name]bool{}
	for _, f := range declared.Fields(m) {
		if o := declared.OneofOf(f); o != nil {
			if !done[o.Name()] {
				fmt.Fprintf(b, "    /// At most one of several.\n    pub %s: Option<%s>,\n", fieldName(o), oneofName(o))
			}
			done[o.Name()] = true
			continue
		}
		s, _ := shapeOf(f)
		emitDoc(b, "    ", f, fmt.Sprintf("Field %d.", f.Number()))
		fmt.Fprintf(b, "    pub %s: %s,\n", fieldName(f), s.rust)
	}
	b.WriteString("}\n\n")
}

func emitOneof(b *bytes.Buffer, o protoreflect.OneofDescriptor) {
	fmt.Fprintf(b, "/// What %s.%s holds.\n#[derive(Clone, Debug, PartialEq, Eq)]\npub enum %s {\n", o.Parent().Name(), o.Name(), oneofName(o))
	for i := range o.Fields().Len() {
		f := o.Fields().Get(i)
		s, _ := shapeOf(f)
		emitDoc(b, "    ", f, fmt.Sprintf("Field %d.", f.Number()))
		fmt.Fprintf(b, "    %s(%s),\n", camel(string(f.Name())), s.rust)
	}
	b.WriteString("}\n\n")
}

// emitDoc writes the comments of a declaration as documentation; what has none gets the line for want of a better one.
func emitDoc(b *bytes.Buffer, indent string, d protoreflect.Descriptor, otherwise string) {
	at := d.ParentFile().SourceLocations().ByDescriptor(d)
	lines := append(comment(at.LeadingComments), comment(at.TrailingComments)...)
	if len(lines) == 0 {
		lines = []string{otherwise}
	}
	for _, line := range lines {
		fmt.Fprintln(b, strings.TrimRight(indent+"/// "+line, " "))
	}
}

// comment gives the lines of a comment with those characters escaped that mean something in Markdown.
func comment(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		line = strings.NewReplacer("[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`).Replace(strings.TrimPrefix(line, " "))
		lines[i] = line
	}
	return lines
}

// local is the name within the contract's package, with the parent of what is nested.
func local(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())+".")
}

// forAuthors are the enums and messages that authors name; the rest belongs to the machinery, or the crate has a form of
// its own for it.
func forAuthors(name string) bool {
	switch name {
	case "Method", "Component", "Input", "Target":
		return false
	case "NextResponse", "CheckInputsResponse", "CheckResponse", "ScoreResponse", "ConcludeRequest", "ConcludeCheckResponse", "ConcludeScoreResponse":
		return true
	}
	return !strings.HasSuffix(name, "Request") && !strings.HasSuffix(name, "Response")
}

func (c *contract) authors(b *bytes.Buffer) {
	b.WriteString("pub use super::types::{\n")
	for _, e := range c.Enums {
		if forAuthors(string(e.Name())) {
			fmt.Fprintf(b, "    %s,\n", e.Name())
		}
	}
	for _, m := range c.Messages {
		if !forAuthors(string(m.Name())) {
			continue
		}
		fmt.Fprintf(b, "    %s,\n", m.Name())
		for _, o := range oneofs(m) {
			fmt.Fprintf(b, "    %s,\n", oneofName(o))
		}
	}
	b.WriteString("};\n")
}
