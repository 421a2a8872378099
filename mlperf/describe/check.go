package describe

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"paceline/mlperf/provision"
	"paceline/mlperf/rules"
)

// Divisions of submissions.
const (
	Standardized = "Standardized"
	Serviced     = "Serviced"
	RDI          = "RDI"
)

var (
	dateForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
)

// Check completes a description and says everything that is missing or cannot be, one a line. It computes the power.
func (d *Description) Check() (*provision.Power, error) {
	c := &checker{}
	d.System.Org = d.Organization
	c.want("organization", d.Organization)
	c.name("submission", d.Submission)
	c.name("implementation.name", d.Implementation.Name)
	c.want("implementation.launch", d.Implementation.Launch)
	c.want("model.precision", d.Model.Precision)
	c.want("model.link", d.Model.Link)
	c.want("dataset.name", d.Dataset.Name)
	c.want("dataset.link", d.Dataset.Link)
	c.system(&d.System)
	for i := range d.System.Nodes {
		c.node(&d.System.Nodes[i], fmt.Sprintf("system.node_types[%d]", i))
	}
	p := c.power(d)
	return p, errors.Join(c.errs...)
}

// Folder is a text as the name of a folder.
func Folder(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '_'
		case r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			return r
		}
		return '-'
	}, strings.TrimLeft(text, ". "))
}

type checker struct{ errs []error }

func (c *checker) wrong(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func (c *checker) want(at, value string) {
	if strings.TrimSpace(value) == "" {
		c.wrong("%s: is empty; it is required", at)
	}
}

func (c *checker) name(at, value string) {
	if !nameForm.MatchString(value) {
		c.wrong("%s: %q cannot be the name of a folder; use letters, digits, dots and dashes", at, value)
	}
}

func (c *checker) oneOf(at, value string, known ...string) {
	for _, k := range known {
		if value == k {
			return
		}
	}
	c.wrong("%s: %q; want %s", at, value, strings.Join(known, ", "))
}

func (c *checker) system(s *System) {
	c.oneOf("system.division", s.Division, Standardized, Serviced, RDI)
	c.want("system.system_name", s.Name)
	c.want("system.shortened_system_name", s.ShortName)
	if n := utf8.RuneCountInString(s.ShortName); n > 20 {
		c.wrong("system.shortened_system_name: has %d characters; at most 20 are allowed", n)
	}
	c.oneOf("system.system_availability_status", s.Availability, "Available", "Preview", "RDI")
	if s.Availability == "Available" && !strings.HasPrefix(s.AvailabilityURL, "http") {
		c.wrong("system.availability_url: %q; an Available system needs the URL on which it can be had", s.AvailabilityURL)
	}
	if s.Availability == "Preview" && !dateForm.MatchString(s.AvailabilityDate) {
		c.wrong("system.target_availability_date: %q; a Preview system needs YYYY-MM-DD", s.AvailabilityDate)
	}
	c.want("system.system_size", s.Size)
	if s.EnsembleCount < 1 || s.EnsembleTotal < 1 {
		c.wrong("system.system_node_ensemble_count and _total: %d and %d; want at least 1", s.EnsembleCount, s.EnsembleTotal)
	}
	if s.MaxConcurrency <= rules.MaxUltraLow {
		c.wrong("system.max_supported_concurrency: %d; want more than %d", s.MaxConcurrency, rules.MaxUltraLow)
	}
	if s.CMinOverride < 0 || s.CMinOverride > rules.MaxUltraLow {
		c.wrong("system.c_min_override: %d; want 1 to %d, or 0 for none", s.CMinOverride, rules.MaxUltraLow)
	}
	if s.Summary != "" && len(s.Summary) < 4 {
		c.wrong("system.config_summary: %q; want at least 4 characters, or nothing", s.Summary)
	}
	if len(s.Nodes) == 0 {
		c.wrong("system.node_types: want at least one")
	}
}

func (c *checker) node(n *Node, at string) {
	c.want(at+".host_memory_configuration", n.MemoryConfig)
	c.want(at+".host_network_card_count", n.Cards)
	c.want(at+".driver", n.Driver)
	c.want(at+".filesystem", n.FileSystem)
	if n.Cores < 1 && n.VCPUs < 1 {
		c.wrong("%s: give host_processor_core_count or host_processor_vcpu_count", at)
	}
}

// power holds the power to the division, and to the system that it is of.
func (c *checker) power(d *Description) *provision.Power {
	if d.Power == nil || d.System.Division != Standardized && len(d.Power.NodeSets) == 0 {
		if d.Power = nil; d.System.Division == Standardized {
			c.wrong("power: is missing; Standardized needs it")
		}
		return nil
	}
	c.want("power.system_desc_id", d.Power.SystemDescID)
	p, err := d.Power.Fill()
	if err != nil {
		c.errs = append(c.errs, err)
		return nil
	}
	for i, n := range d.System.Nodes {
		if word := strings.ToLower(n.Cooling); word != "" && strings.Contains(word, "liquid") != (d.Power.Cooling == "liquid") {
			c.wrong("system.node_types[%d].cooling: %q, and power.cooling is %q", i, n.Cooling, d.Power.Cooling)
		}
	}
	return p
}

// At is how the system was deployed at a point: its own values over those of the system.
func (d *Description) At(concurrency int) (System, []NodesUsed, *Shortfall) {
	s, nodes, short := d.System, d.NodesUsed, d.DPShortfall
	own := d.Points[concurrency]
	if own.Disaggregated != nil {
		s.Disaggregated = own.Disaggregated
	}
	for _, n := range []struct{ to, from *int }{
		{&s.Expert, &own.Expert}, {&s.Tensor, &own.Tensor}, {&s.Pipeline, &own.Pipeline}, {&s.Data, &own.Data}, {&s.Batch, &own.Batch},
	} {
		if *n.from > 0 {
			*n.to = *n.from
		}
	}
	if own.Summary != "" {
		s.Summary = own.Summary
	}
	if own.Notes != "" {
		s.Notes = own.Notes
	}
	if len(own.NodesUsed) > 0 {
		nodes = own.NodesUsed
	}
	if own.DPShortfall != nil {
		short = own.DPShortfall
	}
	return s, nodes, short
}
