package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"paceline/mlperf/describe"
	"paceline/mlperf/export"
)

// readme is the README.md of a package.
func readme(m *Meta) []byte {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("# %s/%s\n\n**%s**\n\n", m.Organization, m.Submission, m.Note)
	if m.Rehearsal {
		say("**This is a rehearsal. None of its numbers is a result.**\n\n")
	}
	say("Agentic Inference, model %s. ", m.Model)
	if m.Cohort != nil {
		say("Cohort %s, seed set %s.\n\n", m.Cohort, m.Seeds.ID)
	} else {
		say("\n\n")
	}
	say("| point | run | head (sha256), told before the first request | SWE-bench |\n|---|---|---|---|\n")
	for _, p := range m.Points {
		head, run, swe := "", p.Run, "no"
		if p.Head != nil {
			head = "`" + p.Head.String() + "`"
		}
		if run == "" {
			run = "see its config.yaml"
		}
		if p.SWEBench {
			swe = "yes"
		}
		say("| r%d | %s | %s | %s |\n", p.Concurrency, run, head, swe)
	}
	say("\n")
	for _, p := range m.Points {
		if len(p.Rehearsed) > 0 {
			say("- r%d is a rehearsal: %s\n", p.Concurrency, strings.Join(p.Rehearsed, "; "))
		}
	}
	for _, list := range [][]string{m.LeftOut, m.Notes} {
		for _, text := range list {
			say("- %s\n", text)
		}
	}
	if len(m.LeftOut) > 0 {
		say("\nThe points first named above were planned and are not in this package.\n")
	}
	say("\n`%s` lists every file with its SHA-256. ", ManifestFile)
	if m.Client == ClientReference {
		say("The runs' event logs hold texts of the data set and are not in here.\n")
		return []byte(b.String())
	}
	say("`%s/r<N>/` holds each run's\nconfiguration (run.json), lock, journal, judgements and report; the data set and the texts of its trajectories are not in here.\n"+
		"With the data set, `runner submit recompute FOLDER --input dataset=FILE` makes every file below `results/` again.\n", EvidenceDir)
	return []byte(b.String())
}

// implementation is the README.md of src/<implementation> where the submitter gives none.
func implementation(d *describe.Description) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nThe server was started with\n\n```sh\n%s\n```\n", d.Implementation.Name, strings.TrimSpace(d.Implementation.Launch))
	if d.Implementation.Notes != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(d.Implementation.Notes))
	}
	fmt.Fprintf(&b, "\n%s\n", export.Honesty)
	return []byte(b.String())
}

// uploads are the run folders that the service takes, one for each point.
func uploads(t Tree, m *Meta) (Tree, error) {
	up := Tree{}
	for name, c := range t {
		dir, file := path.Split(name)
		if file == "system_power.json" {
			for _, p := range m.Points {
				up[fmt.Sprintf("c%d/%s", p.Concurrency, file)] = c
			}
			continue
		}
		to := fmt.Sprintf("c%s/", strings.TrimPrefix(path.Base(dir), "r"))
		switch file {
		case "result_summary.json":
			to += "performance/"
		case "accuracy_results.json":
			to += "accuracy/"
		case "system_desc.json":
			text, err := withoutUtilization(c.Bytes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			c = Content{Bytes: text}
		}
		up[to+file] = c
	}
	note := m.Note
	if m.Rehearsal {
		note += " This is a rehearsal; none of its numbers is a result."
	}
	for _, p := range m.Points {
		up[fmt.Sprintf("c%d/documentation/README.md", p.Concurrency)] = Content{Bytes: []byte(note + "\n")}
	}
	return up, nil
}

// uploadPoints are the folders of points among run folders.
func uploadPoints(up Tree) []string {
	var list []string
	for name := range up {
		point, _, _ := strings.Cut(name, "/")
		list = append(list, point)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
