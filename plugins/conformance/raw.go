package conformance

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// rawCall is one call of the component's own kind, with or without fields of the future, as canonical bytes.
func (c *component) rawCall(ctx context.Context, conn grpc.ClientConnInterface, unknown bool) (string, error) {
	var r proto.Message
	var err error
	switch c.kind {
	case lock.KindWorkload:
		q := &pb.PlanRequest{Seed: make([]byte, 32)}
		r, err = pb.NewWorkloadClient(conn).Plan(ctx, future(q, unknown))
	case lock.KindValidator:
		q := &pb.CheckRequest{Samples: rawSamples(unknown)}
		r, err = pb.NewValidatorClient(conn).Check(ctx, future(q, unknown))
	case lock.KindScorer:
		q := &pb.ScoreRequest{Samples: rawSamples(unknown)}
		r, err = pb.NewScorerClient(conn).Score(ctx, future(q, unknown))
	default:
		q := &pb.CountRequest{Samples: rawSamples(unknown)}
		r, err = pb.NewCounterClient(conn).Count(ctx, future(q, unknown))
	}
	if err != nil {
		return "", err
	}
	return canonical(r), nil
}

func future[M proto.Message](m M, unknown bool) M {
	if unknown {
		return withUnknown(m)
	}
	return m
}

// rawSamples are two turns of one conversation.
func rawSamples(unknown bool) []*pb.Sample {
	var list []*pb.Sample
	for turn := range uint32(2) {
		a := future(&pb.Answer{Message: []byte(`{"role":"assistant","content":"It is 42."}`), FinishReason: "stop", Outcome: "ok"}, unknown)
		list = append(list, future(&pb.Sample{Workload: "test/made", Trajectory: "raw", Turn: turn, Outcome: "ok", InWindow: true, Phase: "measure",
			Timing: &pb.Timing{}, Answer: a, Status: 200}, unknown))
	}
	return list
}

// unknownFields sends requests with fields that no version of the contract knows, on every level: they change nothing.
func (c *component) unknownFields(ctx context.Context) error {
	call := func(unknown bool) (text string, err error) {
		err = c.rawOpen(ctx, future(c.openRequest(), unknown), func(_ *pb.OpenResponse, conn grpc.ClientConnInterface) error {
			text, err = c.rawCall(ctx, conn, unknown)
			return err
		})
		return text, err
	}
	known, err := call(false)
	if crashed(err) != nil {
		return err
	}
	if err != nil {
		return skipf("the component answers with a status: %v", err)
	}
	with, err := call(true)
	if err != nil {
		return unlike("the same answer with fields of the future", "%v", err)
	}
	return same("the same answer with fields of the future", known, with)
}

// cancellation gives calls up while they run: the next one is answered as ever.
func (c *component) cancellation(ctx context.Context) error {
	conn := c.comp().Conn()
	before, failed := c.rawCall(ctx, conn, false)
	if crashed(failed) != nil {
		return failed
	}
	for _, after := range []time.Duration{0, 300 * time.Microsecond, 3 * time.Millisecond} {
		given, cancel := context.WithTimeout(ctx, after)
		_, _ = c.rawCall(given, conn, false) // it may be quicker
		cancel()
		again, err := c.rawCall(ctx, conn, false)
		if crashed(err) != nil || (err == nil) != (failed == nil) {
			return fmt.Errorf("after a call that was given up: %w", orNothing(err))
		}
		if err := same("the same answer after a call that was given up", before, again); err != nil {
			return err
		}
	}
	return nil
}
