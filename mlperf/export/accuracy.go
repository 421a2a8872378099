package export

import (
	"math/big"

	"paceline/core/verdict"
)

// Names of entries.
const (
	inlineEntry = "performance"
	sweBench    = "swe_bench"
)

// Accuracy is accuracy_results.json.
type Accuracy struct {
	Tokenization float64 `json:"osl_tokenization_s"` // tokens were counted from the journal, after the run
	Scores       []Entry `json:"accuracy_scores"`
}

// Entry is one score, as a fraction.
type Entry struct {
	Name      string         `json:"dataset_name"`
	Type      string         `json:"dataset_type"`
	Extractor *string        `json:"extractor"`
	Column    *string        `json:"ground_truth_column"`
	Score     *float64       `json:"score"` // null: nothing was scored
	Units     int            `json:"unit_samples"`
	Repeats   int            `json:"num_repeats"`
	Samples   int            `json:"total_samples"`
	Duration  *float64       `json:"duration_s"` // of scoring; not kept, since it would be another one each time
	Complete  bool           `json:"complete"`
	Responses map[string]int `json:"response_counts"`
	By        string         `json:"carried_out_by"`
	IDs       string         `json:"instance_ids_digest,omitempty"` // of SWE-bench: which instances were asked for
}

// Accuracy makes accuracy_results.json: inline accuracy, and SWE-bench where it is taken.
func (r *Run) Accuracy(o *Options) *Accuracy {
	a := &Accuracy{Scores: []Entry{}}
	if j := r.Inline(); j != nil && j.Score != nil {
		e := entry(j, inlineEntry, inlineEntry)
		repeats, _ := partOf(j.Score, "repeats")
		repeats = max(repeats, 1)
		e.Units, e.Repeats, e.Samples = r.Tracked.Trajectories/repeats, repeats, r.Tracked.Trajectories
		e.Responses = map[string]int{"scored_turns": int(j.Score.Scored), "missing_turns": int(j.Score.Missing), "excluded_turns": int(j.Score.Excluded)}
		a.Scores = append(a.Scores, e)
	}
	if j := r.SWEBench(); o.SWEBench && j != nil && j.Score != nil {
		e := entry(j, sweBench, "accuracy")
		n, resolved := instances(j)
		e.Units, e.Repeats, e.Samples, e.IDs = n, 1, n, idsOf(j.Score)
		e.Responses = map[string]int{"resolved": resolved, "missing": int(j.Score.Missing)}
		a.Scores = append(a.Scores, e)
	}
	return a
}

func entry(j *verdict.Judgement, name, kind string) Entry {
	return Entry{Name: name, Type: kind, Score: fraction(j.Score.Score), Complete: j.Score.Complete && j.Error == "",
		By: j.Name + " " + j.Version + " of " + ClientName}
}

// fraction is a value as a share of one; nil where there is none.
func fraction(v *verdict.Value) *float64 {
	if v == nil {
		return nil
	}
	per := int64(1_000_000)
	if v.Unit == "percent" || v.Unit == "%" {
		per *= 100
	}
	f, _ := big.NewRat(v.Micro, per).Float64()
	return &f
}

// instances are how many instances a score of SWE-bench is of, and how many of them were resolved: as it tells itself, else
// by its items, of which those with a whole point are resolved.
func instances(j *verdict.Judgement) (all, resolved int) {
	if n, told := partOf(j.Score, "instances"); told {
		resolved, _ = partOf(j.Score, "resolved")
		return n, resolved
	}
	for i := range j.Items {
		if j.Items[i].Scored && j.Items[i].Micro == 1_000_000 {
			resolved++
		}
	}
	if j.Score == nil {
		return len(j.Items), resolved
	}
	return int(j.Score.Scored + j.Score.Missing), resolved
}

// partOf is a whole number among the parts of a score, and whether it is told.
func partOf(s *verdict.Score, name string) (n int, told bool) {
	if s == nil {
		return 0, false
	}
	for _, p := range s.Parts {
		if p.Name == name {
			return int(p.Micro / 1_000_000), true
		}
	}
	return 0, false
}

// idsOf is the digest of the instances that a score is of; empty: it is not told.
func idsOf(s *verdict.Score) string {
	for _, p := range s.Parts {
		if p.Name == "instance_ids" {
			return p.Unit
		}
	}
	return ""
}
