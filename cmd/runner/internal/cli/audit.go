package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/core/audit"
	"paceline/core/journal"
)

// auditTrajectories is how many trajectories an audit plays where nobody says.
const auditTrajectories = 32

// Names of the files of an audit, beside its two run folders.
const (
	auditJSON = "audit.json"
	auditText = "audit.txt"
)

func (a *app) auditCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Find out whether a target keeps answers",
		Args:  cobra.ArbitraryArgs,
		RunE:  group,
	}
	c.AddCommand(a.auditCachingCommand(), a.auditCompareCommand())
	return c
}

func (a *app) auditCachingCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "output-caching [RUNFILE|PLUGIN/PRESET]",
		Short: "Play the same trajectories twice, and compare pace and answers",
		Long: fmt.Sprintf("Plays %d trajectories (--trajectories) twice with identical requests and holds the passes against each other. The target\n"+
			"fails where the second pass decodes more than %.0f %% faster, or where more than %.0f %% of the long answers are equal byte\n"+
			"for byte although they were sampled at temperature 1 without a seed. A prefix cache is allowed: the time to the first\n"+
			"token is told and not judged. Scorers and validators are left out. Exit code 7 where the target did not pass.",
			auditTrajectories, 100*audit.MaxFaster, 100*audit.MaxEqual),
		Example: "  runner audit output-caching --target http://127.0.0.1:8000/v1 --workload std/mlperf/agentic \\\n" +
			"      --input dataset=agentic.jsonl --users 4 --out results/audit\n" +
			"  runner audit output-caching bench.yaml --trajectories 64",
		Args: atMost("RUNFILE or PLUGIN/PRESET"),
		RunE: func(c *cobra.Command, args []string) error {
			arg := strings.Join(args, "")
			r, err := a.resolve(c, &f, arg)
			if err != nil {
				return err
			}
			spec := &runSpec{resolved: audited(r), dir: folderOf(arg), lock: f.lock, locked: f.locked, dev: f.dev, quiet: f.quiet || f.json,
				policy: f.policy, plainHTTP: f.plainHTTP}
			return a.auditCaching(c.Context(), spec, output{quiet: f.quiet && !f.json, json: f.json})
		},
	}
	f.register(c.Flags())
	return c
}

// audited is the configuration of one pass: what answers are left to chance by is set where nobody did.
func audited(r config.Resolved) config.Resolved {
	r.Run.Scorers, r.Run.Validators, r.Run.Counters, r.Run.Checks = nil, nil, nil, false
	if r.Run.Load.Trajectories == 0 && r.Run.Load.Duration == 0 {
		r.Run.Load.Trajectories = auditTrajectories
	}
	if _, ok := r.Run.Params["temperature"]; !ok && r.Preset == nil {
		params := map[string]any{"temperature": 1.0}
		for key, value := range r.Run.Params {
			params[key] = value
		}
		r.Run.Params = params
	}
	return r
}

func (a *app) auditCaching(ctx context.Context, spec *runSpec, show output) error {
	seed, err := seedOf(spec.resolved.Run.Seed) // one for both passes
	if err != nil {
		return err
	}
	spec.resolved.Run.Seed = strconv.FormatUint(seed, 10)
	out := spec.resolved.Run.Out
	if out == "" {
		out = filepath.Join("results", "audit-"+runID(time.Now()))
	}
	if err := journal.Create(out); err != nil {
		return fail(exitInput, err)
	}
	var dirs []string
	for _, name := range []string{"first", "second"} {
		pass := *spec
		pass.resolved.Run.Out = filepath.Join(out, name)
		if !spec.quiet {
			fmt.Fprintf(a.Stderr, "%s pass\n", name)
		}
		if reports, err := a.play(ctx, &pass); err != nil && (reports == nil || ctx.Err() != nil || codeOf(err) != exitTurns) {
			return err
		}
		dirs = append(dirs, pass.resolved.Run.Out)
	}
	r, err := compare(dirs[0], dirs[1])
	if err != nil {
		return err
	}
	text, raw, err := auditFiles(r)
	if err != nil {
		return err
	}
	for name, b := range map[string]string{auditJSON: raw, auditText: text} {
		if err := journal.WriteWhole(filepath.Join(out, name), func(w io.Writer) error { _, err := io.WriteString(w, b); return err }); err != nil {
			return fail(exitInternal, err)
		}
	}
	return a.showAudit(r, text, raw, show)
}

func (a *app) auditCompareCommand() *cobra.Command {
	var show output
	c := &cobra.Command{
		Use:     "compare FIRST SECOND",
		Short:   "Compare two run folders of the same requests again",
		Long:    "Reads two run folders and shows what `audit output-caching` showed. It sends nothing.",
		Example: "  runner audit compare results/audit/first results/audit/second",
		Args:    exactly("FIRST", "SECOND"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := compare(args[0], args[1])
			if err != nil {
				return err
			}
			text, raw, err := auditFiles(r)
			if err != nil {
				return err
			}
			return a.showAudit(r, text, raw, show)
		},
	}
	c.Flags().BoolVar(&show.quiet, "quiet", false, "only the exit code")
	c.Flags().BoolVar(&show.json, "json", false, "write the result as JSON to the standard output")
	return c
}

// compare reads two run folders and compares them.
func compare(first, second string) (*audit.Result, error) {
	var both [2]*audit.Recorded
	for i, dir := range []string{first, second} {
		pass, err := audit.Read(dir)
		if err != nil {
			return nil, fail(filesCode(err), err)
		}
		both[i] = pass
	}
	r, err := audit.Compare(both[0], both[1])
	if err != nil {
		return nil, fail(exitInput, err)
	}
	return r, nil
}

func auditFiles(r *audit.Result) (text, raw string, err error) {
	var b strings.Builder
	if err := audit.WriteText(&b, r); err != nil {
		return "", "", err
	}
	j, err := json.MarshalIndent(r, "", "  ")
	return b.String(), string(j) + "\n", err
}

func (a *app) showAudit(r *audit.Result, text, raw string, show output) error {
	var err error
	switch {
	case show.json:
		_, err = io.WriteString(a.Stdout, raw)
	case !show.quiet:
		_, err = io.WriteString(a.Stdout, text)
	}
	if err == nil && r.Verdict != audit.Passed {
		return fail(exitJudged, fmt.Errorf("output-caching audit: %s", r.Verdict))
	}
	return err
}
