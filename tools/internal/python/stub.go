package python

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

const stubHead = `import enum
from collections.abc import Iterable
from typing import Final, Literal

from google.protobuf import message as _message
from google.protobuf.internal import containers as _containers

VERSION: Final = 1
PACKAGE: Final[str]
SERVICES: Final[dict[str, dict[str, tuple[type[_message.Message], type[_message.Message]]]]]
`

// stub has the types and the words of the contract for editors and type checkers.
func (c *contract) stub() []byte {
	var b bytes.Buffer
	b.WriteString(header + moduleDoc + "\n" + stubHead)
	for _, e := range c.Enums {
		c.enum(&b, e)
	}
	for _, m := range c.Messages {
		c.message(&b, m)
	}
	return b.Bytes()
}

func (c *contract) message(b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	fmt.Fprintf(b, "\n\nclass %s(_message.Message):\n", m.Name())
	c.doc(b, m, fmt.Sprintf("The contract's message %s.", m.Name()))
	var parameters, present []string
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		held, given := types(f)
		fmt.Fprintf(b, "    %s: %s\n", f.Name(), held)
		c.doc(b, f, "")
		parameters = append(parameters, fmt.Sprintf("        %s: %s = ...,\n", f.Name(), given))
		if f.HasPresence() {
			present = append(present, fmt.Sprintf("%q", f.Name()))
		}
	}
	if len(parameters) == 0 {
		b.WriteString("    def __init__(self) -> None: ...\n")
		return
	}
	fmt.Fprintf(b, "    def __init__(\n        self,\n        *,\n%s    ) -> None: ...\n", strings.Join(parameters, ""))
	if len(present) > 0 {
		fmt.Fprintf(b, "    def HasField(self, field_name: Literal[%s]) -> bool: ...\n", strings.Join(present, ", "))
	}
	for i := range m.Oneofs().Len() {
		o := m.Oneofs().Get(i)
		if o.IsSynthetic() {
			continue
		}
		var names []string
		for j := range o.Fields().Len() {
			names = append(names, fmt.Sprintf("%q", o.Fields().Get(j).Name()))
		}
		fmt.Fprintf(b, "    def WhichOneof(self, oneof_group: Literal[%q]) -> Literal[%s] | None: ...\n", o.Name(), strings.Join(names, ", "))
	}
}

// types gives the type that a field holds and the type that its parameter takes.
func types(f protoreflect.FieldDescriptor) (held, given string) {
	one := scalar(f)
	switch {
	case f.IsList() && f.Kind() == protoreflect.MessageKind:
		return "_containers.RepeatedCompositeFieldContainer[" + one + "]", "Iterable[" + one + "] | None"
	case f.IsList():
		return "_containers.RepeatedScalarFieldContainer[" + one + "]", "Iterable[" + one + "] | None"
	case f.HasPresence():
		return one, one + " | None"
	}
	return one, one
}

func scalar(f protoreflect.FieldDescriptor) string {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return "bool"
	case protoreflect.StringKind:
		return "str"
	case protoreflect.BytesKind:
		return "bytes"
	case protoreflect.MessageKind:
		return string(f.Message().Name())
	default: // numbers and enums: a message gives an enum's value as a plain number
		return "int"
	}
}

// doc writes the words that stand with a declaration in the contract; other where there are none.
func (c *contract) doc(b *bytes.Buffer, d protoreflect.Descriptor, other string) {
	text := words(c.file.SourceLocations().ByDescriptor(d).LeadingComments)
	if note := trailing(c.file, d); note != "" {
		text = append(text, note)
	}
	if len(text) == 0 && other != "" {
		text = []string{other}
	}
	switch len(text) {
	case 0:
	case 1:
		fmt.Fprintf(b, "    \"\"\"%s\"\"\"\n", text[0])
	default:
		fmt.Fprintf(b, "    \"\"\"%s\n    \"\"\"\n", strings.Join(text, "\n    "))
	}
}

func trailing(file protoreflect.FileDescriptor, d protoreflect.Descriptor) string {
	return strings.Join(words(file.SourceLocations().ByDescriptor(d).TrailingComments), " ")
}

// words are the lines of a comment.
func words(comment string) []string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(comment, `\`, `\\`)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
