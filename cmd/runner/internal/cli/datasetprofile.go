package cli

import (
	"fmt"
	"os"

	"paceline/mlperf/profile"
)

// profiled counts a data set that passed its check with that digest, and holds it against the profile.
func profiled(file, sha256 string) (*profile.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	defer f.Close()
	c, err := profile.Read(f)
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("%s: %w", file, err))
	}
	if c.SHA256 != sha256 {
		return nil, fail(exitInput, fmt.Errorf("%s changed while it was read", file))
	}
	return profile.Hold(c), nil
}

// checkProfile refuses a profile that is unknown, and a workload that reads other files.
func checkProfile(name, workload string) error {
	if name == "" {
		return nil
	}
	if name != profile.Name {
		return fail(exitUsage, fmt.Errorf("--profile %q is unknown; there is %s", name, profile.Name))
	}
	if workload != "std/mlperf/agentic" && workload != "mlperf/agentic" {
		return fail(exitUsage, fmt.Errorf("--profile %s is of std/mlperf/agentic, and the workload is %s", name, workload))
	}
	return nil
}

// showProfile writes each figure with what was expected.
func (a *app) showProfile(r *profile.Report) {
	for _, f := range r.Figures {
		if f.OK {
			fmt.Fprintf(a.Stdout, "  %-24s %s\n", f.Name, f.Found)
		} else {
			fmt.Fprintf(a.Stdout, "  %-24s %s, expected %s\n", f.Name, f.Found, f.Expected)
		}
	}
	fmt.Fprintf(a.Stdout, "  %-24s %d client turns", "delays", r.Delayed)
	for _, q := range r.Delays {
		fmt.Fprintf(a.Stdout, ", %s %g ms", q.Name, q.Value)
	}
	fmt.Fprintf(a.Stdout, "\n%s: %s\n", r.Profile, r.Means())
}

// fits turns what a data set is into the exit code: a whole stand-in is told apart from one that does not fit.
func fits(r *profile.Report) error {
	switch r.Kind {
	case profile.Official:
		return nil
	case profile.StandIn:
		return fail(exitJudged, fmt.Errorf("%s: %s", r.Profile, r.Means()))
	}
	n := 0
	for _, f := range r.Figures {
		if !f.OK {
			n++
		}
	}
	return fail(exitInput, fmt.Errorf("%s: %s of %d differ; %s", r.Profile, plural(n, "figure"), len(r.Figures), r.Means()))
}
