package lite

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

// shape tells how one field is declared in Go and which form of package contract codes it.
type shape struct {
	goType string
	form   string // without its prefix
}

func shapeOf(f protoreflect.FieldDescriptor) (shape, error) {
	switch {
	case f.IsList():
		return listShape(f)
	case f.HasOptionalKeyword() || declared.OneofOf(f) != nil:
		return presentShape(f)
	}
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"uint32", "Uint32"}, nil
	case protoreflect.Uint64Kind:
		return shape{"uint64", "Uint64"}, nil
	case protoreflect.Sint64Kind:
		return shape{"int64", "Sint64"}, nil
	case protoreflect.BoolKind:
		return shape{"bool", "Bool"}, nil
	case protoreflect.EnumKind:
		return shape{string(f.Enum().Name()), "Enum"}, nil
	case protoreflect.StringKind:
		return shape{"string", "Text"}, nil
	case protoreflect.BytesKind:
		return shape{"[]byte", "Bytes"}, nil
	case protoreflect.MessageKind:
		return shape{"*" + string(f.Message().Name()), "Message"}, nil
	}
	return shape{}, noForm(f)
}

func listShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"[]uint32", "Uint32s"}, nil
	case protoreflect.EnumKind:
		return shape{"[]" + string(f.Enum().Name()), "Enums"}, nil
	case protoreflect.StringKind:
		return shape{"[]string", "Texts"}, nil
	case protoreflect.MessageKind:
		return shape{"[]" + string(f.Message().Name()), "Messages"}, nil
	}
	return shape{}, noForm(f)
}

// presentShape is for fields whose absence differs from zero.
func presentShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"*uint32", "OptUint32"}, nil
	case protoreflect.Uint64Kind:
		return shape{"*uint64", "OptUint64"}, nil
	case protoreflect.Sint64Kind:
		return shape{"*int64", "OptSint64"}, nil
	case protoreflect.BytesKind:
		return shape{"[]byte", "Present"}, nil
	case protoreflect.MessageKind:
		return shape{"*" + string(f.Message().Name()), "Message"}, nil
	}
	return shape{}, noForm(f)
}

func noForm(f protoreflect.FieldDescriptor) error {
	return fmt.Errorf("no Go form for a %s %s", f.Cardinality(), f.Kind())
}
