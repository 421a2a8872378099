package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/verdict"
	pb "paceline/schemas/gen/pluginv1"
)

// items makes turns of one trajectory after another; each has so many bytes of history.
func items(perTrajectory, n, history int) []judge.Item {
	var all []judge.Item
	for i := range n {
		s := &sample.Sample{ID: sample.ID{Trajectory: fmt.Sprint("t", i/perTrajectory), Index: uint64(i / perTrajectory), Turn: uint32(i % perTrajectory)}, Exchange: sample.Exchange{Outcome: sample.OK, Timing: sample.NoTiming()}}
		all = append(all, judge.Item{Sample: s, History: make([]byte, history)})
	}
	return all
}

func TestScoreSmall(t *testing.T) {
	var asked *pb.ScoreRequest
	p := load(t, func() *fake {
		return &fake{score: func(q *pb.ScoreRequest) (*pb.ScoreResponse, error) {
			asked = proto.Clone(q).(*pb.ScoreRequest)
			turn := uint32(1)
			return &pb.ScoreResponse{Account: []byte("a"), Items: []*pb.ItemScore{{Trajectory: "t0", Turn: &turn, Scored: true, Micro: 5, Detail: []byte(`{}`)}}}, nil
		}}
	})
	s, err := p.OpenScorer(t.Context(), options("scorer"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	batch := items(2, 3, 0)
	batch[0].Timing.Sent, batch[0].Cause = 17, "bad \xff text"
	batch[0].Chunks = []sample.Chunk{{GapMicros: 1 << 40, Channel: 2, Bytes: 3, Tokens: 4, Told: true}}
	got, err := s.Score(t.Context(), batch)
	turn := uint32(1)
	want := judge.Scored{Account: []byte("a"), Items: []verdict.ItemScore{{Trajectory: "t0", Turn: &turn, Scored: true, Micro: 5, Detail: []byte(`{}`)}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	first := asked.GetSamples()[0]
	if len(asked.GetSamples()) != 3 || first.GetTiming().GetSent() != 17 || first.GetTiming().Done != nil || first.GetMore() ||
		first.GetCause() != "bad \uFFFD text" || first.GetChunks()[0].GetGapUs() != 1<<32-1 || first.GetChunks()[0].GetTokens() != 4 {
		t.Errorf("asked %v", asked)
	}
	if about := s.About(); about.Name != "std/fake/scorer" || about.Kind != "scorer" || about.Version != "1.2.3" || about.Unit != verdict.UnitTurn || !about.Deterministic {
		t.Errorf("about %+v", about)
	}
}

// TestLargeBatch: a batch above the request limit goes in several messages to one fresh instance.
func TestLargeBatch(t *testing.T) {
	type message struct {
		turns []uint32
		more  []bool
	}
	var seen []message
	instances, early := 0, false
	p := load(t, func() *fake {
		instances++
		samples := 0
		return &fake{check: func(q *pb.CheckRequest) (*pb.CheckResponse, error) {
			var m message
			for _, s := range q.GetSamples() {
				m.turns, m.more = append(m.turns, s.GetTurn()), append(m.more, s.GetMore())
			}
			seen = append(seen, m)
			samples += len(q.GetSamples())
			if m.more[len(m.more)-1] && !early {
				return &pb.CheckResponse{}, nil
			}
			return &pb.CheckResponse{Account: []byte(fmt.Sprint(samples))}, nil
		}}
	})
	v, err := p.OpenValidator(t.Context(), options("validator"))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	before := instances
	got, err := v.Check(t.Context(), items(5, 5, 6<<20))
	if err != nil || string(got.Account) != "5" || instances != before+1 {
		t.Errorf("got account %q, %v in %d instances", got.Account, err, instances-before)
	}
	want := []message{{[]uint32{0, 1}, []bool{false, true}}, {[]uint32{2, 3}, []bool{false, true}}, {[]uint32{4}, []bool{false}}}
	if diff := cmp.Diff(want, seen, cmp.AllowUnexported(message{})); diff != "" {
		t.Error(diff)
	}
	early = true
	if _, err := v.Check(t.Context(), items(5, 5, 6<<20)); err == nil || !strings.Contains(err.Error(), "message 1 of 3") {
		t.Errorf("an early answer: got %v", err)
	}
}

func TestJudgeRules(t *testing.T) {
	check := &pb.CheckResponse{}
	count := &pb.CountResponse{}
	p := load(t, func() *fake {
		return &fake{
			check: func(*pb.CheckRequest) (*pb.CheckResponse, error) { return check, nil },
			count: func(*pb.CountRequest) (*pb.CountResponse, error) { return count, nil },
		}
	})
	v, err := p.OpenValidator(t.Context(), options("validator"))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for want, bad := range map[string]*pb.CheckResponse{
		"findings[0].severity": {Findings: []*pb.Finding{{Code: "c"}}},
		"findings[0].code":     {Findings: []*pb.Finding{{Severity: pb.Finding_SEVERITY_INFO}}},
		"findings[0].detail":   {Findings: []*pb.Finding{{Severity: pb.Finding_SEVERITY_INFO, Code: "c", Detail: []byte("{")}}},
		"account of 1048577":   {Account: make([]byte, 1<<20+1)},
	} {
		check = bad
		if _, err := v.Check(t.Context(), items(1, 1, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if got, err := v.Fold(t.Context(), []byte("a"), []byte("b")); err != nil || string(got) != "ab" {
		t.Errorf("fold: got %q, %v", got, err)
	}
	if got, err := v.Preflight(t.Context(), nil, nil); err != nil || got != nil {
		t.Errorf("preflight that is not implemented: got %v, %v", got, err)
	}
	c, err := p.OpenCounter(t.Context(), options("counter"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Count(t.Context(), items(1, 2, 0)); err == nil || !strings.Contains(err.Error(), "0 counts for 2 samples") {
		t.Errorf("count: got %v", err)
	}
}
