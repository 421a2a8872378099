package cli

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"

	"paceline/core/session"
	"paceline/core/sim"
)

// TestRunInVirtualTime plays a run as `runner run` does, but for its clock: PACELINE_RUN has the arguments of that command, the
// preset of a plugin first, and PACELINE_RUN_ENGINE the name of the engine's preset. The run is not judged. It prints figures of
// the window trim as one line of JSON. See .ci/meanfull.
func TestRunInVirtualTime(t *testing.T) {
	args := strings.Fields(os.Getenv("PACELINE_RUN"))
	if len(args) == 0 {
		t.Skip("PACELINE_RUN has no run; .ci/meanfull does")
	}
	preset, err := sim.FindPreset(os.Getenv("PACELINE_RUN_ENGINE"))
	if err != nil {
		t.Fatal(err)
	}
	var engine sim.Config
	if err := json.Unmarshal([]byte(os.Getenv("PACELINE_RUN_KV")), &engine.KVTokens); err != nil {
		t.Fatal(err)
	}
	engine.Model = "sim"
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PACELINE_RUN") })
	a := &app{Process: Process{Environ: environ, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, abort: make(chan struct{})}
	var f runFlags
	c := &cobra.Command{}
	c.SetContext(t.Context())
	f.register(c.Flags())
	if err := c.ParseFlags(args[1:]); err != nil {
		t.Fatal(err)
	}
	r, err := a.resolve(c, &f, args[0])
	if err != nil {
		t.Fatal(err)
	}
	v := &virtual{t: t, app: a, engine: preset.Over(engine)}
	spec := &runSpec{resolved: r, quiet: true}
	st, err := a.openStage(t.Context(), spec, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer st.close()
	source, err := planAhead(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	var dir string
	synctest.Test(t, func(*testing.T) { dir, _, err = v.load(spec, st, source) })
	if err != nil {
		t.Fatal(err)
	}
	reports, err := session.Report(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(reports.Result.Metrics.Windows)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("windows %s", text)
}
