package ast

import (
	"paceline/sdk"
	"paceline/workloads/bfcl/category"
	"paceline/workloads/options"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"min_percent":{"type":"number","minimum":0,"maximum":100,"description":"least share of right answers in percent, all categories together; without it nothing passes"},` +
	`"min_normalized_percent":{"type":"number","minimum":0,"maximum":100,"description":"least normalized_single_turn in percent, asked for beside min_percent"},` +
	`"min_samples":{"type":"integer","minimum":1,"description":"least number of scored answers, asked for beside min_percent"}}}`

// Component describes the scorer for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "ast",
		Summary:      "BFCL's AST checker: the functions called, their parameters, types and values held against the stored answers",
		ConfigSchema: []byte(configSchema),
		Unit:         sdk.UnitTurn,
		Needs:        []sdk.Need{sdk.NeedAnswer, sdk.NeedTruth},
		Scorer:       func(o *sdk.Opening) (sdk.Scorer, error) { return open(o) },
	}
}

// scorer holds the thresholds, shares in micro-units; nil and 0: there is none.
type scorer struct {
	share, normalized *int64
	samples           uint64
}

func open(o *sdk.Opening) (*scorer, error) {
	config := options.Read(o.Config, "min_percent", "min_normalized_percent", "min_samples")
	s := &scorer{
		share: threshold(config, "min_percent"), normalized: threshold(config, "min_normalized_percent"),
		samples: config.Count("min_samples"),
	}
	return s, config.Err()
}

// threshold reads percent as a share in micro-units.
func threshold(config *options.Reader, key string) *int64 {
	percent, set := config.Micro(key, 100)
	if !set {
		return nil
	}
	if percent%100 != 0 {
		config.Fault("/"+key, "option-range", "a number from 0 to 100 with at most 4 decimal places",
			"%s has more decimal places than a score in micro-units can be held against", key)
	}
	share := percent / 100
	return &share
}

// Score implements sdk.Scorer.
func (s *scorer) Score(samples []sdk.Sample) ([]sdk.ItemScore, []byte, error) {
	var a account
	items := make([]sdk.ItemScore, len(samples))
	for i := range samples {
		items[i] = scoreSample(&a, &samples[i])
	}
	return items, a.append(nil), nil
}

// Fold implements sdk.Folder.
func (s *scorer) Fold(running, batch []byte) ([]byte, error) {
	a, err := decodeAccount(running)
	if err != nil {
		return nil, err
	}
	b, err := decodeAccount(batch)
	if err != nil {
		return nil, err
	}
	a.fold(b)
	return a.append(nil), nil
}

// Conclude implements sdk.Scorer.
func (s *scorer) Conclude(run *sdk.ConcludeRequest) (*sdk.ConcludeScoreResponse, error) {
	a, err := decodeAccount(run.Account)
	if err != nil {
		return nil, err
	}
	total := a.total()
	out := &sdk.ConcludeScoreResponse{
		HigherIsBetter: true, ThresholdMicro: s.share, Scored: total.scored, Missing: total.missing, Excluded: a.excluded,
		Complete: total.scored > 0 && a.notIssued == 0 && a.excluded == 0,
	}
	if total.scored == 0 {
		return out, nil
	}
	out.Score = &sdk.Value{Name: "accuracy", Micro: micro(total.pico()), Unit: "share"}
	shares := a.shares()
	for _, part := range shares {
		out.Parts = append(out.Parts, sdk.Value{Name: part.name, Micro: micro(part.pico), Unit: "share"})
	}
	for i := range category.All {
		if c := a.of[i]; c.scored > 0 {
			out.Parts = append(out.Parts, sdk.Value{Name: category.All[i].Name, Micro: micro(c.pico()), Unit: "share"},
				count(category.All[i].Name+"_right", c.right), count(category.All[i].Name+"_scored", c.scored))
		}
	}
	out.Parts = append(out.Parts, count("right", total.right), count("scored", total.scored), count("missing", total.missing),
		count("not_issued", a.notIssued), count("unjudgeable", a.unjudgeable))
	out.Passed = s.share != nil && out.Complete && out.Score.Micro >= *s.share && total.scored >= s.samples &&
		(s.normalized == nil || atLeast(shares, "normalized_single_turn", *s.normalized))
	return out, nil
}

func atLeast(shares []share, name string, least int64) bool {
	for _, s := range shares {
		if s.name == name {
			return micro(s.pico) >= least
		}
	}
	return false
}

func count(name string, n uint64) sdk.Value {
	return sdk.Value{Name: name, Micro: int64(n) * 1_000_000, Unit: "answers"}
}
