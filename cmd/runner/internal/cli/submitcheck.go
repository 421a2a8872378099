package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"paceline/mlperf/check"
)

// maxList is the largest file of seed sets or drafters that is read.
const maxList = 1 << 20

// submitCheck is what `submit check` was asked for.
type submitCheck struct {
	rules, seedSets, drafters string
	json, quiet, strict       bool
}

func (a *app) submitCheckCommand() *cobra.Command {
	var o submitCheck
	c := &cobra.Command{
		Use:   "check PATH",
		Short: "Hold a package to the rules of the official checker, or to stricter ones",
		Long: "Reads a package (results/, src/ and docs/, or the folder around it) and applies every rule of the official checker\n" +
			check.OfficialVersion + " under its ids and severities; nothing leaves this machine. --rules strict adds the rules that are coming and\n" +
			"those that the official checker cannot see. docs/submission-check.md lists them all. Exit code 3: the package did not pass.\n\n" + honesty,
		Example: "  runner submit check my_org/sub-0001\n" +
			"  runner submit check my_org --rules strict --quiet\n" +
			"  runner submit check my_org --json | jq '.errors[].rule'",
		Args: exactly("PATH"),
		RunE: func(_ *cobra.Command, args []string) error { return a.submitCheck(args[0], o) },
	}
	f := c.Flags()
	f.StringVar(&o.rules, "rules", string(check.Rules1530), "`list` of rules: 1.5.3.0 or strict")
	f.StringVar(&o.seedSets, "seed-sets", "", "`file` of seed sets that were published later")
	f.StringVar(&o.drafters, "approved-drafters", "", "`file` of approved drafters, in place of the known ones")
	f.BoolVar(&o.json, "json", false, "write the report as JSON, in the form of the official checker")
	f.BoolVar(&o.quiet, "quiet", false, "leave out the rules that hold")
	f.BoolVar(&o.strict, "strict", false, "let warnings fail the package, too")
	return c
}

func (a *app) submitCheck(name string, o submitCheck) error {
	opt := check.Options{Rules: check.Ruleset(o.rules)}
	if opt.Rules != check.Rules1530 && opt.Rules != check.RulesStrict {
		return fail(exitUsage, fmt.Errorf("--rules %q is not known; want %s or %s", o.rules, check.Rules1530, check.RulesStrict))
	}
	var err error
	if opt.SeedSets, err = listFile("--seed-sets", o.seedSets); err != nil {
		return err
	}
	if opt.Drafters, err = listFile("--approved-drafters", o.drafters); err != nil {
		return err
	}
	r, err := check.Dir(name, opt)
	if err != nil {
		return fail(exitInput, err)
	}
	if err := a.showCheck(r, o); err != nil {
		return err
	}
	if !r.Holds(o.strict) {
		return fail(exitInput, errors.New("")) // the report says it
	}
	return nil
}

func (a *app) showCheck(r *check.Report, o submitCheck) error {
	if o.json {
		return r.WriteJSON(a.Stdout)
	}
	return r.WriteText(a.Stdout, check.TextOptions{Quiet: o.quiet, Strict: o.strict})
}

// listFile reads a small file that a flag names, nothing where the flag is not given.
func listFile(flag, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxList) {
		err = fmt.Errorf("%s is no regular file of at most %d bytes", name, maxList)
	}
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("%s: %w", flag, err))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("%s: %w", flag, err))
	}
	return data, nil
}
