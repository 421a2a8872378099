package wire_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "paceline/schemas/gen/pluginv1"
)

// The tests of this file compare the codec, the JSON and the random numbers of the C SDK, compiled for this machine, with Go's.

// cTool answers lines, one after another: a program of sdk/c.
type cTool struct {
	t   *testing.T
	in  *bufio.Writer
	out *bufio.Scanner
}

func startCTool(t *testing.T) *cTool {
	t.Helper()
	out := t.TempDir()
	cMake(t, "cc", "recode", "OUT="+out)
	cmd := exec.Command(filepath.Join(out, "tests/recode"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("the tool of sdk/c: %v", err)
		}
	})
	c := &cTool{t: t, in: bufio.NewWriterSize(in, 1<<16), out: bufio.NewScanner(answers)}
	c.out.Buffer(nil, 64<<20)
	return c
}

// cMake runs a target of sdk/c and skips the test where its compiler or make is missing.
func cMake(t *testing.T, compiler string, args ...string) {
	t.Helper()
	for _, name := range []string{"make", compiler} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: sdk/c cannot be built (.ci/sdk-c installs what it needs)", name)
		}
	}
	cmd := exec.CommandContext(t.Context(), "make", append([]string{"-s", "-C", "../../sdk/c"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// ask gives the tool's answer, and false where it refuses the bytes.
func (c *cTool) ask(task string, data []byte) ([]byte, bool) {
	c.t.Helper()
	fmt.Fprintf(c.in, "%s %x\n", task, data)
	if err := c.in.Flush(); err != nil {
		c.t.Fatal(err)
	}
	if !c.out.Scan() {
		c.t.Fatalf("the tool of sdk/c ended at %s %x", task, data)
	}
	if c.out.Text() == "!" {
		return nil, false
	}
	answer, err := hex.DecodeString(c.out.Text())
	if err != nil {
		c.t.Fatalf("answer to %s %x: %v", task, data, err)
	}
	return answer, true
}

func TestCCodecAgreesWithProtobuf(t *testing.T) {
	c := startCTool(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	messages := pb.File_plugin_v1_plugin_proto.Messages()
	refused := 0
	for i := range messages.Len() {
		d := messages.Get(i)
		for round := range 60 {
			m := newMessage(t, d)
			fillMessage(rnd, m.ProtoReflect(), 4)
			data := canonicalBytes(t, m)
			for range round % 4 {
				data = mutated(rnd, data)
			}
			want := newMessage(t, d)
			err := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, want)
			got, ok := c.ask(string(d.Name()), data)
			if ok != (err == nil) {
				t.Fatalf("%s %x: the C SDK accepts it: %t; protobuf says %v", d.Name(), data, ok, err)
			}
			if !ok {
				refused++
			} else if !bytes.Equal(got, canonicalBytes(t, want)) {
				t.Fatalf("%s %x: the C SDK writes %x, want %x", d.Name(), data, got, canonicalBytes(t, want))
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d messages were refused: the mutations are too tame", refused)
	}
}

func newMessage(t *testing.T, d protoreflect.MessageDescriptor) proto.Message {
	t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		t.Fatal(err)
	}
	return kind.New().Interface()
}

func canonicalBytes(t *testing.T, m proto.Message) []byte {
	t.Helper()
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fillMessage sets about two thirds of the fields to random values.
func fillMessage(rnd *rand.Rand, m protoreflect.Message, depth int) {
	list := m.Descriptor().Fields()
	for i := range list.Len() {
		f := list.Get(i)
		switch {
		case rnd.IntN(3) == 0 || f.Message() != nil && depth == 0:
		case f.IsList():
			items := m.Mutable(f).List()
			for range rnd.IntN(4) {
				if f.Message() != nil {
					fillMessage(rnd, items.AppendMutable().Message(), depth-1)
					continue
				}
				items.Append(randomValue(rnd, f))
			}
		case f.Message() != nil:
			fillMessage(rnd, m.Mutable(f).Message(), depth-1)
		default:
			m.Set(f, randomValue(rnd, f))
		}
	}
}

func randomValue(rnd *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	number := rnd.Uint64() >> rnd.IntN(64)
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
	}
	return protoreflect.ValueOfBytes(randomBytes(rnd, rnd.IntN(200)))
}

func randomBytes(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// mutated changes a byte, cuts, or repeats a part.
func mutated(rnd *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return randomBytes(rnd, 3)
	}
	data = bytes.Clone(data)
	at := rnd.IntN(len(data))
	switch rnd.IntN(4) {
	case 0:
		return data[:at]
	case 1:
		return append(data, data[at:]...)
	case 2:
		data[at] ^= 1 << rnd.IntN(8)
	default:
		data[at] = byte(rnd.Uint32())
	}
	return data
}

func TestCJSONAgreesWithGo(t *testing.T) {
	c := startCTool(t)
	rnd := rand.New(rand.NewPCG(7, 8))
	documents := []string{`{"a":[1,-2.5e+3,true,{}],"é":null}`, `"\ud83d\ude00\ud800\u0041\udc00\"\\\/\b\f\n\r\t"`, ` [ ] `, `"` + "\xff\xe2\x82\xed\xa0\x80é" + `"`}
	valid := 0
	for range 2000 {
		data := []byte(documents[rnd.IntN(len(documents))])
		for range rnd.IntN(4) {
			data = mutated(rnd, data)
		}
		if _, ok := c.ask("valid", data); ok != json.Valid(data) {
			t.Fatalf("%q: the C SDK says valid: %t", data, ok)
		} else if ok {
			valid++
		}
		var want string
		got, ok := c.ask("unquote", data)
		if isText := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte(`"`)) && json.Unmarshal(data, &want) == nil; ok != isText || string(got) != want {
			t.Fatalf("%q: the C SDK reads %q, %t; want %q, %t", data, got, ok, want, isText)
		}
		quoted, err := json.Marshal(string(data))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := c.ask("quote", data); !bytes.Equal(got, quoted) {
			t.Fatalf("%q: the C SDK writes %s, want %s", data, got, quoted)
		}
	}
	if valid < 200 || valid > 1800 {
		t.Errorf("%d of 2000 documents were valid: the mutations prove little", valid)
	}
}

func TestCRandomAgreesWithGo(t *testing.T) {
	c := startCTool(t)
	for i := range byte(20) {
		seed := [32]byte{0: i, 31: 255 - i}
		got, _ := c.ask("random", seed[:])
		r := rand.New(rand.NewChaCha8(seed))
		var want []byte
		for range 300 {
			v := r.Uint64()
			want = binary.BigEndian.AppendUint64(want, v)
			below := v>>(v%64) + 1
			if below == 0 {
				t.Fatal("a draw of all bits: choose other seeds")
			}
			want = binary.BigEndian.AppendUint64(want, r.Uint64N(below))
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %x: the C SDK draws %x, want %x", seed, got[:64], want[:64])
		}
	}
}
