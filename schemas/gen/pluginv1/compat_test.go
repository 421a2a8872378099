// The tests of this folder compare the two Go forms of the contract: protobuf's, which the host uses, and the
// reflection-free one of paceline/sdk/contract, which guests use.
package pluginv1_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// liteMessage is what every message of paceline/sdk/contract offers.
type liteMessage interface {
	EncodedSize() int
	Marshal() []byte
	Unmarshal(data []byte) error
}

var canonical = proto.MarshalOptions{Deterministic: true}

func TestBothCodecsAgree(t *testing.T) {
	for _, pair := range pairs {
		full := pair.full()
		t.Run(string(full.ProtoReflect().Descriptor().Name()), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			for i := range 200 {
				m := pair.full()
				fill(rnd, m.ProtoReflect(), i%4)
				want, err := canonical.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				checkLite(t, pair.lite(), want)
			}
		})
	}
}

// checkLite reads canonical bytes with the guests' codec and writes them again.
func checkLite(t *testing.T, m liteMessage, want []byte) {
	t.Helper()
	if err := m.Unmarshal(want); err != nil {
		t.Fatalf("guests' codec refuses %x: %v", want, err)
	}
	if got := m.Marshal(); !bytes.Equal(got, want) {
		t.Fatalf("guests' codec writes %x, want %x", got, want)
	}
	if m.EncodedSize() != len(want) {
		t.Fatalf("EncodedSize() = %d, want %d", m.EncodedSize(), len(want))
	}
}

// fill sets about two thirds of the fields of m to random values; messages within it are filled to the given depth.
func fill(rnd *rand.Rand, m protoreflect.Message, depth int) {
	list := m.Descriptor().Fields()
	for i := range list.Len() {
		f := list.Get(i)
		if rnd.IntN(3) == 0 {
			continue
		}
		if !f.IsList() {
			m.Set(f, value(rnd, f, m.NewField(f), depth))
			continue
		}
		items := m.Mutable(f).List()
		for range rnd.IntN(4) {
			var element protoreflect.Value
			if f.Message() != nil {
				element = items.NewElement()
			}
			items.Append(value(rnd, f, element, depth))
		}
	}
}

func value(rnd *rand.Rand, f protoreflect.FieldDescriptor, empty protoreflect.Value, depth int) protoreflect.Value {
	number := rnd.Uint64() >> rnd.IntN(65)
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(number&1 == 1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(number)))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(number))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(number)
	case protoreflect.Sint64Kind:
		return protoreflect.ValueOfInt64(int64(number))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(string([]rune("aé€😀\x00z")[:rnd.IntN(7)]))
	case protoreflect.BytesKind:
		b := make([]byte, rnd.IntN(1<<rnd.IntN(10)))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return protoreflect.ValueOfBytes(b)
	case protoreflect.MessageKind:
		if depth > 0 {
			fill(rnd, empty.Message(), depth-1)
		}
		return empty
	}
	panic(fmt.Sprintf("the contract has no %s", f.Kind()))
}

// FuzzBothCodecs feeds arbitrary bytes to both: they accept the same input and reach the same canonical bytes.
func FuzzBothCodecs(f *testing.F) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i, pair := range pairs {
		m := pair.full()
		fill(rnd, m.ProtoReflect(), 3)
		seed, err := canonical.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), seed)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		pair := pairs[int(which)%len(pairs)]
		full, lite := pair.full(), pair.lite()
		fullErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, full)
		liteErr := lite.Unmarshal(data)
		if (fullErr == nil) != (liteErr == nil) {
			t.Fatalf("%T: protobuf says %v, guests' codec says %v", full, fullErr, liteErr)
		}
		if fullErr != nil {
			return
		}
		want, err := canonical.Marshal(full)
		if err != nil {
			t.Fatal(err)
		}
		if got := lite.Marshal(); !bytes.Equal(got, want) {
			t.Fatalf("%T: guests' codec writes %x, want %x", full, got, want)
		}
	})
}
