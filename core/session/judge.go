package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/verdict"
)

// Judges are the components that a run is judged by, in the order of their names.
type Judges struct {
	Counters   []judge.Counter
	Validators []judge.Validator
	Scorers    []judge.Scorer
	// Evaluators are asked last, one after another. Evaluations is the target that they ask; nil: there is none.
	Evaluators  []judge.Evaluator
	Evaluations *Evaluations
	// Replanner proves that the workload is deterministic. nil: what an earlier judging found stays.
	Replanner Replanner
	// Refolder proves the same of a live workload's steps, where there is a Replanner too. nil: they are taken as they are.
	Refolder Refolder
	// Proofs are in place of both, of a mix: by the workloads' names.
	Proofs     map[string]Proof
	Workers    int                  // batches at the same time; 0: the default. It changes no result
	OnProgress func(judge.Progress) // nil: not wanted
}

// Judge judges a run folder, writes the judgements whole in place of earlier ones, and computes the report. What a judge
// does wrong stands in its judgement; the error is about the files, or the context's.
func Judge(ctx context.Context, dir string, judges *Judges) (*Reports, error) {
	files, err := ReadFiles(dir)
	if err != nil {
		return nil, err
	}
	list, err := files.steadiness(ctx, dir, judges)
	if err != nil {
		return nil, fmt.Errorf("plan again for %s: %w", dir, err)
	}
	judged, err := files.judge(ctx, dir, judges)
	if err != nil {
		return nil, fmt.Errorf("judge %s: %w", dir, err)
	}
	list = append(list, judged...)
	if err := journal.WriteJudgements(dir, list); err != nil {
		return nil, err
	}
	return files.report(dir)
}

// steadiness is the judgement of each workload: planned again where that can be done, else as it was found before.
func (f *Files) steadiness(ctx context.Context, dir string, judges *Judges) ([]verdict.Judgement, error) {
	if !judges.proves() {
		before, err := journal.ReadJudgements(dir)
		return slices.DeleteFunc(before, func(j verdict.Judgement) bool { return j.Kind != verdict.KindWorkload }), err
	}
	root, err := strconv.ParseUint(f.Config.Seed, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read seed of the run: %w", err)
	}
	var list []verdict.Judgement
	for _, w := range f.Config.All() {
		proof := judges.proof(w.Name, f.Config.Mixed())
		if proof.Replanner == nil {
			continue
		}
		j, err := f.replan(ctx, root, &w, proof)
		if err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return list, nil
}

// made says how the requests of a run were made, as its run file (schemas/run/v1) has it.
type made struct {
	History  chat.HistoryRule `json:"history"`
	Thinking chat.Thinking    `json:"thinking"`
	Results  chat.ToolResults `json:"tool_results"`
	Params   json.RawMessage  `json:"params"`
	Override json.RawMessage  `json:"override"`
	Target   struct {
		RequireContent bool `json:"require_content"`
	} `json:"target"`
	Workloads map[string]struct {
		History chat.HistoryRule `json:"history"`
		Params  json.RawMessage  `json:"params"`
	} `json:"workloads"`
}

func (f *Files) material(judges *Judges) (judge.Config, error) {
	var how made
	if err := json.Unmarshal(f.Config.Config, &how); err != nil {
		return judge.Config{}, fmt.Errorf("read configuration of the run: %w", err)
	}
	root, err := strconv.ParseUint(f.Config.Seed, 10, 64)
	if err != nil {
		return judge.Config{}, fmt.Errorf("read seed of the run: %w", err)
	}
	scheme, err := chat.SaltSchemeByName(f.Config.Salt.Scheme)
	if err != nil {
		return judge.Config{}, fmt.Errorf("read salt of the run: %w", err)
	}
	salter, err := chat.NewSalter(scheme, root)
	if err != nil {
		return judge.Config{}, fmt.Errorf("read salt of the run: %w", err)
	}
	composer, err := f.composer(root)
	if err != nil {
		return judge.Config{}, err
	}
	config, err := runConfigJSON(f.Config)
	if err != nil {
		return judge.Config{}, err
	}
	return judge.Config{
		Run: f.Run, RunConfig: config, Seed: root, History: how.History, Thinking: how.Thinking, ToolResults: how.Results, RequireContent: how.Target.RequireContent, Salter: salter, Composer: composer,
		Params: absent(how.Params), Override: absent(how.Override), Workers: judges.Workers, OnProgress: judges.OnProgress,
		Info: infoOf(&f.Config.Workload), Workloads: f.mixed(&how),
	}, nil
}

// absent turns a JSON null into nothing.
func absent(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// judge asks counters first, since metrics may use what they say, then validators and scorers over the same metrics, and at
// last those that ask the target.
func (f *Files) judge(ctx context.Context, dir string, judges *Judges) ([]verdict.Judgement, error) {
	config, err := f.material(judges)
	if err != nil {
		return nil, err
	}
	var window metrics.Window
	config.InWindow = func(s *sample.Sample) bool { return window.Holds(s) }
	m := judge.New(config)
	var list []verdict.Judgement
	var errs []error
	add := func(j verdict.Judgement, err error) {
		if err == nil {
			list = append(list, j)
		}
		errs = append(errs, err)
	}
	for _, c := range judges.Counters {
		add(m.Count(ctx, c))
	}
	in, err := report.MetricsInput(report.Input{Run: f.Run, Config: f.Config, Judgements: list})
	if err != nil {
		return nil, err
	}
	computed := metrics.Compute(in)
	window = computed.Chosen()
	whole, err := json.Marshal(computed)
	if err != nil {
		return nil, fmt.Errorf("encode metrics: %w", err)
	}
	made := &figures{in, map[string]json.RawMessage{"": whole}}
	for _, v := range judges.Validators {
		part, raw, err := f.part(m, made, v.About())
		if err != nil {
			return nil, err
		}
		add(part.Validate(ctx, v, raw))
	}
	for _, s := range judges.Scorers {
		part, raw, err := f.part(m, made, s.About())
		if err != nil {
			return nil, err
		}
		add(part.Score(ctx, s, raw))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	evaluated, err := f.evaluate(ctx, dir, m, judges)
	return append(list, evaluated...), err
}

// part is what a judge sees of the run, and the metrics of that.
func (f *Files) part(m *judge.Material, made *figures, about verdict.About) (*judge.Material, json.RawMessage, error) {
	workloads := f.of(about)
	raw, err := made.of(workloads)
	if len(workloads) > 0 {
		m = m.Of(workloads)
	}
	return m, raw, err
}
