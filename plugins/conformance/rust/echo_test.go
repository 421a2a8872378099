package rust

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"paceline/plugins/host"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

// text has lines with what is hard about lines and characters.
var text = []byte("\xEF\xBB\xBFone\n\n  \t\r\n\"two\" \\ / <&> \u2028\u2029 \u00e9 \U0001F600 \x7f\r\n\x00\x01\b\f\t cut \xff \xe2\x82 \xed\xa0\x80 \xf0\x9f\x98 \ufffd\n" +
	strings.Repeat("long ", 200_000) + "\n\rlast")

func TestManifest(t *testing.T) {
	p := load(t, get(t, echo), host.Options{})
	if _, err := wire.Load(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	m := p.Manifest()
	if m.Name != "echo" || !m.Pure() || len(m.Components) != 3 {
		t.Errorf("got %+v", m)
	}
	if p.Size() > 150_000 {
		t.Errorf("the module has %d bytes, want 150,000 at most", p.Size())
	}
}

func TestWorkload(t *testing.T) {
	p := load(t, get(t, echo), host.Options{})
	both, opened := openPair(t, p, "repeat", text)
	n := opened.Message.(*pb.OpenResponse).GetWorkload().GetTrajectories()
	if n != 5 {
		t.Fatalf("%d trajectories, want 5", n)
	}
	for _, index := range []uint64{0, 1, 2, 3, 4, 3, 5, 1 << 32, 1<<64 - 1} {
		for repeat := range uint32(2) {
			answer := both.same("Workload/Plan", &pb.PlanRequest{Index: index, Repeat: repeat, Seed: bytes.Repeat([]byte{7}, 32)}, new(pb.PlanResponse))
			if (index < n) != (answer.Status == "") {
				t.Errorf("plan %d: %+v", index, answer)
			}
		}
	}
	both.same("Plugin/Open", &pb.OpenRequest{Component: "repeat"}, new(pb.OpenResponse))
	unimplemented(both, "Plugin/CheckInputs", "Workload/Next", "Validator/Check", "Scorer/Score", "Counter/Count")
}

// unimplemented asks for what the component has not.
func unimplemented(both *pair, methods ...string) {
	both.t.Helper()
	for _, method := range methods {
		if answer := both.same(method, &pb.CheckInputsRequest{}, new(pb.CheckInputsResponse)); !strings.HasPrefix(answer.Status, "12 ") {
			both.t.Errorf("%s: %+v", method, answer)
		}
	}
}

func TestOpenFaults(t *testing.T) {
	p := load(t, get(t, echo), host.Options{})
	for name, text := range map[string][]byte{"no input": nil, "empty": {}, "blank": []byte("\n \t\r\n\xEF\xBB\xBF\n")[:4]} {
		if _, opened := openPair(t, p, "repeat", text); len(opened.Message.(*pb.OpenResponse).GetFaults()) != 1 {
			t.Errorf("%s: %+v", name, opened)
		}
	}
	if _, opened := openPair(t, p, "other", nil); !strings.HasPrefix(opened.Status, "5 ") {
		t.Errorf("unknown component: %+v", opened)
	}
}

// samples are turns with answers and truths of every kind.
func samples() (all []*pb.Sample) {
	deep := func(n int) string {
		return `{"content":"one","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	answers := []string{
		`{"role":"assistant","content":"one"}`, `{"content":"two"}`, `{"content":null}`, `{"content":7}`, `{"role":7,"content":"one"}`, `{"role":null}`,
		`null`, `[]`, `"one"`, ` {"content" : "one"} `, `{"content":"one"`, `{"content":"one"}}`, `{"content":"x","content":"one"}`, "", " ",
		"{\"content\":\"cut \xff\"}", "{\"content\":\"cut \xe2\x82\"}", `{"content":"\ud800"}`, `{"content":"\ud83d\ude00"}`, `{"content":"\u0000"}`,
		"{\"content\":\"\x01\"}", `{"content":"\x"}`, `{"content":"a","b":01}`, `{"content":"a","b":-1.5e+3}`, `{"content":"a","b":tru}`,
		`{"content":"` + strings.Repeat("long ", 10_000) + `"}`, deep(9_999), deep(10_000), strings.Repeat("[", 200_000), `{"a":{"content":"no"},"content":"one"}`,
	}
	truths := []string{`"one"`, `null`, `"cut \ufffd"`, `7`, ``, `"\ufffd"`, `"😀"`, `"` + strings.Repeat("long ", 10_000) + `"`, "\"cut \xff\""}
	outcomes := []string{"ok", "ok", "timeout", "not_sent", ""}
	for i, message := range answers {
		for k, truth := range truths {
			s := &pb.Sample{Trajectory: fmt.Sprint("t", i), TrajectoryIndex: uint64(i), Repeat: uint32(k), Turn: uint32(i * k), Outcome: outcomes[(i+k)%len(outcomes)],
				Truth: []byte(truth), Answer: &pb.Answer{Message: []byte(message), Usage: &pb.Usage{CachedTokens: proto.Uint64(3)}}}
			if (i+k)%11 == 5 {
				s.Answer = nil
			}
			all = append(all, s)
		}
	}
	all[3].ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 999, protowire.VarintType), 7))
	return all
}

// batches calls judge with all samples at once and in several requests, where the last sample of a request has more.
func batches(judge func([]*pb.Sample)) {
	all := samples()
	judge(all)
	judge(nil)
	all[9].More, all[19].More = true, true
	judge(all[:10])
	judge(all[10:20])
	judge(all[20:30])
	judge(all[30:31])
}

func TestScorer(t *testing.T) {
	both, _ := openPair(t, load(t, get(t, echo), host.Options{}), "exact", nil)
	var accounts [][]byte
	scored := map[string]int{}
	batches(func(batch []*pb.Sample) {
		r := both.same("Scorer/Score", &pb.ScoreRequest{Samples: batch}, new(pb.ScoreResponse)).Message.(*pb.ScoreResponse)
		accounts = append(accounts, r.GetAccount())
		for _, item := range r.GetItems() {
			scored[fmt.Sprint(item.GetReason(), item.GetMicro())]++
		}
	})
	if len(scored) != 4 {
		t.Errorf("kinds of items: %v", scored)
	}
	for _, account := range append(fold(both, "Scorer/FoldScore", accounts), nil, bytes.Repeat([]byte{0xff}, 16)) {
		both.same("Scorer/ConcludeScore", &pb.ConcludeRequest{Account: account, Metrics: []byte("{}")}, new(pb.ConcludeScoreResponse))
	}
	unimplemented(both, "Plugin/CheckInputs", "Workload/Plan", "Validator/Check", "Scorer/Evaluate")
}

func TestValidator(t *testing.T) {
	both, _ := openPair(t, load(t, get(t, echo), host.Options{}), "answered", nil)
	var accounts [][]byte
	batches(func(batch []*pb.Sample) {
		r := both.same("Validator/Check", &pb.CheckRequest{Samples: batch}, new(pb.CheckResponse))
		accounts = append(accounts, r.Message.(*pb.CheckResponse).GetAccount())
	})
	for _, account := range append(fold(both, "Validator/FoldCheck", accounts), nil, append(make([]byte, 7), 1, 0, 0, 0, 0, 0, 0, 0, 1)) {
		both.same("Validator/ConcludeCheck", &pb.ConcludeRequest{Account: account}, new(pb.ConcludeCheckResponse))
	}
	unimplemented(both, "Plugin/CheckInputs", "Validator/Preflight", "Scorer/Score")
}

// fold joins accounts in order and gives each state of the running account; one that is malformed is refused by both.
func fold(both *pair, method string, accounts [][]byte) (all [][]byte) {
	var account []byte
	for _, batch := range accounts {
		r := both.same(method, &pb.FoldRequest{Account: account, Batch: batch}, new(pb.FoldResponse))
		account = r.Message.(*pb.FoldResponse).GetAccount()
		all = append(all, account)
	}
	if refused := both.same(method, &pb.FoldRequest{Account: account, Batch: []byte("short")}, new(pb.FoldResponse)); !strings.HasPrefix(refused.Status, "3 ") {
		both.t.Errorf("a malformed account: %+v", refused)
	}
	return all
}
