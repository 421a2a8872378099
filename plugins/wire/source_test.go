package wire_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/plugins/host"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

func jsonMessage(text string) *pb.Message {
	return &pb.Message{Body: &pb.Message_Json{Json: []byte(text)}}
}

func openWorkload(t *testing.T, make func() *fake) *wire.Workload {
	t.Helper()
	w, err := load(t, make).OpenWorkload(t.Context(), options("workload"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func planner(said func() *pb.Trajectory) func() *fake {
	return func() *fake {
		return &fake{plan: func(*pb.PlanRequest) (*pb.PlanResponse, error) { return &pb.PlanResponse{Trajectory: said()}, nil }}
	}
}

func good() *pb.Trajectory {
	offset := uint64(5)
	return &pb.Trajectory{
		Id: "t-1", Domain: "coding", Labels: []*pb.Label{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}, StartOffsetNs: &offset,
		Defaults: &pb.Defaults{Params: []byte(`{"x":1}`), Tools: []byte(`[]`)}, Truth: []byte(`{"t":1}`), State: []byte("s"),
		Turns: []*pb.Turn{
			{Index: 0, Append: []*pb.Message{jsonMessage(`{"role":"user","content":"hi"}`)}, DelayNs: 7, MaxTokens: 9, Recorded: jsonMessage(`{"role":"assistant"}`)},
			{Index: 1, Append: []*pb.Message{jsonMessage(`{"role":"user","content":"again"}`)}, After: &pb.After{Turns: []uint32{0}}, Final: true, Params: []byte(`{}`), Truth: []byte(`1`)},
		},
	}
}

func TestPlan(t *testing.T) {
	var asked []*pb.PlanRequest
	w := openWorkload(t, func() *fake {
		return &fake{plan: func(q *pb.PlanRequest) (*pb.PlanResponse, error) {
			asked = append(asked, q)
			return &pb.PlanResponse{Trajectory: good()}, nil
		}}
	})
	got, err := w.Plan(t.Context(), 7, 1)
	if err != nil {
		t.Fatal(err)
	}
	offset, after := 5*time.Nanosecond, []uint32{0}
	want := &trajectory.Trajectory{
		ID: "t-1", Index: 7, Domain: "coding", Labels: []trajectory.Label{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}, StartOffset: &offset,
		Params: []byte(`{"x":1}`), Tools: []byte(`[]`), Truth: []byte(`{"t":1}`), State: []byte("s"),
		Turns: []trajectory.Turn{
			{Append: []trajectory.Message{{JSON: []byte(`{"role":"user","content":"hi"}`)}}, Delay: 7, MaxTokens: 9, Recorded: &trajectory.Message{JSON: []byte(`{"role":"assistant"}`)}},
			{Index: 1, Append: []trajectory.Message{{JSON: []byte(`{"role":"user","content":"again"}`)}}, After: &after, Final: true, Params: []byte(`{}`), Truth: []byte(`1`)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(asked) != 1 || asked[0].GetIndex() != 7 || asked[0].GetRepeat() != 1 || len(asked[0].GetSeed()) != 32 {
		t.Errorf("asked %v", asked)
	}
}

// TestSeeds holds the seeds that are sent to the vectors of schemas/plugin/v1/README.md.
func TestSeeds(t *testing.T) {
	var opened, planned []byte
	p := load(t, func() *fake {
		return &fake{
			open: func(q *pb.OpenRequest) (*pb.OpenResponse, error) {
				opened = q.GetSeed()
				return &pb.OpenResponse{Workload: &pb.WorkloadInfo{}}, nil
			},
			plan: func(q *pb.PlanRequest) (*pb.PlanResponse, error) {
				planned = q.GetSeed()
				return &pb.PlanResponse{Trajectory: good()}, nil
			},
		}
	})
	opts := options("workload")
	opts.FullName = "std/mlperf/agentic"
	w, err := p.OpenWorkload(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Plan(t.Context(), 7, 1); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(opened); got != "d080c916a3bf2dee65c87258f76f2686cbeb539873cad5c552b91e90fe68ebe5" {
		t.Errorf("component seed %s", got)
	}
	if got := hex.EncodeToString(planned); got != "f7d14556e6b2167b8253f2a1db40165dffa0d3be87161cf729a5d0d69c8d8d78" {
		t.Errorf("plan seed %s", got)
	}
}

func TestPlanMalformed(t *testing.T) {
	tests := []struct {
		name   string
		change func(*pb.Trajectory)
		want   string
	}{
		{"no id", func(s *pb.Trajectory) { s.Id = "" }, "id is empty"},
		{"id not ascii", func(s *pb.Trajectory) { s.Id = "a\nb" }, "printable ascii"},
		{"no turns", func(s *pb.Trajectory) { s.Turns = nil }, "no turns"},
		{"labels", func(s *pb.Trajectory) { s.Labels[0].Key = "z" }, "label"},
		{"same index", func(s *pb.Trajectory) { s.Turns[1].Index = 0 }, "same index"},
		{"message", func(s *pb.Trajectory) { s.Turns[1].Append[0] = jsonMessage("{") }, "turn 1"},
		{"empty message", func(s *pb.Trajectory) { s.Turns[1].Append[0] = &pb.Message{} }, "turns[1].append[0].body is missing"},
		{"params", func(s *pb.Trajectory) { s.Turns[0].Params = []byte("[]") }, "params"},
		{"delay", func(s *pb.Trajectory) { s.Turns[0].DelayNs = 1 << 63 }, "turns[0].delay_ns: 9223372036854775808 nanoseconds are too many"},
		{"after itself", func(s *pb.Trajectory) { s.Turns[1].After.Turns[0] = 1 }, "waits for turn 1"},
		{"state", func(s *pb.Trajectory) { s.State = make([]byte, 256<<10+1) }, "state of 262145 bytes, and 262144"},
		{"turns", func(s *pb.Trajectory) { s.Turns = make([]*pb.Turn, 100_001) }, "100001 turns, and 100000"},
		{"filler scope", func(s *pb.Trajectory) {
			piece := &pb.Piece{Kind: &pb.Piece_Filler{Filler: &pb.Filler{Tokens: 1}}}
			s.Turns[0].Append[0] = &pb.Message{Body: &pb.Message_Composed{Composed: &pb.Composed{Pieces: []*pb.Piece{piece}}}}
		}, "turns[0].append[0].composed.pieces[0].filler.scope: unknown (0)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := openWorkload(t, planner(func() *pb.Trajectory {
				said := good()
				test.change(said)
				for i, turn := range said.GetTurns() {
					if turn == nil {
						said.Turns[i] = &pb.Turn{}
					}
				}
				return said
			}))
			_, err := w.Plan(t.Context(), 3, 0)
			e, ok := errors.AsType[*host.Error](err)
			if !ok || e.Cause != host.Malformed || e.Plugin != "std/fake" || e.Component != "workload" || e.Call != "Plan" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a malformed reply of Plan saying %q", err, test.want)
			}
			if w.Retries() != 1 {
				t.Errorf("asked again %d times, want once", w.Retries())
			}
		})
	}
}

// TestPlanAgain: a plan that fails once is asked for again in a fresh instance.
func TestPlanAgain(t *testing.T) {
	instances := 0
	w := openWorkload(t, func() *fake {
		instances++
		mine := instances
		return &fake{plan: func(*pb.PlanRequest) (*pb.PlanResponse, error) {
			if mine <= 2 { // the first one was for Describe
				return nil, status.Error(codes.Internal, "not today")
			}
			return &pb.PlanResponse{Trajectory: good()}, nil
		}}
	})
	if got, err := w.Plan(t.Context(), 0, 0); err != nil || got.ID != "t-1" || w.Retries() != 1 {
		t.Errorf("got %v, %v after %d retries", got, err, w.Retries())
	}
}

func TestNext(t *testing.T) {
	var asked *pb.NextRequest
	answer := &pb.NextResponse{State: []byte("s2"), Turns: []*pb.Turn{{Index: 3, Append: []*pb.Message{jsonMessage(`{}`)}}}, End: &pb.End{Outcome: "solved", Result: []byte(`{"n":1}`)}}
	w := openWorkload(t, func() *fake {
		return &fake{next: func(q *pb.NextRequest) (*pb.NextResponse, error) {
			asked = q
			return answer, nil
		}}
	})
	cached := uint64(3)
	x := &sample.Exchange{Outcome: sample.OK, Answer: &chat.Answer{Message: []byte(`{"role":"assistant"}`), FinishReason: "stop",
		Usage: chat.Usage{Reported: true, PromptTokens: 1, CompletionTokens: 2, CachedTokens: &cached}, Headers: []chat.Header{{Name: "X-A", Value: "\xff"}}}}
	step, err := w.Next(t.Context(), []byte("s1"), 2, x)
	if err != nil {
		t.Fatal(err)
	}
	want := trajectory.Step{State: []byte("s2"), Turns: []trajectory.Turn{{Index: 3, Append: []trajectory.Message{{JSON: []byte(`{}`)}}}}, End: &trajectory.End{Outcome: "solved", Result: []byte(`{"n":1}`)}}
	if diff := cmp.Diff(want, step); diff != "" {
		t.Error(diff)
	}
	if a := asked.GetAnswer(); string(asked.GetState()) != "s1" || asked.GetTurn() != 2 || a.GetOutcome() != "ok" || a.GetUsage().GetCachedTokens() != 3 || a.GetHeaders()[0].GetValue() != "\uFFFD" {
		t.Errorf("asked %v", asked)
	}
	answer = &pb.NextResponse{State: bytes.Repeat([]byte("x"), 256<<10+1)}
	if _, err := w.Next(t.Context(), nil, 0, x); err == nil || !strings.Contains(err.Error(), "262145 bytes, and 262144") {
		t.Errorf("large state: got %v", err)
	}
	answer = &pb.NextResponse{End: &pb.End{Result: []byte("{")}}
	if _, err := w.NextFresh(t.Context(), nil, 0, x); err == nil || !strings.Contains(err.Error(), "end.result") {
		t.Errorf("bad result: got %v", err)
	}
}

func TestInfo(t *testing.T) {
	said := &pb.OpenResponse{Losses: []string{"images"}, Workload: &pb.WorkloadInfo{Trajectories: 5, Live: true, Fixed: true, Provenance: "recorded", Defaults: &pb.Defaults{Params: []byte(`{}`)}}}
	open := func() (*wire.Workload, error) {
		return load(t, func() *fake { return &fake{open: func(*pb.OpenRequest) (*pb.OpenResponse, error) { return said, nil }} }).OpenWorkload(t.Context(), options("workload"))
	}
	w, err := open()
	if err != nil {
		t.Fatal(err)
	}
	want := trajectory.Info{Trajectories: 5, Live: true, Fixed: true, Params: []byte(`{}`), Provenance: "recorded", Losses: []string{"images"}}
	if diff := cmp.Diff(want, w.Info()); diff != "" {
		t.Error(diff)
	}
	_ = w.Close()
	for _, bad := range []*pb.OpenResponse{
		{}, {Workload: &pb.WorkloadInfo{Provenance: "guessed"}}, {Workload: &pb.WorkloadInfo{Defaults: &pb.Defaults{Tools: []byte(`{}`)}}},
	} {
		said = bad
		if _, err := open(); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// What a live agent gets of an answer is the same when the answer comes out of a journal.
func TestNextGetsWhatTheJournalKeeps(t *testing.T) {
	var asked []*pb.NextRequest
	w := openWorkload(t, func() *fake {
		return &fake{next: func(q *pb.NextRequest) (*pb.NextResponse, error) {
			asked = append(asked, q)
			return &pb.NextResponse{End: &pb.End{}}, nil
		}}
	})
	first := &chat.Answer{Message: []byte(`{"content":"<&\u2028é"}`), FinishReason: "a\xffb\xff\xff", Extra: []byte("{\"x\": [1,\n 2.50], \"y\":\"\u2028 <\"}"),
		Headers: []chat.Header{{Name: "X-A", Value: "\xe2\x28\xff\xfe"}}}
	var kept bytes.Buffer
	encoder := json.NewEncoder(&kept) // as the journal does
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(first); err != nil {
		t.Fatal(err)
	}
	again := &chat.Answer{}
	if err := json.Unmarshal(kept.Bytes(), again); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*chat.Answer{first, again} {
		if _, err := w.Next(t.Context(), nil, 0, &sample.Exchange{Outcome: sample.OK, Answer: a}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(asked[0], asked[1], protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}
