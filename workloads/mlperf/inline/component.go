package inline

import (
	"paceline/sdk"
	"paceline/workloads/options"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,` +
	`"properties":{"min_percent":{"type":"number","minimum":0,"maximum":100,` +
	`"description":"least score in percent, both domains together; without it nothing passes"}}}`

// Component describes the scorer for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "inline",
		Summary:      "MLPerf Endpoints' inline accuracy: answers held against the recorded ones of the same turns",
		ConfigSchema: []byte(configSchema),
		Unit:         sdk.UnitTurn,
		Needs:        []sdk.Need{sdk.NeedAnswer, sdk.NeedRecorded, sdk.NeedTruth},
		Scorer:       func(o *sdk.Opening) (sdk.Scorer, error) { return open(o) },
	}
}

// scorer holds the threshold in micro-units of the share; nil: there is none.
type scorer struct{ threshold *int64 }

func open(o *sdk.Opening) (*scorer, error) {
	config := options.Read(o.Config, "min_percent")
	percent, set := config.Micro("min_percent", 100)
	if set && percent%100 != 0 {
		config.Fault("/min_percent", "option-range", "a number from 0 to 100 with at most 4 decimal places",
			"min_percent has more decimal places than a score in micro-units can be held against")
	}
	if err := config.Err(); err != nil {
		return nil, err
	}
	s := &scorer{}
	if set {
		share := percent / 100
		s.threshold = &share
	}
	return s, nil
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
		HigherIsBetter: true, ThresholdMicro: s.threshold,
		Scored: total.scored, Missing: a.expected - a.observed, Excluded: a.excluded,
		Complete: total.scored > 0 && a.notIssued == 0,
	}
	if total.scored > 0 {
		out.Score = &sdk.Value{Name: "inline", Micro: total.mean(6), Unit: "share"}
		out.Parts = append(out.Parts, sdk.Value{Name: "reference_rounded", Micro: total.mean(4) * 100, Unit: "share"})
		out.Passed = s.threshold != nil && out.Complete && out.Score.Micro >= *s.threshold
	}
	for _, part := range [...]struct {
		name string
		sum  sum
	}{{"coding", a.coding}, {"workflow", a.workflow}} {
		if part.sum.scored > 0 {
			out.Parts = append(out.Parts,
				sdk.Value{Name: part.name, Micro: part.sum.mean(6), Unit: "share"},
				count(part.name+"_scored", part.sum.scored))
		}
	}
	out.Parts = append(out.Parts, count("issued", a.issued), count("expected", a.expected), count("observed", a.observed),
		count("not_issued", a.notIssued), count("repeats", uint64(len(a.repeats))))
	return out, nil
}

func count(name string, n uint64) sdk.Value {
	return sdk.Value{Name: name, Micro: int64(n) * 1_000_000, Unit: "turns"}
}
