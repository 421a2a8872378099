package wire_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
	"paceline/sdk"
	"paceline/sdk/contract"
	"paceline/sdk/examples/echo/parts"
)

// assemblyScriptEcho gives the module of the example in AssemblyScript: the file that PACELINE_ASSEMBLYSCRIPT_ECHO names,
// or one that is built here.
func assemblyScriptEcho(t *testing.T) []byte {
	t.Helper()
	file := os.Getenv("PACELINE_ASSEMBLYSCRIPT_ECHO")
	if file == "" {
		file = filepath.Join(t.TempDir(), "echo.wasm")
		folder := "../../sdk/assemblyscript"
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("node is not installed: the AssemblyScript example cannot be built")
		}
		if _, err := os.Stat(filepath.Join(folder, "node_modules/assemblyscript")); err != nil {
			t.Skip("the AssemblyScript compiler is not installed: npm ci in sdk/assemblyscript")
		}
		cmd := exec.CommandContext(t.Context(), "node", "paceline/build.mjs", "examples/echo", "--out", file)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build the example: %v\n%s", err, out)
		}
	}
	module, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// lines of a text with what is hard about lines and characters.
var echoText = strings.Join([]string{
	"\xef\xbb\xbfone", "", "\"two\"\r", " \t", "<b> & é 漢字 😀 \\ \u2028", "tab\there\x01", "cut \xe2\x82 and \xff \xed\xa0\x80",
	strings.Repeat("long ", 120_000), "\rlast",
}, "\n")

// memoryHost is the host of the Go plugin in this process.
type memoryHost struct{ data []byte }

func (memoryHost) Log(sdk.Level, string) {}

func (h memoryHost) ReadInput(handle uint32, p []byte, offset int64) int64 {
	if handle != 0 || offset < 0 {
		return sdk.ReadNoInput
	}
	return int64(copy(p, h.data[min(offset, int64(len(h.data))):]))
}

// both are an instance of each plugin, opened in the same way.
type both struct {
	t      *testing.T
	as     grpc.ClientConnInterface
	golang *sdk.Instance
}

func openBoth(t *testing.T, p *host.Plugin, component, text string) *both {
	t.Helper()
	open := &pb.OpenRequest{Component: component, Config: []byte("{}"), Seed: make([]byte, 32)}
	opts := host.ComponentOptions{Name: component}
	if text != "" {
		name := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		sum := sha256.Sum256([]byte(text))
		open.Inputs = []*pb.Input{{Name: "text", Size: uint64(len(text)), Sha256: sum[:]}}
		open.Granted = []pb.Capability{pb.Capability_CAPABILITY_INPUTS}
		opts.Inputs = []host.Input{{File: file, Size: int64(len(text))}}
	}
	plugin := parts.Plugin()
	b := &both{t: t, golang: sdk.NewInstance(&plugin, memoryHost{[]byte(text)})}
	opts.Opened = func(_ context.Context, conn grpc.ClientConnInterface) error {
		b.as = conn
		b.same(pb.Method_METHOD_OPEN, open, new(pb.OpenResponse))
		return nil
	}
	c, err := p.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	b.as = c.Conn()
	return b
}

// paths of the methods in gRPC's form.
var paths = map[pb.Method]string{
	pb.Method_METHOD_OPEN: "Plugin/Open", pb.Method_METHOD_CHECK_INPUTS: "Plugin/CheckInputs", pb.Method_METHOD_PLAN: "Workload/Plan",
	pb.Method_METHOD_NEXT: "Workload/Next", pb.Method_METHOD_PREFLIGHT: "Validator/Preflight", pb.Method_METHOD_CHECK: "Validator/Check",
	pb.Method_METHOD_FOLD_CHECK: "Validator/FoldCheck", pb.Method_METHOD_CONCLUDE_CHECK: "Validator/ConcludeCheck",
	pb.Method_METHOD_SCORE: "Scorer/Score", pb.Method_METHOD_FOLD_SCORE: "Scorer/FoldScore", pb.Method_METHOD_CONCLUDE_SCORE: "Scorer/ConcludeScore",
	pb.Method_METHOD_COUNT: "Counter/Count",
}

// same sends a request to both plugins and wants the same answer, or the same status; it leaves the answer in response.
func (b *both) same(m pb.Method, request, response proto.Message) {
	b.t.Helper()
	raw, err := proto.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	body, goErr := sdk.ParseReply(b.golang.Invoke(contract.Method(m), raw))
	want := proto.Clone(response)
	if err := proto.Unmarshal(body, want); err != nil {
		b.t.Fatal(err)
	}
	asErr := b.as.Invoke(b.t.Context(), "/paceline.plugin.v1."+paths[m], request, response)
	if wantStatus, status := statusOf(goErr), statusOf(asErr); status != wantStatus {
		b.t.Errorf("%s: status %q, the Go example says %q", m, status, wantStatus)
		return
	}
	mendJSON(want)
	got := proto.Clone(response)
	mendJSON(got)
	if !proto.Equal(got, want) {
		b.t.Errorf("%s: got %.2000s\nthe Go example says %.2000s", m, fmt.Sprint(got), fmt.Sprint(want))
	}
}

func statusOf(err error) string {
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

// mendJSON writes the documents of a plan anew: Go escapes more characters than it must.
func mendJSON(m proto.Message) {
	plan, ok := m.(*pb.PlanResponse)
	if !ok {
		return
	}
	anew := func(doc []byte) []byte {
		var v any
		if json.Unmarshal(doc, &v) != nil {
			return doc
		}
		doc, _ = json.Marshal(v)
		return doc
	}
	for _, turn := range plan.GetTrajectory().GetTurns() {
		turn.Truth = anew(turn.Truth)
		for _, a := range turn.GetAppend() {
			a.Body = &pb.Message_Json{Json: anew(a.GetJson())}
		}
	}
}

// loadAssemblyScript loads the module as the runner does.
func loadAssemblyScript(t *testing.T) *host.Plugin {
	t.Helper()
	module := assemblyScriptEcho(t)
	h, err := host.New(host.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	p, err := h.Load(host.Module{Name: "test/echo", Path: "echo.wasm", Bytes: module})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAssemblyScriptEcho asks the example in AssemblyScript, in its sandbox, what it asks the one in Go.
func TestAssemblyScriptEcho(t *testing.T) {
	p := loadAssemblyScript(t)
	plugin, err := wire.Load(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("as a run does", func(t *testing.T) { playAssemblyScript(t, plugin) })
	t.Run("workload", func(t *testing.T) {
		b := openBoth(t, p, "repeat", echoText)
		var first pb.PlanResponse
		for index := range uint64(8) {
			b.same(pb.Method_METHOD_PLAN, &pb.PlanRequest{Index: index, Repeat: 3, Seed: []byte("seed")}, new(pb.PlanResponse))
		}
		b.same(pb.Method_METHOD_PLAN, &pb.PlanRequest{}, &first)
		if turns := first.GetTrajectory().GetTurns(); len(turns) != 1 || !bytes.Contains(turns[0].GetAppend()[0].GetJson(), []byte("exactly: one")) {
			t.Errorf("the first plan is %v", &first)
		}
		b.same(pb.Method_METHOD_PLAN, &pb.PlanRequest{Index: 1 << 63}, new(pb.PlanResponse))
		b.same(pb.Method_METHOD_NEXT, &pb.NextRequest{}, new(pb.NextResponse))
		b.same(pb.Method_METHOD_SCORE, &pb.ScoreRequest{}, new(pb.ScoreResponse))
	})
	t.Run("faults", func(t *testing.T) {
		openBoth(t, p, "repeat", "")
		openBoth(t, p, "repeat", "\n \t\r\n")
	})
	t.Run("validator", func(t *testing.T) { judgeBoth(t, p, "answered") })
	t.Run("scorer", func(t *testing.T) { judgeBoth(t, p, "exact") })
}

// echoSamples have answers of all sorts.
func echoSamples() (samples []*pb.Sample) {
	add := func(truth string, answer *pb.Answer, outcome string) {
		n := uint32(len(samples))
		samples = append(samples, &pb.Sample{Trajectory: fmt.Sprint("line-", n/2), TrajectoryIndex: uint64(n / 2), Repeat: 1, Turn: n % 2, Outcome: outcome,
			Truth: []byte(truth), Answer: answer, Timing: &pb.Timing{Due: proto.Uint64(1 << 62), Done: proto.Uint64(0)},
			Labels: []*pb.Label{{Key: "k", Value: "wörd"}}, Chunks: []*pb.Chunk{{GapUs: 7, Tokens: proto.Uint32(0)}}})
	}
	for _, message := range []string{
		`{"content":"one"}`, `{"role":"assistant","content":"one"}`, `{"content":"two"}`, `{"content":null}`, `{}`, `null`, ``, `{`, `[]`, `"one"`,
		`{"content":["one"]}`, `{"content":"one"}x`, `{"content":"\u006fne"}`, `{"content":"on\u0065","content":"two"}`, `{"role":1,"content":"one"}`,
		` { "tool_calls" : [ { "a" : [ -1.5e+3 , true , false , null ] } ] , "content" : "one" } `, `{"content":"one",}`, `{"content":"\ud83d"}`,
		`{"content":"` + strings.Repeat("y", 200_000) + `"}`, `{"content":"\x"}`, `{"n":01,"content":"one"}`, `{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	} {
		add(`"one"`, &pb.Answer{Message: []byte(message), Outcome: "ok"}, "ok")
	}
	add(`"cut \ufffd\ufffd"`, &pb.Answer{Message: []byte("{\"content\":\"cut \xe2\x82\"}")}, "ok")
	add(`"\ud83d\ude00"`, &pb.Answer{Message: []byte(`{"content":"😀"}`)}, "ok")
	add(``, &pb.Answer{Message: []byte(`{"content":""}`)}, "ok")
	add(`{}`, &pb.Answer{Message: []byte(`{"content":""}`)}, "ok")
	add(`"one"`, nil, "timeout")
	add(`"one"`, &pb.Answer{Outcome: "http_500"}, "http_500")
	return samples
}

func judgeBoth(t *testing.T, p *host.Plugin, component string) {
	b := openBoth(t, p, component, "")
	samples := echoSamples()
	check, fold, conclude := pb.Method_METHOD_CHECK, pb.Method_METHOD_FOLD_CHECK, pb.Method_METHOD_CONCLUDE_CHECK
	ask := func(samples []*pb.Sample) []byte {
		var answer pb.CheckResponse
		b.same(check, &pb.CheckRequest{Samples: samples}, &answer)
		return answer.GetAccount()
	}
	end := func(account []byte) {
		b.same(conclude, &pb.ConcludeRequest{Account: account, Metrics: []byte("{}")}, new(pb.ConcludeCheckResponse))
	}
	if component == "exact" {
		check, fold, conclude = pb.Method_METHOD_SCORE, pb.Method_METHOD_FOLD_SCORE, pb.Method_METHOD_CONCLUDE_SCORE
		ask = func(samples []*pb.Sample) []byte {
			var answer pb.ScoreResponse
			b.same(check, &pb.ScoreRequest{Samples: samples}, &answer)
			return answer.GetAccount()
		}
		end = func(account []byte) {
			b.same(conclude, &pb.ConcludeRequest{Account: account}, new(pb.ConcludeScoreResponse))
		}
	}
	whole := ask(samples)
	ask(nil)
	for _, s := range samples[:3] {
		s.More = true
	}
	ask(samples[:2]) // goes on
	if again := ask(samples[2:]); !bytes.Equal(again, whole) || len(whole) != 16 {
		t.Errorf("in two requests the account is %x, in one %x", again, whole)
	}
	var folded pb.FoldResponse
	b.same(fold, &pb.FoldRequest{Account: whole, Batch: whole}, &folded)
	b.same(fold, &pb.FoldRequest{Batch: []byte("short")}, new(pb.FoldResponse))
	b.same(fold, &pb.FoldRequest{}, new(pb.FoldResponse))
	end(folded.GetAccount())
	end(nil)
	end([]byte("short"))
	b.same(pb.Method_METHOD_CHECK_INPUTS, &pb.CheckInputsRequest{}, new(pb.CheckInputsResponse))
	b.same(pb.Method_METHOD_COUNT, &pb.CountRequest{}, new(pb.CountResponse))
}

// playAssemblyScript plays the three components through the core's interfaces.
func playAssemblyScript(t *testing.T, p *wire.Plugin) {
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := store.OpenInput(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	w, err := p.OpenWorkload(t.Context(), wire.Options{FullName: "test/echo/repeat", Component: "repeat", RootSeed: 1,
		Granted: []lock.Capability{lock.CapabilityInputs}, Inputs: []wire.Input{{Name: "text", File: in.File, Size: in.Size, SHA256: in.SHA256}}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	plan, err := w.Plan(t.Context(), 1, 0)
	if err != nil || plan.ID != "line-00000001" || w.Info().Trajectories != 2 {
		t.Fatalf("planned %+v, %v", plan, err)
	}
	s, err := p.OpenScorer(t.Context(), wire.Options{FullName: "test/echo/exact", Component: "exact", RootSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	item := judge.Item{Sample: &sample.Sample{ID: sample.ID{Trajectory: plan.ID}, Exchange: sample.Exchange{Outcome: sample.OK, Timing: sample.NoTiming()}}}
	scored, err := s.Score(t.Context(), []judge.Item{item})
	if err != nil || len(scored.Items) != 1 || scored.Items[0].Reason != "no answer" {
		t.Errorf("scored %+v, %v", scored, err)
	}
	v, err := p.OpenValidator(t.Context(), wire.Options{FullName: "test/echo/answered", Component: "answered", RootSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	checked, err := v.Check(t.Context(), []judge.Item{item})
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := v.Conclude(t.Context(), judge.Conclusion{Account: checked.Account, Metrics: []byte(`{}`), RunConfig: []byte(`{}`)})
	if err != nil || !verdict.Passed {
		t.Errorf("concluded %+v, %v", verdict, err)
	}
}
