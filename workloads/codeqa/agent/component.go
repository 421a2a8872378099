package agent

import (
	"paceline/sdk"
	"paceline/workloads/codeqa/corpus"
	"paceline/workloads/codeqa/task"
	"paceline/workloads/codeqa/tools"
	"paceline/workloads/options"
)

// Bounds and defaults of the configuration.
const (
	defaultSteps = 12
	mostSteps    = 100
	defaultDelay = 20_000_000       // ns
	mostDelay    = 60_000           // ms
	allKinds     = "all"            // of subset
	guided, bare = "guided", "bare" // of prompt
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"max_steps":{"type":"integer","minimum":1,"maximum":100,"default":12,"description":"requests after which a conversation is given up"},` +
	`"subset":{"enum":["all","value","name","path","count","trace"],"default":"all","description":"ask only questions of this kind"},` +
	`"first":{"type":"integer","minimum":1,"description":"ask only the first so many questions of the subset"},` +
	`"prompt":{"enum":["guided","bare"],"default":"guided","description":"guided says how to work and how to answer; bare says only what there is"},` +
	`"tool_delay_ms":{"type":"number","minimum":0,"maximum":60000,"default":20,` +
	`"description":"mean time that a tool call takes; each takes between half of it and one and a half times as much, by the run's seed"}}}`

// Component describes the workload for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "tasks",
		Summary:      "questions over a bundled tree of files, answered by a live agent with list, grep and read",
		ConfigSchema: []byte(configSchema),
		Workload:     func(o *sdk.Opening) (sdk.Workload, error) { return open(o) },
	}
}

// workload asks the questions of one configuration.
type workload struct {
	tree     *corpus.Tree
	tasks    []task.Task
	byID     map[string]*task.Task
	maxSteps int
	delay    int64 // mean of a tool call, ns
	bare     bool
	seed     []byte // of the opened component
}

func open(o *sdk.Opening) (*workload, error) {
	config := options.Read(o.Config, "max_steps", "subset", "first", "prompt", "tool_delay_ms")
	steps, first := config.Count("max_steps"), config.Count("first")
	if steps > mostSteps {
		config.Fault("/max_steps", "option-range", "a whole number from 1 to 100", "max_steps is %d", steps)
	}
	words := []string{allKinds}
	for _, k := range task.Kinds() {
		words = append(words, string(k))
	}
	subset := config.Choice("subset", words...)
	prompt := config.Choice("prompt", guided, bare)
	// A millionth of a millisecond is a nanosecond.
	delay, set := config.Micro("tool_delay_ms", mostDelay)
	if !set {
		delay = defaultDelay
	}
	if err := config.Err(); err != nil {
		return nil, err
	}
	tree, err := corpus.Open()
	if err != nil {
		return nil, err
	}
	w := &workload{tree: tree, byID: map[string]*task.Task{}, maxSteps: defaultSteps, delay: delay, bare: prompt == bare, seed: o.Seed}
	if steps > 0 {
		w.maxSteps = int(steps)
	}
	for _, t := range task.All() {
		if subset == allKinds || subset == string(t.Kind) {
			w.tasks = append(w.tasks, t)
		}
	}
	if n := uint64(len(w.tasks)); first > 0 && first < n {
		w.tasks = w.tasks[:first]
	}
	for i := range w.tasks {
		w.byID[w.tasks[i].ID] = &w.tasks[i]
	}
	return w, nil
}

// Info implements sdk.Workload.
func (w *workload) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{
		Trajectories: uint64(len(w.tasks)), Live: true, Fixed: true, Provenance: "exact",
		Defaults: &sdk.Defaults{Tools: []byte(tools.Definitions)},
	}
}
