package wire_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wasmabi"
	pb "paceline/schemas/gen/pluginv1"
	"paceline/sdk"
	"paceline/sdk/contract"
	"paceline/sdk/examples/echo/parts"
)

// The tests of this file play the example of the C SDK, as a module in a worker, beside the Go example in this process: both
// are asked the same and must answer the same.

// cEchoModule gives the module: the file that PACELINE_C_ECHO names, or one that is built here.
func cEchoModule(t *testing.T) []byte {
	t.Helper()
	if file := os.Getenv("PACELINE_C_ECHO"); file != "" {
		module, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return module
	}
	out := t.TempDir()
	cMake(t, "clang", filepath.Join(out, "echo.module.wasm"), "OUT="+out)
	module, err := os.ReadFile(filepath.Join(out, "echo.module.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("../../sdk/c/examples/echo/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	return wasmabi.AppendCustom(module, wasmabi.ManifestSection, manifest)
}

func loadCEcho(t *testing.T) *host.Plugin {
	t.Helper()
	h, err := host.New(host.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	p, err := h.Load(host.Module{Name: "test/echo", Path: "echo.wasm", Bytes: cEchoModule(t)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goHost is the world of the Go example: one input in memory.
type goHost struct{ data string }

func (goHost) Log(sdk.Level, string) {}

func (h goHost) ReadInput(handle uint32, p []byte, offset int64) int64 {
	if handle != 0 || offset < 0 {
		return sdk.ReadNoInput
	}
	return int64(copy(p, h.data[min(offset, int64(len(h.data))):]))
}

// twins are an instance of the C module and one of the Go example.
type twins struct {
	t      *testing.T
	module grpc.ClientConnInterface
	golang *sdk.Instance
}

// openTwins makes a fresh pair; nothing is opened in it yet.
func openTwins(t *testing.T, p *host.Plugin, component, text string) *twins {
	t.Helper()
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	c, err := p.Open(t.Context(), host.ComponentOptions{Name: component, Inputs: []host.Input{{File: file, Size: int64(len(text))}}, Limits: lock.Limits{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	instance, err := c.Fresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = instance.Close() })
	plugin := parts.Plugin()
	w := &twins{t: t, module: instance, golang: sdk.NewInstance(&plugin, goHost{text})}
	return w
}

func (w *twins) open(component, text string) *pb.OpenResponse {
	w.t.Helper()
	request := &pb.OpenRequest{Component: component, Seed: make([]byte, 32)}
	if text != "" {
		request.Inputs = []*pb.Input{{Name: "text", Size: uint64(len(text))}}
		request.Granted = []pb.Capability{pb.Capability_CAPABILITY_INPUTS}
	}
	return w.ask("Plugin/Open", request, new(pb.OpenResponse)).(*pb.OpenResponse)
}

// ask wants the same answer of both, or the same status, and gives the answer.
func (w *twins) ask(path string, request, response proto.Message) proto.Message {
	w.t.Helper()
	full := "/paceline.plugin.v1." + path
	number, ok := host.MethodNumber(full)
	if !ok {
		w.t.Fatalf("no method %s", path)
	}
	raw, err := proto.Marshal(request)
	if err != nil {
		w.t.Fatal(err)
	}
	body, goErr := sdk.ParseReply(w.golang.Invoke(contract.Method(number), raw))
	want := response.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(body, want); err != nil {
		w.t.Fatal(err)
	}
	err = w.module.Invoke(context.WithoutCancel(w.t.Context()), full, request, response)
	if got, want := statusText(err), statusText(goErr); got != want {
		w.t.Fatalf("%s: the C example says %q, Go's %q", path, got, want)
	}
	if !proto.Equal(response, want) {
		w.t.Fatalf("%s of %.500s:\nthe C example answers %.1000s\nGo's answers %.1000s", path, fmt.Sprint(request), fmt.Sprint(response), fmt.Sprint(want))
	}
	return response
}

func statusText(err error) string {
	var coded *sdk.Error
	var e *host.Error
	switch {
	case errors.As(err, &coded):
		return fmt.Sprintf("%d %s", coded.Code, coded)
	case errors.As(err, &e) && e.Cause == host.Status:
		return fmt.Sprintf("%d %s", e.Code, e.Text)
	case err != nil:
		return err.Error()
	}
	return ""
}

func TestCEchoDescribes(t *testing.T) {
	w := openTwins(t, loadCEcho(t), "", "")
	var got pb.DescribeResponse
	if err := w.module.Invoke(t.Context(), "/paceline.plugin.v1.Plugin/Describe", &pb.DescribeRequest{ContractVersion: 1}, &got); err != nil {
		t.Fatal(err)
	}
	body, err := sdk.ParseReply(w.golang.Invoke(contract.MethodDescribe, nil))
	if err != nil {
		t.Fatal(err)
	}
	var want pb.DescribeResponse
	if err := proto.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	if got.GetSdk() != "c/1" {
		t.Errorf("sdk %q", got.GetSdk())
	}
	want.Sdk = got.GetSdk()
	for _, c := range want.GetComponents() {
		c.Purity = pb.Purity_PURITY_PURE // what a Go guest cannot be
	}
	if !proto.Equal(&got, &want) {
		t.Errorf("got %v\nwant %v", &got, &want)
	}
}

// cEchoText has what is hard about lines and characters.
var cEchoText = strings.Join([]string{"\xef\xbb\xbfone", "", "\"two\"\r", " \t", "<b> & é 漢字 😀 \\ \u2028\u2029", "tab\there\x01\x7f",
	"cut \xe2\x82 and \xff \xed\xa0\x80", strings.Repeat("long ", 120_000), "\rlast"}, "\n")

func TestCEchoPlansAsGo(t *testing.T) {
	p := loadCEcho(t)
	w := openTwins(t, p, "repeat", cEchoText)
	w.ask("Workload/Plan", &pb.PlanRequest{}, new(pb.PlanResponse)) // before open
	if got := w.open("nothing", cEchoText); got.GetWorkload() != nil {
		t.Errorf("got %v", got)
	}
	if got := w.open("repeat", cEchoText).GetWorkload().GetTrajectories(); got != 7 {
		t.Errorf("%d trajectories, want 7", got)
	}
	w.open("repeat", cEchoText) // a second time
	for i := range uint64(9) {
		plan := w.ask("Workload/Plan", &pb.PlanRequest{Index: i, Repeat: 1, Seed: make([]byte, 32)}, new(pb.PlanResponse)).(*pb.PlanResponse)
		if turns := plan.GetTrajectory().GetTurns(); (i < 7) != (len(turns) == 1) {
			t.Errorf("plan %d has %d turns", i, len(turns))
		}
	}
	w.ask("Workload/Next", &pb.NextRequest{}, new(pb.NextResponse))
	w.ask("Scorer/Score", &pb.ScoreRequest{}, new(pb.ScoreResponse))
	w.ask("Plugin/CheckInputs", &pb.CheckInputsRequest{}, new(pb.CheckInputsResponse))
}

func TestCEchoFaultsAsGo(t *testing.T) {
	p := loadCEcho(t)
	for _, text := range []string{"", "\n \n"} {
		if faults := openTwins(t, p, "repeat", text).open("repeat", text).GetFaults(); len(faults) != 1 {
			t.Errorf("text %q: faults %v", text, faults)
		}
	}
}

// cSamples are samples with answers and truths of all sorts.
func cSamples(rnd *rand.Rand, n int) []*pb.Sample {
	documents := []string{`{"content":"one"}`, `{"role":"assistant","content":"\u006fne","x":[{}]}`, `{"content":"one"}x`, `{"content":1}`, `{"role":[]}`, "null", "",
		`[]`, `{"content":"one","content":null}`, strings.Repeat("[", 20_000), `{"content":"` + "\xff" + `"}`, `{"content":"\ud800"}`, `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`}
	truths := []string{`"one"`, `"\ufffd"`, `null`, `"two`, ``, `""`, ` "o\u006ee" `}
	var all []*pb.Sample
	for i := range n {
		s := &pb.Sample{}
		fillMessage(rnd, s.ProtoReflect(), 2)
		s.TrajectoryIndex, s.Turn, s.More = uint64(i/3), uint32(i%3), false
		s.Truth = []byte(truths[rnd.IntN(len(truths))])
		if s.GetAnswer() != nil {
			s.Answer.Message = []byte(documents[rnd.IntN(len(documents))])
		}
		if rnd.IntN(2) == 0 {
			s.Outcome = "ok"
		}
		all = append(all, s)
	}
	return all
}

func TestCEchoJudgesAsGo(t *testing.T) {
	p := loadCEcho(t)
	rnd := rand.New(rand.NewPCG(9, 10))
	check, score := openTwins(t, p, "answered", ""), openTwins(t, p, "exact", "")
	check.open("answered", "")
	score.open("exact", "")
	var checked, scored []byte
	for batch := range 8 {
		samples := cSamples(rnd, 40*batch)
		for len(samples) > 0 { // the second half of the batches comes in pieces
			part := samples
			if batch >= 4 && len(samples) > 7 {
				part = samples[:7]
			}
			samples = samples[len(part):]
			for _, s := range part {
				s.More = len(samples) > 0
			}
			c := check.ask("Validator/Check", &pb.CheckRequest{Samples: part}, new(pb.CheckResponse)).(*pb.CheckResponse)
			s := score.ask("Scorer/Score", &pb.ScoreRequest{Samples: part}, new(pb.ScoreResponse)).(*pb.ScoreResponse)
			checked = check.ask("Validator/FoldCheck", &pb.FoldRequest{Account: checked, Batch: c.GetAccount()}, new(pb.FoldResponse)).(*pb.FoldResponse).GetAccount()
			scored = score.ask("Scorer/FoldScore", &pb.FoldRequest{Account: scored, Batch: s.GetAccount()}, new(pb.FoldResponse)).(*pb.FoldResponse).GetAccount()
		}
	}
	for _, account := range [][]byte{checked, scored, nil, []byte("short"), make([]byte, 16)} {
		check.ask("Validator/ConcludeCheck", &pb.ConcludeRequest{Account: account}, new(pb.ConcludeCheckResponse))
		score.ask("Scorer/ConcludeScore", &pb.ConcludeRequest{Account: account}, new(pb.ConcludeScoreResponse))
	}
	check.ask("Validator/Preflight", &pb.PreflightRequest{}, new(pb.PreflightResponse))
	verdict := score.ask("Scorer/ConcludeScore", &pb.ConcludeRequest{Account: scored}, new(pb.ConcludeScoreResponse)).(*pb.ConcludeScoreResponse)
	if n := verdict.GetScored(); n < 100 || verdict.GetScore().GetMicro() <= 0 || verdict.GetScore().GetMicro() >= 1_000_000 {
		t.Errorf("%d scored, %d micro: the samples prove little", n, verdict.GetScore().GetMicro())
	}
}

// A guest that has no memory left says so, or its trap is taken for what it is; the next instance works.
func TestCEchoWantOfMemory(t *testing.T) {
	p := loadCEcho(t)
	c, err := p.Open(t.Context(), host.ComponentOptions{Name: "exact", Limits: lock.Limits{Memory: 2 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for n, want := range map[int]string{1: "", 700: "", 8_000: "memory", 100_000: "status 8", 1 << 20: "memory"} {
		instance, err := c.Fresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := instance.Invoke(t.Context(), "/paceline.plugin.v1.Plugin/Open", &pb.OpenRequest{Component: "exact"}, new(pb.OpenResponse)); err != nil {
			t.Fatal(err)
		}
		request := &pb.ScoreRequest{Samples: make([]*pb.Sample, n)}
		for i := range request.GetSamples() {
			request.Samples[i] = &pb.Sample{}
		}
		var response pb.ScoreResponse
		err = instance.Invoke(t.Context(), "/paceline.plugin.v1.Scorer/Score", request, &response)
		_ = instance.Close()
		if e := (*host.Error)(nil); errors.As(err, &e) {
			got := string(e.Cause)
			if e.Cause == host.Status {
				got = fmt.Sprintf("status %d", e.Code)
			}
			if got != want {
				t.Errorf("%d samples: %v; want %s", n, err, want)
			}
		} else if err != nil || want != "" || len(response.GetItems()) != n {
			t.Errorf("%d samples: %v, %d items", n, err, len(response.GetItems()))
		}
	}
}
