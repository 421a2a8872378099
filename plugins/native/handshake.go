package native

import (
	"context"
	"errors"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"paceline/plugins/lock"
)

// The cookie tells a plugin that a runner started it. It keeps no secret.
const (
	cookieKey   = "PLUGIN_COOKIE"
	cookieValue = "paceline-plugin"
)

// contracts are the versions of the contract that this runner speaks: the present one, and the one before it once there is one.
func contracts() []int { return []int{lock.ContractVersion} }

// services stands for the services of the contract. go-plugin wants one for each version; the connection is used directly.
type services struct{ plugin.NetRPCUnsupportedPlugin }

var errHostOnly = errors.New("this end calls plugins and serves none")

// GRPCServer implements plugin.GRPCPlugin.
func (services) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return errHostOnly }

// GRPCClient implements plugin.GRPCPlugin.
func (services) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

// versions gives go-plugin one set for each version of the contract.
func versions(contracts []int) map[int]plugin.PluginSet {
	sets := map[int]plugin.PluginSet{}
	for _, v := range contracts {
		sets[v] = plugin.PluginSet{"paceline": services{}}
	}
	return sets
}
