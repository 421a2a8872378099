package pack

import (
	"fmt"
	"slices"

	"paceline/core/digest"
	"paceline/mlperf/describe"
	"paceline/mlperf/export"
	"paceline/mlperf/rules"
)

// Names of files of the evidence.
const (
	MetaFile   = EvidenceDir + "/pack.json"
	SystemFile = EvidenceDir + "/system.yaml"
	metaForm   = "paceline/pack/v1"
)

// Clients of runs.
const (
	ClientPaceline  = "paceline"
	ClientReference = "reference"
)

// Meta is pack.json: what a package was made by and of. With the runs' journals and the description of the system, everything
// below results/ can be made again from it.
type Meta struct {
	Schema       string         `json:"schema"`
	Client       string         `json:"client"`
	Note         string         `json:"note"`
	Organization string         `json:"organization"` // name of the folder
	Submission   string         `json:"submission"`
	Model        string         `json:"model"`
	Cohort       *rules.Cohort  `json:"target_cohort,omitempty"`
	Seeds        *rules.SeedSet `json:"seed_set,omitempty"`
	Rehearsal    bool           `json:"rehearsal"`
	Points       []MetaPoint    `json:"points"`
	LeftOut      []string       `json:"left_out,omitempty"`
	Notes        []string       `json:"notes,omitempty"`
}

// MetaPoint is one point.
type MetaPoint struct {
	Concurrency int            `json:"concurrency"`
	Run         string         `json:"run,omitempty"`         // its id
	Head        *digest.SHA256 `json:"head_sha256,omitempty"` // told before its first request
	SWEBench    bool           `json:"swe_bench"`             // its score of SWE-bench is in the package
	Rehearsed   []string       `json:"rehearsed,omitempty"`   // why it is no more than a rehearsal
}

// referenceNote is the note of packages of the reference client's runs.
const referenceNote = "Runs of the reference client, packed as they are by " + export.ClientName + ", which changed nothing in them but system_desc.json's tps_utilization."

// metaOf describes a package of our runs. The choice of points whose SWE-bench score is taken is part of it.
func metaOf(runs []*export.Run, d *describe.Description, o *Options, cohort rules.Cohort, seeds rules.SeedSet, model string) *Meta {
	m := &Meta{
		Schema: metaForm, Client: ClientPaceline, Note: export.Honesty, Organization: describe.Folder(d.Organization), Submission: d.Submission,
		Model: model, Cohort: &cohort, Seeds: &seeds, Rehearsal: o.Rehearsal,
	}
	chosen := chooseAccuracy(runs, d)
	for _, r := range runs {
		p := MetaPoint{Concurrency: r.Concurrency(), Run: r.Config.Run, Head: &r.Head, SWEBench: chosen[r.Concurrency()]}
		if o.Rehearsal {
			p.Rehearsed = r.Rehearsed()
		}
		if r.SWEBench() != nil && !p.SWEBench {
			m.Notes = append(m.Notes, fmt.Sprintf("r%d: its SWE-bench score is not among the %d of a curve; it stands in its judgements", p.Concurrency, rules.AccuracyRuns))
		}
		m.Points = append(m.Points, p)
	}
	return m
}

// curve are the regions of the packed points.
func curve(concurrencies []int, d *describe.Description) (rules.Regions, error) {
	low := min(slices.Min(concurrencies), rules.MaxUltraLow)
	if d.System.CMinOverride > 0 {
		low = d.System.CMinOverride
	}
	return rules.NewRegions(low, d.System.MaxConcurrency)
}

// chooseAccuracy gives each band a point that has a score of SWE-bench, as many bands as can be; of several the lowest. A
// curve has one result per band, and the checker refuses more.
func chooseAccuracy(runs []*export.Run, d *describe.Description) map[int]bool {
	var all, scored []int
	for _, r := range runs {
		all = append(all, r.Concurrency())
		if r.SWEBench() != nil {
			scored = append(scored, r.Concurrency())
		}
	}
	chosen := map[int]bool{}
	regions, err := curve(all, d)
	if err != nil {
		return chosen
	}
	slices.Sort(scored)
	taken := map[int]int{} // band by point
	bands := regions.Bands(d.System.CMinOverride > 0)
	var place func(band int, seen map[int]bool) bool
	place = func(band int, seen map[int]bool) bool {
		for _, c := range scored {
			if !bands[band].In.Has(c) || seen[c] {
				continue
			}
			seen[c] = true
			if other, used := taken[c]; !used || place(other, seen) {
				taken[c] = band
				return true
			}
		}
		return false
	}
	for i := range bands {
		place(i, map[int]bool{})
	}
	for c := range taken {
		chosen[c] = true
	}
	return chosen
}
