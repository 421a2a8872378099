package assemblyscript

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// shape tells how one field is declared and coded.
type shape struct {
	form string // as the tables of the test driver name it
	kind string // the field's type
	zero string // its value where it is absent
}

// Forms of fields. A plain number and a bool are left out where they are zero; a present number has a flag beside it.
const (
	formNumber   = "number"   // u32, u64
	formSigned   = "signed"   // i64, zigzag
	formBool     = "bool"     // bool
	formEnum     = "enum"     // an enum
	formText     = "text"     // string
	formBytes    = "bytes"    // Uint8Array, left out where it is empty
	formPresent  = "present"  // Uint8Array | null, left out where it is null
	formMessage  = "message"  // class | null
	formNumbers  = "numbers"  // u32[], packed
	formEnums    = "enums"    // enum[], packed
	formTexts    = "texts"    // string[]
	formMessages = "messages" // class[]
)

func shapeOf(f protoreflect.FieldDescriptor) (shape, error) {
	if f.IsList() {
		return listShape(f)
	}
	present := f.HasOptionalKeyword() || inOneof(f)
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{formNumber, "u32", "0"}, nil
	case protoreflect.Uint64Kind:
		return shape{formNumber, "u64", "0"}, nil
	case protoreflect.Sint64Kind:
		return shape{formSigned, "i64", "0"}, nil
	case protoreflect.MessageKind:
		return shape{formMessage, string(f.Message().Name()) + " | null", "null"}, nil
	case protoreflect.BytesKind:
		if present {
			return shape{formPresent, "Uint8Array | null", "null"}, nil
		}
		return shape{formBytes, "Uint8Array", "NONE"}, nil
	}
	if present {
		return shape{}, noForm(f)
	}
	switch f.Kind() {
	case protoreflect.BoolKind:
		return shape{formBool, "bool", "false"}, nil
	case protoreflect.EnumKind:
		e := f.Enum()
		return shape{formEnum, string(e.Name()), string(e.Name()) + "." + valueName(e.Values().ByNumber(0))}, nil
	case protoreflect.StringKind:
		return shape{formText, "string", `""`}, nil
	}
	return shape{}, noForm(f)
}

func listShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{formNumbers, "u32[]", "[]"}, nil
	case protoreflect.EnumKind:
		return shape{formEnums, string(f.Enum().Name()) + "[]", "[]"}, nil
	case protoreflect.StringKind:
		return shape{formTexts, "string[]", "[]"}, nil
	case protoreflect.MessageKind:
		return shape{formMessages, string(f.Message().Name()) + "[]", "[]"}, nil
	}
	return shape{}, noForm(f)
}

func noForm(f protoreflect.FieldDescriptor) error {
	return fmt.Errorf("no AssemblyScript form for a %s %s", f.Cardinality(), f.Kind())
}

// flagged reports whether the field is a number that has a flag for its presence beside it.
func flagged(f protoreflect.FieldDescriptor) bool {
	s, _ := shapeOf(f)
	return (s.form == formNumber || s.form == formSigned) && (f.HasOptionalKeyword() || inOneof(f))
}

func inOneof(f protoreflect.FieldDescriptor) bool {
	o := f.ContainingOneof()
	return o != nil && !o.IsSynthetic()
}

// wire is the field's wire type as it is written.
func (s shape) wire() int {
	switch s.form {
	case formNumber, formSigned, formBool, formEnum:
		return 0
	}
	return 2
}

// fieldName turns contract_version into contractVersion.
func fieldName(name protoreflect.Name) string {
	pascal := pascalName(string(name))
	return strings.ToLower(pascal[:1]) + pascal[1:]
}

// flagName is the name of the flag of a number that may be absent: hasForkOf.
func flagName(f protoreflect.FieldDescriptor) string { return "has" + pascalName(string(f.Name())) }

// valueName turns METHOD_CHECK_INPUTS of enum Method into CheckInputs.
func valueName(v protoreflect.EnumValueDescriptor) string {
	prefix := strings.ToUpper(string(v.Parent().Name())) + "_"
	return pascalName(strings.ToLower(strings.TrimPrefix(string(v.Name()), prefix)))
}

func pascalName(snake string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(snake, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
