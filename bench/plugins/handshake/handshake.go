// Package handshake is what the benchmark of plugins and its plain plugin agree on.
package handshake

import (
	"context"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Name is the plugin's name in go-plugin's set.
const Name = "plain"

// Config is go-plugin's handshake.
//
//nolint:gochecknoglobals // read only; go-plugin wants a value
var Config = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "PACELINE_BENCH", MagicCookieValue: "plain"}

// Plugin hands out the bare connection, and serves what Serve registers.
type Plugin struct {
	plugin.NetRPCUnsupportedPlugin
	Serve func(*grpc.Server)
}

// GRPCServer implements plugin.GRPCPlugin.
func (p *Plugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	p.Serve(s)
	return nil
}

// GRPCClient implements plugin.GRPCPlugin; it gives a *grpc.ClientConn.
func (*Plugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}
