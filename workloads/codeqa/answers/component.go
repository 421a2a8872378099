package answers

import (
	"paceline/sdk"
	"paceline/workloads/codeqa/task"
	"paceline/workloads/options"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,` +
	`"properties":{"min_percent":{"type":"number","minimum":0,"maximum":100,` +
	`"description":"least share of solved tasks in percent; without it nothing passes"}}}`

// Component describes the scorer for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "answers",
		Summary:      "share of the questions of codeqa/tasks that a live agent solved",
		ConfigSchema: []byte(configSchema),
		Unit:         sdk.UnitConversation,
		Needs:        []sdk.Need{sdk.NeedAnswer, sdk.NeedTruth},
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
	var items []sdk.ItemScore
	for from := 0; from < len(samples); {
		to := from + 1
		for to < len(samples) && same(&samples[from], &samples[to]) {
			to++
		}
		items = append(items, scoreConversation(&a, samples[from:to]))
		from = to
	}
	return items, a.encode(), nil
}

// same reports whether two samples are of one conversation.
func same(a, b *sdk.Sample) bool {
	return a.Workload == b.Workload && a.TrajectoryIndex == b.TrajectoryIndex && a.Repeat == b.Repeat && a.Attempt == b.Attempt
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
	return a.encode(), nil
}

// Conclude implements sdk.Scorer.
func (s *scorer) Conclude(run *sdk.ConcludeRequest) (*sdk.ConcludeScoreResponse, error) {
	a, err := decodeAccount(run.Account)
	if err != nil {
		return nil, err
	}
	out := &sdk.ConcludeScoreResponse{
		HigherIsBetter: true, ThresholdMicro: s.threshold, Scored: a.counted, Missing: a.missing, Excluded: a.excluded + a.cut,
		Complete: a.counted > 0 && a.cut == 0,
	}
	if a.counted > 0 {
		out.Score = &sdk.Value{Name: "solved", Micro: ratio(a.solved, a.counted), Unit: "share"}
		out.Passed = s.threshold != nil && out.Complete && out.Score.Micro >= *s.threshold
	}
	for i, k := range task.Kinds() {
		if part := a.kinds[i]; part.counted > 0 {
			out.Parts = append(out.Parts,
				sdk.Value{Name: string(k), Micro: ratio(part.solved, part.counted), Unit: "share"},
				count(string(k)+"_tasks", part.counted, "tasks"))
		}
	}
	if ended := a.counted - a.missing; ended > 0 { // of a conversation that failed, nobody counted the steps
		out.Parts = append(out.Parts,
			sdk.Value{Name: "steps_per_task", Micro: ratio(a.steps, ended), Unit: "requests"},
			sdk.Value{Name: "calls_per_task", Micro: ratio(a.calls, ended), Unit: "calls"})
	}
	out.Parts = append(out.Parts, count("failed_calls", a.failed, "calls"), count("repeated_calls", a.repeated, "calls"),
		count("gave_up", a.gaveUp, "tasks"), count("empty", a.empty, "tasks"), count("failed", a.missing, "tasks"), count("cut", a.cut, "tasks"))
	return out, nil
}

// ratio gives n / of in micro-units, rounded half up; of is above 0 and both are below 2^42.
func ratio(n, of uint64) int64 { return int64((n*1_000_000 + of/2) / of) }

func count(name string, n uint64, unit string) sdk.Value {
	return sdk.Value{Name: name, Micro: int64(n) * 1_000_000, Unit: unit}
}
