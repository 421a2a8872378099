// Command plain is a plugin of hashicorp/go-plugin with nothing of ours but the messages: what native plugins are compared
// with.
package main

import (
	"context"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"paceline/bench/plugins/handshake"
	pb "paceline/schemas/gen/pluginv1"
)

func main() {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake.Config,
		Plugins:         plugin.PluginSet{handshake.Name: &handshake.Plugin{Serve: register}},
		GRPCServer:      plugin.DefaultGRPCServer,
		Logger:          hclog.NewNullLogger(),
	})
}

func register(s *grpc.Server) { pb.RegisterScorerServer(s, scorer{}) }

type scorer struct{ pb.UnimplementedScorerServer }

// FoldScore gives back the account.
func (scorer) FoldScore(_ context.Context, r *pb.FoldRequest) (*pb.FoldResponse, error) {
	return &pb.FoldResponse{Account: r.GetAccount()}, nil
}
