package wire

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"paceline/core/judge"
	"paceline/core/verdict"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// messages translates a batch and cuts it where it exceeds the request limit: one list of samples for each message. In
// every message but the last one, the samples of its last unit have More set: the receiver answers when all has come.
func messages(batch []judge.Item, unit verdict.Unit) [][]*pb.Sample {
	const margin = 64 // a request's own tag and length
	var all [][]*pb.Sample
	var current []*pb.Sample
	size := 0
	for i := range batch {
		s := sampleOf(&batch[i])
		s.More = true // as it may become, so that the size is the largest one
		n := proto.Size(s)
		s.More = false
		n += margin
		if len(current) > 0 && size+n > lock.MaxRequest {
			goesOn(current, unit)
			all, current, size = append(all, current), nil, 0
		}
		current = append(current, s)
		size += n
	}
	return append(all, current)
}

// goesOn marks the last unit of a message.
func goesOn(samples []*pb.Sample, unit verdict.Unit) {
	last := samples[len(samples)-1]
	for _, s := range samples {
		same := s.GetTrajectoryIndex() == last.GetTrajectoryIndex() && s.GetRepeat() == last.GetRepeat() && s.GetAttempt() == last.GetAttempt()
		if unit == verdict.UnitTurn {
			same = s == last
		}
		s.More = s.More || same
	}
}

// inFresh runs f in a fresh instance.
func (o *opened) inFresh(ctx context.Context, f func(conn grpc.ClientConnInterface) error) error {
	inst, err := o.comp.Fresh(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(inst), inst.Close())
}

// ask sends a batch to one fresh instance, in as many messages as it takes, and gives the answer to the last of them.
// Earlier answers must be empty.
func ask[Q any, R proto.Message](ctx context.Context, o *opened, call string, batch []judge.Item,
	request func([]*pb.Sample) Q, send func(context.Context, grpc.ClientConnInterface, Q) (R, error),
) (R, error) {
	var last R
	err := o.inFresh(ctx, func(conn grpc.ClientConnInterface) error {
		parts := messages(batch, unitOf(o.about.GetUnit()))
		for i, part := range parts {
			response, err := send(ctx, conn, request(part))
			if err != nil {
				return err
			}
			if i < len(parts)-1 && proto.Size(response) > 0 {
				return o.malformed(call, "message %d of %d of a batch was answered before the batch was whole", i+1, len(parts))
			}
			last = response
		}
		return nil
	})
	return last, err
}
