package cgen

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

// shape tells how one field is declared in C and which form of the codec reads and writes it.
type shape struct {
	cType string // of the member with the field's name
	form  string // without its prefix
	extra string // what the second member is: "len", "has", or empty
}

func shapeOf(f protoreflect.FieldDescriptor) (shape, error) {
	switch {
	case f.IsMap():
		return shape{}, errors.New("the contract has no maps")
	case f.IsList():
		return listShape(f)
	case f.HasOptionalKeyword() || declared.OneofOf(f) != nil:
		return presentShape(f)
	}
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"uint32_t ", "U32", ""}, nil
	case protoreflect.Uint64Kind:
		return shape{"uint64_t ", "U64", ""}, nil
	case protoreflect.Sint64Kind:
		return shape{"int64_t ", "S64", ""}, nil
	case protoreflect.BoolKind:
		return shape{"bool ", "BOOL", ""}, nil
	case protoreflect.EnumKind:
		return shape{typeName(f.Enum()) + " ", "ENUM", ""}, nil
	case protoreflect.StringKind:
		return shape{"pl_str ", "TEXT", ""}, nil
	case protoreflect.BytesKind:
		return shape{"pl_str ", "BYTES", ""}, nil
	case protoreflect.MessageKind:
		return shape{typeName(f.Message()) + " *", "MESSAGE", ""}, nil
	}
	return shape{}, noForm(f)
}

func listShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"uint32_t *", "U32S", "len"}, nil
	case protoreflect.EnumKind:
		return shape{typeName(f.Enum()) + " *", "ENUMS", "len"}, nil
	case protoreflect.StringKind:
		return shape{"pl_str *", "TEXTS", "len"}, nil
	case protoreflect.MessageKind:
		return shape{typeName(f.Message()) + " *", "MESSAGES", "len"}, nil
	}
	return shape{}, noForm(f)
}

// presentShape is for fields whose absence differs from zero.
func presentShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"uint32_t ", "OPT_U32", "has"}, nil
	case protoreflect.Uint64Kind:
		return shape{"uint64_t ", "OPT_U64", "has"}, nil
	case protoreflect.Sint64Kind:
		return shape{"int64_t ", "OPT_S64", "has"}, nil
	case protoreflect.BytesKind:
		return shape{"pl_str ", "PRESENT", ""}, nil
	case protoreflect.MessageKind:
		return shape{typeName(f.Message()) + " *", "MESSAGE", ""}, nil
	}
	return shape{}, noForm(f)
}

func noForm(f protoreflect.FieldDescriptor) error {
	return fmt.Errorf("no C form for a %s %s", f.Cardinality(), f.Kind())
}

// second is the name of the member beside the field's own, or empty.
func (s shape) second(f protoreflect.FieldDescriptor) string {
	switch s.extra {
	case "len":
		return memberName(f) + "_len"
	case "has":
		return "has_" + memberName(f)
	}
	return ""
}

// members are the names that a field takes in its struct.
func (s shape) members(f protoreflect.FieldDescriptor) []string {
	if second := s.second(f); second != "" {
		return []string{memberName(f), second}
	}
	return []string{memberName(f)}
}

// reserved are the words that C has for itself and a field could be called.
var reserved = map[string]bool{
	"auto": true, "bool": true, "break": true, "case": true, "char": true, "const": true, "continue": true, "default": true,
	"do": true, "double": true, "else": true, "enum": true, "extern": true, "float": true, "for": true, "goto": true,
	"if": true, "inline": true, "int": true, "long": true, "register": true, "restrict": true, "return": true, "short": true,
	"signed": true, "sizeof": true, "static": true, "struct": true, "switch": true, "typedef": true, "union": true,
	"unsigned": true, "void": true, "volatile": true, "while": true,
}

func memberName(f protoreflect.FieldDescriptor) string {
	name := string(f.Name())
	if reserved[name] {
		return name + "_"
	}
	return name
}

// typeName turns WorkloadInfo into pl_workload_info. Nested declarations lose their parent's name.
func typeName(d protoreflect.Descriptor) string { return "pl_" + snake(string(d.Name())) }

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// constName puts the library's prefix before METHOD_PLAN.
func constName(v protoreflect.EnumValueDescriptor) string { return "PL_" + string(v.Name()) }
