package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// wholePlugin checks what concerns no component alone. Without it nothing else can be checked.
func (s *suite) wholePlugin(ctx context.Context) error {
	var broken error
	ok := s.check(ctx, "", "manifest", func(context.Context) error {
		b, err := newBench(&s.o, s.o.Host, s.o.Limits)
		if _, plugins := errors.AsType[*host.Error](err); err != nil && !plugins {
			broken = err
		}
		s.main = b
		return err
	})
	if broken != nil || !ok {
		return broken
	}
	m := s.main.loaded.Manifest()
	s.report.Version = m.Version
	if len(m.Native) > 0 {
		s.main.limits = onTheWall(s.main.limits)
	}
	if !s.check(ctx, "", "describe", s.main.describe) {
		s.main.close()
		s.main = nil
		return nil
	}
	s.check(ctx, "", "describe-again", s.describeAgain)
	s.check(ctx, "", "unknown-component", s.unknownComponent)
	interpreted, emulated := s.o.Host, s.o.Host
	interpreted.Interpret = true
	emulated.Worker = s.o.Emulated
	s.engines = []*engine{{name: "interpreter", opts: interpreted}, {name: "arm64", opts: emulated}}
	switch {
	case len(m.Native) > 0:
		for _, e := range s.engines {
			e.none = "it is a native plugin, which runs on its own processor alone"
		}
	case len(s.o.Emulated) == 0:
		s.engines[1].none = s.o.NoEmulation
	}
	return nil
}

// onTheWall gives a native plugin, whose time is the wall clock's, the largest limits: the machine may be busy with other things.
func onTheWall(l lock.Limits) lock.Limits {
	most := lock.MaxLimits()
	for of, limit := range map[*time.Duration]time.Duration{&l.Plan: most.Plan, &l.Next: most.Next, &l.Batch: most.Batch} {
		if *of == 0 {
			*of = limit
		}
	}
	return l
}

// describeAgain asks a fresh instance, and as a later version of the contract would.
func (s *suite) describeAgain(ctx context.Context) error {
	for what, request := range inOrder(map[string]*pb.DescribeRequest{
		"the same answer from a fresh instance":                  {ContractVersion: lock.ContractVersion},
		"the same answer to a host of a later contract":          {ContractVersion: lock.ContractVersion + 98},
		"the same answer to a request with fields of the future": withUnknown(&pb.DescribeRequest{ContractVersion: lock.ContractVersion}),
	}) {
		err := s.main.bare(ctx, func(conn grpc.ClientConnInterface) error {
			again, err := pb.NewPluginClient(conn).Describe(ctx, request)
			if err != nil {
				return unlike(what, "%v", err)
			}
			return same(what, canonical(s.main.about), canonical(again))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unknownComponent opens what is not there: it must be refused, and the plugin must go on.
func (s *suite) unknownComponent(ctx context.Context) error {
	const name = "there-is-no-such-component"
	return s.main.bare(ctx, func(conn grpc.ClientConnInterface) error {
		r, err := pb.NewPluginClient(conn).Open(ctx, &pb.OpenRequest{Component: name, Config: []byte("{}"), Seed: make([]byte, 32)})
		if err := crashed(err); err != nil {
			return err
		}
		if err == nil && len(r.GetFaults()) == 0 {
			return unlike("a refusal of the component "+name, "that it was opened")
		}
		return nil
	})
}

// futureField is the number of a field that no message of the contract has.
const futureField = 1999

// withUnknown adds fields that no version of the contract knows.
func withUnknown[M proto.Message](m M) M {
	b := protowire.AppendTag(nil, futureField, protowire.BytesType)
	b = protowire.AppendBytes(b, []byte("from the future"))
	b = protowire.AppendTag(b, futureField+1, protowire.VarintType)
	b = protowire.AppendVarint(b, 1<<60)
	m.ProtoReflect().SetUnknown(b)
	return m
}

// canonical is a message's canonical bytes: unknown fields are dropped.
func canonical(m proto.Message) string {
	clean := proto.Clone(m)
	clean.ProtoReflect().SetUnknown(nil)
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(clean)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// same compares two answers and shows where they begin to differ.
func same(what, expected, found string) error {
	if expected == found {
		return nil
	}
	at := 0
	for at < len(expected) && at < len(found) && expected[at] == found[at] {
		at++
	}
	return fmt.Errorf("expected %s; at byte %d expected %s, found %s", what, at, around(expected, at), around(found, at))
}

// around shows a few bytes about a place.
func around(text string, at int) string {
	const before, after = 24, 60
	from, to := max(at-before, 0), min(at+after, len(text))
	if from >= len(text) {
		return "the end"
	}
	return fmt.Sprintf("%q", text[from:to])
}
