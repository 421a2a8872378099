package rust

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"paceline/tools/internal/declared"
)

// shape tells how one field is declared in Rust and which method of Sink and Field codes it.
type shape struct {
	rust   string
	method string
}

func shapeOf(f protoreflect.FieldDescriptor) (shape, error) {
	switch {
	case f.IsMap():
		return shape{}, errors.New("the contract has no maps")
	case f.IsList():
		return listShape(f)
	case declared.OneofOf(f) != nil:
		return memberShape(f)
	case f.HasOptionalKeyword():
		return presentShape(f)
	}
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"u32", "u32"}, nil
	case protoreflect.Uint64Kind:
		return shape{"u64", "u64"}, nil
	case protoreflect.Sint64Kind:
		return shape{"i64", "s64"}, nil
	case protoreflect.BoolKind:
		return shape{"bool", "bool"}, nil
	case protoreflect.EnumKind:
		return shape{string(f.Enum().Name()), "value"}, nil
	case protoreflect.StringKind:
		return shape{"String", "text"}, nil
	case protoreflect.BytesKind:
		return shape{"Vec<u8>", "bytes"}, nil
	case protoreflect.MessageKind:
		return shape{"Option<" + string(f.Message().Name()) + ">", "message"}, nil
	}
	return shape{}, noForm(f)
}

func listShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"Vec<u32>", "u32s"}, nil
	case protoreflect.EnumKind:
		return shape{"Vec<" + string(f.Enum().Name()) + ">", "values"}, nil
	case protoreflect.StringKind:
		return shape{"Vec<String>", "texts"}, nil
	case protoreflect.MessageKind:
		return shape{"Vec<" + string(f.Message().Name()) + ">", "messages"}, nil
	}
	return shape{}, noForm(f)
}

// presentShape is for fields whose absence differs from zero.
func presentShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"Option<u32>", "opt_u32"}, nil
	case protoreflect.Uint64Kind:
		return shape{"Option<u64>", "opt_u64"}, nil
	case protoreflect.Sint64Kind:
		return shape{"Option<i64>", "opt_s64"}, nil
	}
	return shape{}, noForm(f)
}

// memberShape is for members of a oneof: the type is that of the variant's content.
func memberShape(f protoreflect.FieldDescriptor) (shape, error) {
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return shape{"u32", "u32"}, nil
	case protoreflect.BytesKind:
		return shape{"Vec<u8>", "bytes"}, nil
	case protoreflect.MessageKind:
		return shape{string(f.Message().Name()), "message"}, nil
	}
	return shape{}, noForm(f)
}

func noForm(f protoreflect.FieldDescriptor) error {
	return fmt.Errorf("no Rust form for a %s %s", f.Cardinality(), f.Kind())
}
