package conformance

import (
	"context"

	"google.golang.org/grpc"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

// bench is the plugin in one host.
type bench struct {
	host   *host.Host
	loaded *host.Plugin
	plugin *wire.Plugin
	about  *pb.DescribeResponse
	limits lock.Limits
}

// newBench loads the plugin; no guest code runs yet.
func newBench(o *Options, opts host.Options, limits lock.Limits) (*bench, error) {
	h, err := host.New(opts)
	if err != nil {
		return nil, err
	}
	b := &bench{host: h, limits: limits}
	if b.loaded, err = o.Load(h); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() {
	if b != nil {
		_ = b.host.Close()
	}
}

// describe runs the plugin for the first time: what it says of itself must agree with its manifest.
func (b *bench) describe(ctx context.Context) (err error) {
	if b.plugin, err = wire.LoadWithin(ctx, b.loaded, b.limits); err != nil {
		return err
	}
	return b.bare(ctx, func(conn grpc.ClientConnInterface) error {
		b.about, err = pb.NewPluginClient(conn).Describe(ctx, &pb.DescribeRequest{ContractVersion: lock.ContractVersion})
		return err
	})
}

// bare calls an instance that was not opened.
func (b *bench) bare(ctx context.Context, call func(grpc.ClientConnInterface) error) error {
	c, err := b.loaded.Open(ctx, host.ComponentOptions{Limits: b.limits})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return call(c.Conn())
}

// bench gives the plugin in that engine, made for the first component that asks.
func (s *suite) benchOf(ctx context.Context, e *engine) (*bench, error) {
	if e.none != "" {
		return nil, &skip{e.none}
	}
	if e.bench == nil && e.err == nil {
		// Other engines are slower by far; how long they take is not what is asked.
		limits := lock.MaxLimits()
		limits.Memory = s.o.Limits.Memory
		if e.bench, e.err = newBench(&s.o, e.opts, limits); e.err == nil {
			e.err = e.bench.describe(ctx)
		}
	}
	return e.bench, e.err
}
