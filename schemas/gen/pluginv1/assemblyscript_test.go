package pluginv1_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"google.golang.org/protobuf/proto"

	"paceline/schemas/gen/pluginv1"
)

// assemblyScriptKinds builds the test plugin of the AssemblyScript SDK, or takes it from where the variable says.
func assemblyScriptKinds(t *testing.T) []byte {
	t.Helper()
	const folder = "../../../sdk/assemblyscript"
	file := os.Getenv("PACELINE_ASSEMBLYSCRIPT_KINDS")
	if file == "" {
		file = filepath.Join(t.TempDir(), "kinds.wasm")
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("node is not installed: the codec in AssemblyScript cannot be built")
		}
		if _, err := os.Stat(filepath.Join(folder, "node_modules/assemblyscript")); err != nil {
			t.Skip("the AssemblyScript compiler is not installed: npm ci in sdk/assemblyscript")
		}
		cmd := exec.CommandContext(t.Context(), "node", "paceline/build.mjs", "test/kinds", "--no-manifest", "--out", file)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build the codec: %v\n%s", err, out)
		}
	}
	module, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// guest is an instance of a module of the ABI, opened for one component.
type guest struct {
	t                   *testing.T
	alloc, free, invoke api.Function
	memory              api.Memory
}

func newGuest(t *testing.T, module []byte, component string) *guest {
	t.Helper()
	ctx := t.Context()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = r.Close(context.WithoutCancel(ctx)) })
	host := r.NewHostModuleBuilder("paceline_v1")
	host.NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module, _, ptr, n uint32) {
		text, _ := m.Memory().Read(ptr, n)
		t.Logf("the guest says: %s", text)
	}).Export("log")
	host.NewFunctionBuilder().WithFunc(func(uint32, uint64, uint32, uint32) int64 { return -1 }).Export("input_read")
	if _, err := host.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	g := &guest{t: t, memory: m.Memory(), alloc: m.ExportedFunction("paceline_v1_alloc"), free: m.ExportedFunction("paceline_v1_free"),
		invoke: m.ExportedFunction("paceline_v1_invoke")}
	g.ask(pluginv1.Method_METHOD_OPEN, &pluginv1.OpenRequest{Component: component}, new(pluginv1.OpenResponse))
	return g
}

func (g *guest) call(f api.Function, args ...uint64) uint64 {
	g.t.Helper()
	out, err := f.Call(g.t.Context(), args...)
	if err != nil {
		g.t.Fatal(err)
	}
	return append(out, 0)[0]
}

func (g *guest) ask(method pluginv1.Method, request, response proto.Message) {
	g.t.Helper()
	raw, err := canonical.Marshal(request)
	if err != nil {
		g.t.Fatal(err)
	}
	at := g.call(g.alloc, uint64(len(raw)))
	if !g.memory.Write(uint32(at), raw) {
		g.t.Fatalf("alloc gave %d", at)
	}
	packed := g.call(g.invoke, uint64(method), at, uint64(len(raw)))
	reply, ok := g.memory.Read(uint32(packed>>32), uint32(packed))
	if !ok || reply[0] != 0 {
		g.t.Fatalf("reply %q", reply)
	}
	if err := proto.Unmarshal(bytes.Clone(reply[1:]), response); err != nil {
		g.t.Fatal(err)
	}
	g.call(g.free, at, uint64(len(raw)))
	g.call(g.free, packed>>32, uint64(uint32(packed)))
}

// TestAssemblyScriptCodecAgrees has the AssemblyScript codec read and write every message, and compares with protobuf's and,
// for damaged bytes, with the one of Go guests.
func TestAssemblyScriptCodecAgrees(t *testing.T) {
	g := newGuest(t, assemblyScriptKinds(t), "lab")
	for _, pair := range pairs {
		name := string(pair.full().ProtoReflect().Descriptor().Name())
		rnd := rand.New(rand.NewPCG(5, 6))
		var samples []*pluginv1.Sample
		for i := range 60 {
			m := pair.full()
			fill(rnd, m.ProtoReflect(), i%4)
			whole, err := canonical.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, &pluginv1.Sample{Domain: "recode " + name, Truth: whole})
			for range 10 {
				damaged := bytes.Clone(whole[:rnd.IntN(len(whole)+1)])
				if len(damaged) > 0 {
					damaged[rnd.IntN(len(damaged))] ^= 1 << rnd.IntN(8)
				}
				samples = append(samples, &pluginv1.Sample{Domain: "recode " + name, Truth: damaged})
			}
		}
		var answer pluginv1.ScoreResponse
		g.ask(pluginv1.Method_METHOD_SCORE, &pluginv1.ScoreRequest{Samples: samples}, &answer)
		for i, item := range answer.GetItems() {
			lite := pair.lite()
			err := lite.Unmarshal(samples[i].GetTruth())
			switch {
			case (err != nil) != (item.GetReason() != ""):
				t.Errorf("%s %x: refused as %q, Go's as %v", name, samples[i].GetTruth(), item.GetReason(), err)
			case err == nil && !bytes.Equal(item.GetDetail(), lite.Marshal()):
				t.Errorf("%s %x: wrote %x, want %x", name, samples[i].GetTruth(), item.GetDetail(), lite.Marshal())
			case i%11 == 0 && !bytes.Equal(item.GetDetail(), samples[i].GetTruth()):
				t.Errorf("%s: wrote %x, protobuf wrote %x", name, item.GetDetail(), samples[i].GetTruth())
			case err != nil && err.Error() != "decode "+name+": "+item.GetReason():
				t.Errorf("%s %x: fault %q, Go's is %v", name, samples[i].GetTruth(), item.GetReason(), err)
			}
		}
		if len(answer.GetItems()) != len(samples) {
			t.Errorf("%s: %d items for %d samples", name, len(answer.GetItems()), len(samples))
		}
	}
}
