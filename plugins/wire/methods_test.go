package wire_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc"

	"paceline/plugins/host"
	pb "paceline/schemas/gen/pluginv1"
)

// TestMethodNumbers holds the host's table of methods to the generated code.
func TestMethodNumbers(t *testing.T) {
	seen := 0
	for _, service := range []grpc.ServiceDesc{pb.Plugin_ServiceDesc, pb.Workload_ServiceDesc, pb.Validator_ServiceDesc, pb.Scorer_ServiceDesc, pb.Counter_ServiceDesc} {
		for _, m := range service.Methods {
			seen++
			name := "METHOD"
			for _, r := range m.MethodName {
				if r >= 'A' && r <= 'Z' {
					name += "_"
				}
				name += strings.ToUpper(string(r))
			}
			got, ok := host.MethodNumber("/" + service.ServiceName + "/" + m.MethodName)
			if want, known := pb.Method_value[name]; !ok || !known || got != uint32(want) {
				t.Errorf("%s: the host has %d (%t), the contract %d (%t)", name, got, ok, want, known)
			}
		}
	}
	if want := len(pb.Method_value) - 1; seen != want {
		t.Errorf("%d methods in services, %d in the enum", seen, want)
	}
}
