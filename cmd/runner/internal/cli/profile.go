package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/profile/fit"
	traces "paceline/profile/measure"
	"paceline/profile/reference"
	"paceline/profile/rows"
	"paceline/profile/verify"
	"paceline/workloads/profiles/builtin"
	"paceline/workloads/profiles/spec"
)

func (a *app) profileCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "profile",
		Short: "List, check and make length-only profiles of agent runs",
		Long: "Profiles say how long agent runs are and how long their tools take, without any text. std/profiles plays them: runner run\n" +
			"profiles/coding. docs/profiles.md has their schema.",
		Args: cobra.ArbitraryArgs, // so that group tells what is wrong with them
		RunE: group,
	}
	c.AddCommand(a.profileListCommand(), a.profileVerifyCommand(), a.profileFitCommand())
	return c
}

// profileVerifyFlags are those of verifying.
type profileVerifyFlags struct {
	against      string
	draws        int
	seed         uint64
	mean, asJSON bool
}

func (a *app) profileVerifyCommand() *cobra.Command {
	var f profileVerifyFlags
	c := &cobra.Command{
		Use:   "verify NAME|FILE",
		Short: "Hold what a profile draws against the traces or tables behind it",
		Long: "Draws conversations, the ones that a run of the same seed plays, and compares: quantiles by position and of sums over a trace,\n" +
			"autocorrelation and ideal hit rate, with the measured ones of the published file (coding), with the profile's own tables\n" +
			"(others), or with --against, a file of traces. = marks a bound that holds, ! one that does not, ~ one that holds only because what\n" +
			"is expected was measured on so few traces; p5 and others are only shown.\n\n" +
			"Bounds at 100,000 draws: of turns p50 2 %, p99 5 %; of sums p50 6 %, p25 to p99 12 %; autocorrelation at lag 1 0.03;\n" +
			"ideal hit rate 0.3 points. A length that is one off is not off. Bounds grow with the square root of what is missing from\n" +
			"100,000 draws. Exit code 7 where a bound does not hold.",
		Example: "  runner profile verify coding\n" +
			"  runner profile verify coding --draws 8192 --against agentic_coding_8k.jsonl\n" +
			"  runner profile verify mine.yaml --against mine.jsonl --json",
		Args: exactly("NAME or FILE"),
		RunE: func(c *cobra.Command, args []string) error { return a.profileVerify(c, args[0], &f) },
	}
	c.Flags().StringVar(&f.against, "against", "", "`FILE` of traces to hold the profile against, one JSON object a line")
	c.Flags().IntVar(&f.draws, "draws", verify.FullDraws, "conversations to draw")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "seed of the run whose conversations are drawn")
	c.Flags().BoolVar(&f.mean, "mean", false, "draw the mean trace instead, to see what it hides")
	c.Flags().BoolVar(&f.asJSON, "json", false, "write JSON")
	return c
}

// profileReport is what `profile verify --json` writes.
type profileReport struct {
	Profile    string          `json:"profile"`
	Provenance string          `json:"provenance"`
	Mode       string          `json:"mode"` // full or mean
	Draws      int             `json:"draws"`
	Seed       string          `json:"seed"`
	Against    string          `json:"against"`
	Held       int             `json:"held"`
	Failed     int             `json:"failed"`
	Passed     bool            `json:"passed"`
	Rows       []verify.Row    `json:"rows"`
	Drawn      *traces.Summary `json:"drawn"`
}

// maxDraws keeps what is drawn in memory.
const maxDraws = 1_000_000

func (a *app) profileVerify(c *cobra.Command, name string, f *profileVerifyFlags) error {
	if f.draws < 100 || f.draws > maxDraws {
		return fail(exitUsage, fmt.Errorf("--draws %d: from 100 to %d are possible", f.draws, maxDraws))
	}
	p, err := profileOf(name)
	if err != nil {
		return err
	}
	expected, against, err := expectation(p, f.against)
	if err != nil {
		return err
	}
	drawn, err := verify.Draw(c.Context(), p, f.draws, f.seed, f.mean, a.drawProgress(f.draws))
	if err != nil {
		return err
	}
	r := &profileReport{Profile: p.Name, Provenance: p.Provenance, Mode: "full", Draws: f.draws, Seed: fmt.Sprint(f.seed), Against: against, Drawn: drawn.Summary, Rows: drawn.Tables}
	if f.mean {
		r.Mode = "mean"
	}
	if expected != nil {
		r.Rows = verify.Against(expected, drawn.Summary)
	}
	r.Failed, r.Held = verify.Failed(r.Rows)
	r.Passed = r.Failed == 0
	if err := a.showVerified(r, p.Note, f.asJSON); err != nil {
		return err
	}
	if !r.Passed {
		return fail(exitJudged, fmt.Errorf("%s: %d of %s do not hold", r.Profile, r.Failed, plural(r.Held, "bound")))
	}
	return nil
}

// drawProgress shows how far drawing is, on a terminal only: it takes seconds.
func (a *app) drawProgress(draws int) func(int) {
	if !isTerminal(a.Stderr) {
		return func(int) {}
	}
	return func(n int) {
		fmt.Fprintf(a.Stderr, "\rdrawing %d of %d", n, draws)
		if n+1000 >= draws {
			fmt.Fprint(a.Stderr, "\r\x1b[K")
		}
	}
}

func (a *app) showVerified(r *profileReport, note string, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(a.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(a.Stdout, "%s (%s): %s\n", r.Profile, r.Provenance, note)
	if r.Mode == "mean" {
		fmt.Fprintln(a.Stdout, "mode mean: one mean trace, which has neither tails nor positions nor dependence")
	}
	fmt.Fprintf(a.Stdout, "%d draws of seed %s against %s\n\n", r.Draws, r.Seed, r.Against)
	verify.Write(a.Stdout, r.Rows)
	if r.Against == ownTables {
		fmt.Fprintln(a.Stdout, "\nwhat comes of it:")
		verify.WriteShape(a.Stdout, r.Drawn)
	}
	fmt.Fprintf(a.Stdout, "\n%d of %s hold", r.Held-r.Failed, plural(r.Held, "bound"))
	if n := verify.Scattered(r.Rows); n > 0 {
		fmt.Fprintf(a.Stdout, ", %d of them (~) within one standard error of what is expected", n)
	}
	fmt.Fprintln(a.Stdout)
	return nil
}

// profileOf finds a profile: a shipped one by name, with or without its plugin, else a file in YAML or JSON.
func profileOf(name string) (*builtin.Profile, error) {
	if short := strings.TrimPrefix(name, "profiles/"); slices.Contains(builtin.Names, short) {
		return builtin.Get(short)
	}
	document, err := config.Document(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, failHint(exitUsage, fmt.Errorf("%q is neither a profile nor a file", name), "profiles: "+strings.Join(builtin.Names, ", "))
	}
	if err != nil {
		return nil, fail(exitInput, err)
	}
	p, err := spec.Read(document, "")
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("%s: %s", name, strings.Join(spec.Lines(err), "\n  ")))
	}
	return builtin.Of(p), nil
}

// ownTables is what a profile is held against where nobody measured its traces.
const ownTables = "its own tables"

// expectation gives what a profile is held against and what that is called; nil for the profile's own tables.
func expectation(p *builtin.Profile, file string) (*traces.Summary, string, error) {
	if file == "" {
		if p.Spec != nil {
			return nil, ownTables, nil
		}
		s, err := reference.Of(p.Name)
		return s, "what was measured in the published file", err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", fail(exitInput, err)
	}
	defer f.Close()
	var c traces.Collector
	n, err := rows.Read(f, c.Add)
	if err != nil {
		return nil, "", fail(exitInput, fmt.Errorf("%s: %w", file, err))
	}
	return c.Summary(), plural(n, "trace") + " of " + filepath.Base(file), nil
}

func (a *app) profileFitCommand() *cobra.Command {
	var out, name string
	c := &cobra.Command{
		Use:   "fit FILE",
		Short: "Make a profile of traces",
		Long: "Reads traces, one JSON object a line with the six keys of the published profiles (num_turns, input_prompt_length,\n" +
			"assistant_response_length, tool_call_output_length, tool_call_latency, final_assistant_response_length), and writes a profile:\n" +
			"tables by position and by length, and an effect per trace. It holds quantiles, and none of the traces.",
		Example: "  runner profile fit traces.jsonl --out profile.yaml\n" +
			"  runner profile verify profile.yaml --against traces.jsonl",
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error { return a.profileFit(args[0], out, name) },
	}
	c.Flags().StringVar(&out, "out", "", "`FILE` to write; it must not be there (default: the standard output)")
	c.Flags().StringVar(&name, "name", "", "name of the profile (default: that of the file)")
	return c
}

func (a *app) profileFit(file, out, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return fail(exitInput, err)
	}
	defer f.Close()
	p, err := fit.Read(f)
	if err != nil {
		return fail(exitInput, fmt.Errorf("%s: %w", file, err))
	}
	base := filepath.Base(file)
	name = cmp.Or(name, fit.Name(base))
	text := p.Write(name, fmt.Sprintf("fitted to %d traces (%d turns) of %s", p.Traces, p.Turns, base))
	if out == "" {
		_, err := a.Stdout.Write(text)
		return err
	}
	if err := writeNew(out, text); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "%s: %s, %s\n", out, plural(p.Traces, "trace"), plural(p.Turns, "turn"))
	return nil
}
