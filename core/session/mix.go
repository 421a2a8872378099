package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/metrics"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Proof is what shows that a workload is deterministic.
type Proof struct {
	Replanner Replanner
	Refolder  Refolder // live workloads only
}

// proof is that of one workload of the run.
func (j *Judges) proof(workload string, mixed bool) Proof {
	if mixed {
		return j.Proofs[workload]
	}
	return Proof{j.Replanner, j.Refolder}
}

// proves reports whether anything can be shown of the run's workloads.
func (j *Judges) proves() bool { return j.Replanner != nil || len(j.Proofs) > 0 }

// plans lists the plans of a workload.
func (f *Files) plans(workload string) []*journal.Plan {
	var list []*journal.Plan
	for i := range f.Run.Plans {
		if p := &f.Run.Plans[i]; !f.Config.Mixed() || p.Workload == workload {
			list = append(list, p)
		}
	}
	return list
}

// lives lists the places of a workload's steps.
func (f *Files) lives(workload string) []int {
	var list []int
	for i := range f.Run.Lives {
		if !f.Config.Mixed() || f.Run.Lives[i].Workload == workload {
			list = append(list, i)
		}
	}
	return list
}

// of names the workloads that a judge sees: where it comes from the plugin of some of the mix, those; else all. nil: all. A
// judge whose name tells no plugin of the run is known by the digest of its plugin.
func (f *Files) of(judge verdict.About) []string {
	if !f.Config.Mixed() {
		return nil
	}
	own := f.plugin(judge.Name)
	for _, p := range f.Config.Plugins {
		if own == "" && p.SHA256 == judge.Digest {
			own = p.Name
		}
	}
	var list []string
	for _, w := range f.Config.Workloads {
		if own != "" && f.plugin(w.ComponentName()) == own {
			list = append(list, w.Name)
		}
	}
	if len(list) == len(f.Config.Workloads) {
		return nil
	}
	return list
}

// plugin is the plugin of the run that a component belongs to, by its full name; empty: none.
func (f *Files) plugin(component string) string {
	longest := ""
	for _, p := range f.Config.Plugins {
		if len(p.Name) > len(longest) && strings.HasPrefix(component, p.Name+"/") {
			longest = p.Name
		}
	}
	return longest
}

// mixed says how the requests of each workload of a mix were made; nil where there is one.
func (f *Files) mixed(how *made) map[string]judge.Workload {
	if !f.Config.Mixed() {
		return nil
	}
	m := map[string]judge.Workload{}
	for _, w := range f.Config.Workloads {
		own := how.Workloads[w.Name]
		m[w.Name] = judge.Workload{Info: infoOf(&w), History: own.History, Params: absent(own.Params)}
	}
	return m
}

func infoOf(w *journal.Workload) trajectory.Info {
	return trajectory.Info{Trajectories: w.Trajectories, Live: w.Live, Fixed: w.Fixed, Params: w.Params, Tools: w.Tools}
}

// figures gives each judge the metrics of the workloads that it sees, computed once for each choice of them.
type figures struct {
	in   *metrics.Input
	made map[string]json.RawMessage
}

func (f *figures) of(workloads []string) (json.RawMessage, error) {
	key := strings.Join(slices.Sorted(slices.Values(workloads)), "\x00")
	if raw, ok := f.made[key]; ok {
		return raw, nil
	}
	raw, err := json.Marshal(metrics.ComputeOf(f.in, workloads))
	if err != nil {
		return nil, fmt.Errorf("encode metrics: %w", err)
	}
	f.made[key] = raw
	return raw, nil
}
