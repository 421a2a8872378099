package native

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"paceline/sdk"
	"paceline/sdk/contract"
)

// The cookie by which a plugin knows that a runner started it.
const (
	cookieKey   = "PLUGIN_COOKIE"
	cookieValue = "paceline-plugin"
)

// Sizes of messages as the contract bounds them, in bytes. The host bounds replies itself, and names the limit.
const (
	maxRequest = 16 << 20
	slack      = 4 << 10
	maxSend    = 1<<31 - 1
)

// Serve serves a plugin until its runner ends it; main calls it and does nothing else. With the arguments `manifest LICENSE`
// it prints the plugin's manifest instead, and with `mtls` behind them one that asks for TLS on the connection. It ends the process with code 1 where the definition has faults.
func Serve(p *sdk.Plugin) {
	served := nativeOf(p)
	if err := served.Check(); err != nil {
		fmt.Fprintf(os.Stderr, "plugin %s: %v\n", p.Name, err)
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == "manifest" {
		if err := printManifest(served, os.Args[2:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The heap of a plugin is small and its messages are large: by default it would be collected at almost every call.
	debug.SetGCPercent(400)
	server := &server{instance: sdk.NewInstance(served, newHost(os.Stderr))}
	set := plugin.PluginSet{"paceline": &registrar{server: server}}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: cookieKey, MagicCookieValue: cookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{contract.Version: set},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.ForceServerCodecV2(newCodec()),
				grpc.MaxRecvMsgSize(maxRequest+slack), grpc.MaxSendMsgSize(maxSend))...)
		},
		Logger: hclog.NewNullLogger(),
	})
}

// nativeOf gives a copy of the definition whose components say that they are native.
func nativeOf(p *sdk.Plugin) *sdk.Plugin {
	served := *p
	served.Components = append([]sdk.Component(nil), p.Components...)
	for i := range served.Components {
		served.Components[i].Purity = sdk.PurityNative
	}
	return &served
}
