package singleturn

import (
	"paceline/sdk"
	"paceline/workloads/bfcl/question"
)

// stepBytes is how much of the files one step of the check reads: well below a second in a guest.
const stepBytes = 2 << 20

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"categories":{"type":"array","items":{"type":"string"},"description":"categories or groups (non_live, live, hallucination) to ask; all by default"},` +
	`"draw":{"enum":["all","mlperf-edge"],"default":"all","description":"mlperf-edge: the share of each category that MLPerf's edge benchmark asks, 995 questions of the published set"},` +
	`"first_each":{"type":"integer","minimum":1,"description":"ask only the first so many questions of each category"},` +
	`"descriptions":{"enum":["hinted","plain"],"default":"hinted","description":"hinted: function descriptions with the hints at the language that bfcl-eval adds; plain: without, as MLPerf's client sends them"}}}`

// Component describes the workload for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "single-turn",
		Summary:      "BFCL v4, single turn: questions with functions to call, one request each",
		ConfigSchema: []byte(configSchema),
		Capabilities: []sdk.Capability{sdk.CapabilityInputs},
		Inputs:       []string{question.QuestionsInput, question.AnswersInput},
		Workload:     func(o *sdk.Opening) (sdk.Workload, error) { return open(o) },
	}
}

// workload asks the chosen questions of two files.
type workload struct {
	files  question.Files
	index  *question.Index
	chosen []int // in the index
	hinted bool
}

func open(o *sdk.Opening) (*workload, error) {
	choice, err := readChoice(o.Config)
	if err != nil {
		return nil, err
	}
	questions, err := o.Input(question.QuestionsInput)
	if err != nil {
		return nil, err
	}
	answers, err := o.Input(question.AnswersInput)
	if err != nil {
		return nil, err
	}
	w := &workload{hinted: choice.hinted, files: question.Files{
		Questions: questions, QuestionsSize: questions.Size(), Answers: answers, AnswersSize: answers.Size()}}
	o.Prepare = o.Prepared
	if w.index, err = question.DecodeIndex(o.Prepared); err != nil {
		if w.index, err = question.Scan(w.files); err != nil {
			return nil, err
		}
		o.Prepare = w.index.Append(nil)
	}
	w.chosen = choice.choose(w.index.Entries)
	return w, nil
}

// Info implements sdk.Workload.
func (w *workload) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{Trajectories: uint64(len(w.chosen)), Fixed: true, Provenance: "exact"}
}

// Plan implements sdk.Workload. Repeat and seed change nothing: a question is always the same.
func (w *workload) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	if index >= uint64(len(w.chosen)) {
		return nil, sdk.Errorf(sdk.CodeOutOfRange, "plan trajectory %d: there are %d", index, len(w.chosen))
	}
	q, err := w.index.Entries[w.chosen[index]].Read(w.files)
	if err != nil {
		return nil, err
	}
	return trajectory(q, w.hinted)
}

// CheckInputs implements sdk.InputChecker. Both files are checked whole, whatever is chosen.
func (w *workload) CheckInputs(cursor []byte, maxFaults uint32) (*sdk.CheckInputsResponse, error) {
	checker, err := question.NewChecker(w.files, w.index, cursor)
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeInvalidArgument, "%w", err)
	}
	faults, done, err := checker.Step(int(min(maxFaults, 1<<20)), stepBytes)
	if err != nil {
		return nil, err
	}
	return &sdk.CheckInputsResponse{Faults: faults, Cursor: checker.Cursor(), Done: done, Items: checker.Questions()}, nil
}
