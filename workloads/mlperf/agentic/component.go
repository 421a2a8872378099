package agentic

import (
	"fmt"

	"paceline/sdk"
	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/options"
)

// input is the name of the data set.
const input = "dataset"

// stepBytes is how much of the data set one step of the check reads: well below a second in a guest.
const stepBytes = 8 << 20

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,` +
	`"properties":{"arguments":{"enum":["text","recorded"],"default":"text",` +
	`"description":"how recorded tool-call arguments that are an object are sent: as the text of that object, or as they stand in the data set"},` +
	`"first":{"type":"integer","minimum":1,` +
	`"description":"play only the first so many conversations of the data set; all of it is checked"}}}`

// Component describes the workload for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "agentic",
		Summary:      "MLPerf Endpoints, Agentic Inference: recorded conversations, one chat message per row",
		ConfigSchema: []byte(configSchema),
		Capabilities: []sdk.Capability{sdk.CapabilityInputs},
		Inputs:       []string{input},
		Workload:     func(o *sdk.Opening) (sdk.Workload, error) { return open(o) },
	}
}

// workload plays one data set.
type workload struct {
	src   *sdk.Input
	index *dataset.Index
	count uint64 // conversations that are played
	calls calls
}

func open(o *sdk.Opening) (*workload, error) {
	config := options.Read(o.Config, "arguments", "first")
	first := config.Count("first")
	arguments := config.Choice("arguments", "text", "recorded")
	if err := config.Err(); err != nil {
		return nil, err
	}
	src, err := o.Input(input)
	if err != nil {
		return nil, err
	}
	index, err := dataset.DecodeIndex(o.Prepared, src.Size())
	if err != nil {
		if index, err = dataset.Scan(src, src.Size()); err != nil {
			return nil, err
		}
		o.Prepare = index.Append(nil)
	} else {
		o.Prepare = o.Prepared
	}
	o.Losses = losses(index)
	w := &workload{src: src, index: index, count: uint64(len(index.Entries)), calls: calls{recorded: arguments == "recorded"}}
	if first > 0 {
		w.count = min(w.count, first)
	}
	return w, nil
}

// losses tells what the file says and a trajectory does not: what the run itself decides.
func losses(index *dataset.Index) []string {
	var out []string
	if index.ModelRows > 0 {
		out = append(out, fmt.Sprintf("model in %d client rows: the run names the model", index.ModelRows))
	}
	if index.StreamRows > 0 {
		out = append(out, fmt.Sprintf("stream in %d client rows: the run decides whether answers are streamed", index.StreamRows))
	}
	return out
}

// Info implements sdk.Workload.
func (w *workload) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{Trajectories: w.count, Fixed: true, Provenance: "recorded"}
}

// Plan implements sdk.Workload. Repeat and seed change nothing: a recorded conversation is always the same.
func (w *workload) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	if index >= w.count {
		return nil, sdk.Errorf(sdk.CodeOutOfRange, "plan trajectory %d: there are %d", index, w.count)
	}
	entry := w.index.Entries[index]
	rows, err := dataset.Rows(w.src, entry)
	if err != nil {
		return nil, err
	}
	return trajectory(entry.ID, rows, w.calls)
}

// CheckInputs implements sdk.InputChecker.
func (w *workload) CheckInputs(cursor []byte, maxFaults uint32) (*sdk.CheckInputsResponse, error) {
	checker, err := dataset.NewChecker(w.src, w.src.Size(), w.index, cursor)
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeInvalidArgument, "%w", err)
	}
	faults, done, err := checker.Step(int(min(maxFaults, 1<<20)), stepBytes)
	if err != nil {
		return nil, err
	}
	for i := range faults {
		faults[i].Input = input
	}
	return &sdk.CheckInputsResponse{Faults: faults, Cursor: checker.Cursor(), Done: done, Items: checker.Conversations()}, nil
}
