package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestSubmitCheck holds exit codes and the last line on the packages of mlperf/check.
func TestSubmitCheck(t *testing.T) {
	const packages = "../../../../mlperf/check/testdata/"
	for _, c := range []struct {
		args string
		code int
		last string
	}{
		{"golden --strict", exitOK, "PASSED: 0 errors, 0 warnings"},
		{"golden_min", exitOK, "PASSED: 0 errors, 7 warnings"},
		{"golden_min --strict --quiet", exitInput, "FAILED: 0 errors, 7 warnings"},
		{"golden --rules strict --quiet", exitInput, "FAILED: 21 errors, 0 warnings"},
	} {
		var out, errs bytes.Buffer
		code := Main(Process{Args: append([]string{"submit", "check"}, strings.Fields(packages+c.args)...), Stdout: &out, Stderr: &errs})
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if last := lines[len(lines)-1]; code != c.code || last != c.last || errs.Len() > 0 {
			t.Errorf("%s: code %d, %q, %s", c.args, code, last, errs.String())
		}
	}
}
