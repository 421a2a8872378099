package lite

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// shape tells how one field is declared, sized, appended and decoded. The helpers are those of package contract, without
// their prefixes size, append, set and add.
type shape struct {
	goType string
	helper string // e.g. Uint: sizeUint, appendUint
	setter string // e.g. setUint; empty for messages
	cast   string // conversion of the value for size and append, e.g. uint64
}

func shapeOf(f protoreflect.FieldDescriptor) (shape, error) {
	member := f.ContainingOneof() != nil && !f.ContainingOneof().IsSynthetic()
	switch {
	case f.IsList():
		return listShape(f)
	case f.HasOptionalKeyword() || member:
		return presentShape(f)
	}
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"uint32", "Uint", "setUint", "uint64"}, nil
	case protoreflect.Uint64Kind:
		return shape{"uint64", "Uint", "setUint", ""}, nil
	case protoreflect.Sint64Kind:
		return shape{"int64", "Sint", "setSint", ""}, nil
	case protoreflect.BoolKind:
		return shape{"bool", "Bool", "setBool", ""}, nil
	case protoreflect.EnumKind:
		return shape{string(f.Enum().Name()), "Enum", "setEnum", ""}, nil
	case protoreflect.StringKind:
		return shape{"string", "Text", "setText", ""}, nil
	case protoreflect.BytesKind:
		return shape{"[]byte", "Bytes", "setBytes", ""}, nil
	case protoreflect.MessageKind:
		return shape{"*" + string(f.Message().Name()), "Message", "", ""}, nil
	}
	return shape{}, noForm(f)
}

func listShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"[]uint32", "Packed", "addPacked", ""}, nil
	case protoreflect.EnumKind:
		return shape{"[]" + string(f.Enum().Name()), "Packed", "addPacked", ""}, nil
	case protoreflect.StringKind:
		return shape{"[]string", "Texts", "addText", ""}, nil
	case protoreflect.MessageKind:
		return shape{"[]" + string(f.Message().Name()), "Messages", "", ""}, nil
	}
	return shape{}, noForm(f)
}

// presentShape is for fields whose absence differs from zero.
func presentShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"*uint32", "OptUint", "setOptUint", ""}, nil
	case protoreflect.Uint64Kind:
		return shape{"*uint64", "OptUint", "setOptUint", ""}, nil
	case protoreflect.Sint64Kind:
		return shape{"*int64", "OptSint", "setOptSint", ""}, nil
	case protoreflect.BytesKind:
		return shape{"[]byte", "Present", "setBytes", ""}, nil
	case protoreflect.MessageKind:
		return shape{"*" + string(f.Message().Name()), "Message", "", ""}, nil
	}
	return shape{}, noForm(f)
}

func noForm(f protoreflect.FieldDescriptor) error {
	return fmt.Errorf("no Go form for a %s %s", f.Cardinality(), f.Kind())
}
