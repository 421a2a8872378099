package pack

import (
	"fmt"
	"path"

	"paceline/mlperf/describe"
	"paceline/mlperf/export"
	"paceline/mlperf/provision"
	"paceline/mlperf/rules"
)

// Results makes what stands below results/ of a package of our runs, and nothing else: the same runs, description and meta
// give the same bytes.
func Results(m *Meta, d *describe.Description, runs []*export.Run) (Tree, error) {
	power, err := d.Check()
	if err != nil {
		return nil, err
	}
	model, err := rules.FindModel(m.Model)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, r := range runs {
		all = append(all, r.Concurrency())
	}
	regions, err := curve(all, d)
	if err != nil {
		return nil, err
	}
	t := Tree{}
	system := path.Join("results", describe.Folder(d.System.Name))
	if d.Power != nil {
		if err := t.putJSON(path.Join(system, "system_power.json"), d.Power); err != nil {
			return nil, err
		}
	}
	g := &generator{m: m, d: d, power: power, model: model, regions: regions, peak: peak(runs)}
	for _, r := range runs {
		if err := g.point(t, path.Join(system, m.Model, fmt.Sprintf("r%d", r.Concurrency())), r); err != nil {
			return nil, fmt.Errorf("%s: %w", label(r), err)
		}
	}
	return t, nil
}

// generator makes the files of points.
type generator struct {
	m       *Meta
	d       *describe.Description
	power   *provision.Power // nil: the division needs none
	model   rules.Model
	regions rules.Regions
	peak    float64 // system throughput of the curve's fastest point
}

func (g *generator) point(t Tree, dir string, r *export.Run) error {
	c := r.Concurrency()
	o := &export.Options{Describe: g.d, Model: g.model, Seeds: *g.m.Seeds, Cohort: *g.m.Cohort, Regions: g.regions, Rehearsal: g.m.Rehearsal,
		Evidence: fmt.Sprintf("%s/r%d", EvidenceDir, c), SWEBench: g.m.takes(c)}
	point, err := r.Point(o)
	if err != nil {
		return err
	}
	config, err := r.ConfigFile(o)
	if err != nil {
		return err
	}
	system, nodes, _ := g.d.At(c)
	summary := r.Summary(o)
	if g.power != nil {
		used := map[int]int{}
		for _, n := range nodes {
			used[n.Ensemble] = n.Nodes
		}
		summary.PowerKW(g.power.Point(used))
	}
	if summary.SystemTPS != nil && g.peak > 0 {
		share := four(*summary.SystemTPS / g.peak)
		system.Utilization = &share
	}
	for _, f := range []struct {
		name string
		v    any
	}{
		{"point.yaml", point}, {"config.yaml", config}, {"result_summary.json", summary}, {"accuracy_results.json", r.Accuracy(o)}, {"system_desc.json", system},
	} {
		if err := t.putJSON(path.Join(dir, f.name), f.v); err != nil {
			return err
		}
	}
	return nil
}

// takes reports whether a point's score of SWE-bench is among those of the curve.
func (m *Meta) takes(concurrency int) bool {
	for _, p := range m.Points {
		if p.Concurrency == concurrency {
			return p.SWEBench
		}
	}
	return false
}

func (t Tree) putJSON(name string, v any) error {
	text, err := export.JSON(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return t.put(name, Content{Bytes: text})
}

// peak is the highest system throughput of the runs.
func peak(runs []*export.Run) float64 {
	most := 0.0
	for _, r := range runs {
		if tps := r.Summary(&export.Options{}).SystemTPS; tps != nil {
			most = max(most, *tps)
		}
	}
	return most
}
