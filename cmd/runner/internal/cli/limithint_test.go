package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"paceline/plugins/host"
)

func TestLimitHint(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&host.Error{Call: "Open", Cause: host.Timeout}, "--set limits.open=10m0s"},
		{fmt.Errorf("open: %w", &host.Error{Call: "CheckInputs", Cause: host.WallTimeout}), "--set limits.open=10m0s"},
		{&host.Error{Call: "Plan", Cause: host.Timeout}, "--set limits.plan=20s"},
		{&host.Error{Call: "Next", Cause: host.Timeout}, "--set limits.next=10s"},
		{&host.Error{Call: "Check", Cause: host.Timeout}, "--set limits.batch=1m40s"},
		{&host.Error{Call: "Open", Cause: host.Memory}, "--set limits.memory=4096MiB"},
		{&host.Error{Call: "Open", Cause: host.Trap}, ""},
		{errors.New("another"), ""},
	} {
		if got := limitHint(tc.err); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%v: %q, want %q", tc.err, got, tc.want)
		}
	}
}
