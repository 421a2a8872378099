// Package declared lists what a proto file declares, in the order that all generators of the contract keep to.
package declared

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// File is a file's content in the order in which it is declared, nested declarations after their parent.
type File struct {
	Messages []protoreflect.MessageDescriptor
	Enums    []protoreflect.EnumDescriptor
}

// In lists the declarations of file.
func In(file protoreflect.FileDescriptor) File {
	var f File
	f.add(file.Enums(), file.Messages())
	return f
}

func (f *File) add(enums protoreflect.EnumDescriptors, messages protoreflect.MessageDescriptors) {
	for i := range enums.Len() {
		f.Enums = append(f.Enums, enums.Get(i))
	}
	for i := range messages.Len() {
		m := messages.Get(i)
		f.Messages = append(f.Messages, m)
		f.add(m.Enums(), m.Messages())
	}
}

// Fields are the fields of m by rising number, which is the order on the wire.
func Fields(m protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	list := make([]protoreflect.FieldDescriptor, m.Fields().Len())
	for i := range list {
		list[i] = m.Fields().Get(i)
	}
	slices.SortFunc(list, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	return list
}

// OneofOf is the oneof that f is a member of; nil for all other fields, those that are optional included.
func OneofOf(f protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o
	}
	return nil
}

// HoldsItself reports whether a value of m can hold another one, directly or further down.
func HoldsItself(m protoreflect.MessageDescriptor) bool {
	open, seen := []protoreflect.MessageDescriptor{m}, map[protoreflect.FullName]bool{}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		for _, f := range Fields(at) {
			sub := f.Message()
			switch {
			case sub == nil || seen[sub.FullName()]:
			case sub.FullName() == m.FullName():
				return true
			default:
				seen[sub.FullName()] = true
				open = append(open, sub)
			}
		}
	}
	return false
}
