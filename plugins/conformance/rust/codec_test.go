package rust

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "paceline/schemas/gen/pluginv1"
)

// recode is a running program of sdk/rust/recode: it reads messages and writes them again.
type recode struct {
	in    io.Writer
	out   io.Reader
	names []string
}

// startRecode builds the program for this machine and starts it.
func startRecode(t *testing.T) *recode {
	t.Helper()
	file := os.Getenv("PACELINE_RUST_RECODE")
	if file == "" {
		file = buildRecode(t)
	}
	names, err := exec.CommandContext(t.Context(), file, "names").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &recode{in: in, out: out, names: strings.Fields(string(names))}
}

func buildRecode(t *testing.T) string {
	t.Helper()
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		t.Skip("cargo is not on PATH: the codec cannot be built")
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	if out, err := exec.CommandContext(t.Context(), cargo, "--version").CombinedOutput(); err != nil { // a proxy without a toolchain
		t.Skipf("cargo cannot be run here: %v\n%s", err, out)
	}
	target := t.TempDir()
	cmd := exec.CommandContext(t.Context(), cargo, "build", "--quiet", "--locked", "--package", "paceline", "--example", "recode", "--target-dir", target)
	cmd.Dir = filepath.Join(root, "sdk/rust")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, text)
	}
	return filepath.Join(target, "debug/examples/recode")
}

// send has one message read and written again; err is what the codec refuses it for.
func (r *recode) send(t *testing.T, which int, data []byte) (again []byte, err error) {
	t.Helper()
	request := binary.LittleEndian.AppendUint32([]byte{byte(which)}, uint32(len(data)))
	if _, err := r.in.Write(append(request, data...)); err != nil {
		t.Fatal(err)
	}
	var head [5]byte
	if _, err := io.ReadFull(r.out, head[:]); err != nil {
		t.Fatalf("%s: the program ended on %x: %v", r.names[which], data, err)
	}
	reply := make([]byte, binary.LittleEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(r.out, reply); err != nil {
		t.Fatal(err)
	}
	if head[0] != 0 {
		return nil, fmt.Errorf("%s", reply)
	}
	return reply, nil
}

// descriptors finds the contract's messages by their names without those of their parents.
func descriptors(list protoreflect.MessageDescriptors, into map[string]protoreflect.MessageDescriptor) map[string]protoreflect.MessageDescriptor {
	for i := range list.Len() {
		into[string(list.Get(i).Name())] = list.Get(i)
		descriptors(list.Get(i).Messages(), into)
	}
	return into
}

// TestCodec has random messages, and damaged ones, read and written again: the Rust codec accepts what protobuf's does, and
// both reach the same bytes.
func TestCodec(t *testing.T) {
	r := startRecode(t)
	all := descriptors(pb.File_plugin_v1_plugin_proto.Messages(), map[string]protoreflect.MessageDescriptor{})
	if len(all) != len(r.names) {
		t.Errorf("the contract has %d messages, the table %d", len(all), len(r.names))
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for which, name := range r.names {
		for i := range 120 {
			m := dynamicpb.NewMessage(all[name])
			fill(rnd, m, i%4)
			data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := r.send(t, which, data); err != nil || !bytes.Equal(again, data) {
				t.Fatalf("%s: %x becomes %x, %v", name, data, again, err)
			}
			for range 3 {
				refused += r.damaged(t, which, all[name], damage(rnd, data))
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d damaged messages were refused", refused)
	}
}

// damaged compares both codecs on bytes that may be no message, and counts a refusal.
func (r *recode) damaged(t *testing.T, which int, d protoreflect.MessageDescriptor, data []byte) int {
	t.Helper()
	m := dynamicpb.NewMessage(d)
	err := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, m)
	again, rustErr := r.send(t, which, data)
	if (err == nil) != (rustErr == nil) {
		t.Fatalf("%s: %x: protobuf says %v, the Rust codec %v", d.Name(), data, err, rustErr)
	}
	if err != nil {
		return 1
	}
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil || !bytes.Equal(again, want) {
		t.Fatalf("%s: %x becomes %x, want %x, %v", d.Name(), data, again, want, err)
	}
	return 0
}

// damage changes some bytes, or cuts, or repeats a piece.
func damage(rnd *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	if len(data) == 0 {
		return []byte{byte(rnd.Uint32()), byte(rnd.Uint32())}
	}
	for range 1 + rnd.IntN(3) {
		data[rnd.IntN(len(data))] = byte(rnd.Uint32())
	}
	if from := rnd.IntN(len(data)); rnd.IntN(2) == 0 {
		data = append(data, data[from:]...)
	} else if rnd.IntN(2) == 0 {
		data = data[:from]
	}
	return data
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
			m.Set(f, random(rnd, f, m.NewField(f), depth))
			continue
		}
		items := m.Mutable(f).List()
		for range rnd.IntN(4) {
			items.Append(random(rnd, f, items.NewElement(), depth))
		}
	}
}

func random(rnd *rand.Rand, f protoreflect.FieldDescriptor, empty protoreflect.Value, depth int) protoreflect.Value {
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
		b := make([]byte, rnd.IntN(1<<rnd.IntN(9)))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return protoreflect.ValueOfBytes(b)
	}
	if depth > 0 {
		fill(rnd, empty.Message(), depth-1)
	}
	return empty
}
