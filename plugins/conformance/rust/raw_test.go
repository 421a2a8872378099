package rust

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"google.golang.org/protobuf/proto"

	pb "paceline/schemas/gen/pluginv1"
)

// raw is a module without host and worker around it, so that a test sees its memory and its very bytes.
type raw struct {
	tb                  testing.TB
	mod                 api.Module
	alloc, free, invoke api.Function
}

// instantiate starts a module with so many pages of memory at most.
func instantiate(tb testing.TB, code []byte, pages uint32) *raw {
	tb.Helper()
	ctx := tb.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(pages))
	tb.Cleanup(func() { _ = r.Close(context.Background()) })
	_, err := r.NewHostModuleBuilder("paceline_v1").
		NewFunctionBuilder().WithFunc(func(context.Context, uint32, uint32, uint32) {}).Export("log").
		NewFunctionBuilder().WithFunc(func(context.Context, uint32, uint64, uint32, uint32) int64 { return -1 }).Export("input_read").
		Instantiate(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, code)
	if err != nil {
		tb.Fatal(err)
	}
	return &raw{tb: tb, mod: mod, alloc: mod.ExportedFunction("paceline_v1_alloc"), free: mod.ExportedFunction("paceline_v1_free"),
		invoke: mod.ExportedFunction("paceline_v1_invoke")}
}

func (r *raw) call(f api.Function, args ...uint64) uint64 {
	r.tb.Helper()
	results, err := f.Call(r.tb.Context(), args...)
	if err != nil {
		r.tb.Fatal(err)
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// send does one call as the host does.
func (r *raw) send(method pb.Method, request []byte) []byte {
	r.tb.Helper()
	ptr, n := uint64(0), uint64(len(request))
	if n > 0 {
		if ptr = uint64(uint32(r.call(r.alloc, n))); ptr == 0 || !r.mod.Memory().Write(uint32(ptr), request) {
			r.tb.Fatalf("alloc(%d) gave %d", n, ptr)
		}
	}
	packed := r.call(r.invoke, uint64(method), ptr, n)
	reply, ok := r.mod.Memory().Read(uint32(packed>>32), uint32(packed))
	if packed>>32 == 0 || !ok || len(reply) == 0 {
		r.tb.Fatalf("malformed reply %x", packed)
	}
	reply = bytes.Clone(reply)
	if n > 0 {
		r.call(r.free, ptr, n)
	}
	r.call(r.free, packed>>32, packed&0xffffffff)
	return reply
}

func encode(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestRawReplies(t *testing.T) {
	r := instantiate(t, get(t, echo), 1024)
	for _, c := range []struct {
		method  pb.Method
		request string
		want    string
	}{
		{33, "", "\x01\x09method 33 before open"},
		{pb.Method_METHOD_OPEN, "\x0a", "\x01\x03decode OpenRequest: field 1: truncated"},
		{pb.Method_METHOD_OPEN, "\x0a\x05other", "\x01\x05plugin echo has no component other"},
		{pb.Method_METHOD_OPEN, "\x0a\x08answered", "\x00"},
		{pb.Method_METHOD_OPEN, "\x0a\x08answered", "\x01\x09the instance is open already"},
		{pb.Method_METHOD_CHECK, "\x0a\x02\x12\xff", "\x01\x03decode Sample: field 2: truncated"},
		{pb.Method_METHOD_CHECK, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x01\x03decode CheckRequest: varint above 64 bits"},
		{pb.Method_METHOD_CHECK, "\x0a\x03\x12\x01\xff", "\x01\x03decode Sample: field 2: string is not valid UTF-8"},
		{pb.Method_METHOD_CHECK, "", "\x00\x12\x10" + string(make([]byte, 16))},
		{1 << 30, "", "\x01\x0cmethod 1073741824 is not offered by this component"},
		{-1, "", "\x01\x0cmethod -1 is not offered by this component"},
	} {
		if got := r.send(c.method, []byte(c.request)); string(got) != c.want {
			t.Errorf("method %d, %q: got %q, want %q", c.method, c.request, got, c.want)
		}
	}
}

// TestMemory: a block that does not fit is refused with address 0 and does no harm, and nothing is lost from call to call.
func TestMemory(t *testing.T) {
	r := instantiate(t, get(t, echo), 1024)
	for _, n := range []uint64{1 << 26, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
		if ptr := uint32(r.call(r.alloc, n)); ptr != 0 {
			t.Errorf("alloc(%d) gave %d", n, ptr)
		}
	}
	empty := r.call(r.alloc, 0)
	if empty == 0 {
		t.Error("alloc(0) gave 0")
	}
	r.call(r.free, empty, 0)
	r.send(pb.Method_METHOD_OPEN, encode(t, &pb.OpenRequest{Component: "exact"}))
	request := encode(t, &pb.ScoreRequest{Samples: []*pb.Sample{{Truth: []byte(`"x"`), Answer: &pb.Answer{Message: bytes.Repeat([]byte("x"), 1000)}}}})
	big := encode(t, &pb.FoldRequest{Account: make([]byte, 4<<20)})
	r.send(pb.Method_METHOD_SCORE, request)
	r.send(pb.Method_METHOD_FOLD_SCORE, big)
	before := r.mod.Memory().Size()
	for range 20_000 {
		r.send(pb.Method_METHOD_SCORE, request)
	}
	for range 20 {
		r.send(pb.Method_METHOD_FOLD_SCORE, big)
	}
	if after := r.mod.Memory().Size(); after != before {
		t.Errorf("the memory grew from %d to %d bytes", before, after)
	}
}

// BenchmarkFold sends accounts of several sizes through decoding, a component that joins them, and encoding.
func BenchmarkFold(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := instantiate(b, get(b, every), 4096)
			r.send(pb.Method_METHOD_OPEN, encode(b, &pb.OpenRequest{Component: "fails"}))
			request := encode(b, &pb.FoldRequest{Account: make([]byte, size)})
			for b.Loop() {
				r.send(pb.Method_METHOD_FOLD_SCORE, request)
			}
		})
	}
}

// BenchmarkScore scores a batch of 256 turns whose answers have 1,000 bytes.
func BenchmarkScore(b *testing.B) {
	r := instantiate(b, get(b, echo), 4096)
	r.send(pb.Method_METHOD_OPEN, encode(b, &pb.OpenRequest{Component: "exact"}))
	batch := &pb.ScoreRequest{}
	for range 256 {
		message := []byte(`{"role":"assistant","content":"` + string(bytes.Repeat([]byte("x"), 1000)) + `"}`)
		batch.Samples = append(batch.Samples, &pb.Sample{Trajectory: "line", Outcome: "ok", Truth: []byte(`"x"`), Answer: &pb.Answer{Message: message}})
	}
	request := encode(b, batch)
	for b.Loop() {
		r.send(pb.Method_METHOD_SCORE, request)
	}
}
