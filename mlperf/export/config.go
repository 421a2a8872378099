package export

import (
	"encoding/json"
	"fmt"

	"paceline/core/digest"
)

// Config is config.yaml: how the run was set up, in the words of the reference client where those fit.
type Config struct {
	Name      string          `json:"name"`
	Version   string          `json:"version"`
	Client    Client          `json:"client"`
	Type      string          `json:"type"`
	Params    json.RawMessage `json:"model_params"`
	Datasets  []ConfigDataset `json:"datasets"`
	Settings  ConfigSettings  `json:"settings"`
	Endpoint  ConfigEndpoint  `json:"endpoint_config"`
	RunSHA256 digest.SHA256   `json:"paceline_run_config_sha256"` // of run.json, which has everything
}

// ConfigDataset is one data set with what was made of it.
type ConfigDataset struct {
	Name     string           `json:"name"`
	Type     string           `json:"type"`
	SHA256   string           `json:"sha256,omitempty"`
	Accuracy ConfigAccuracy   `json:"accuracy_config"`
	Agentic  *AgenticSettings `json:"agentic_inference,omitempty"`
}

// ConfigAccuracy is how it was scored.
type ConfigAccuracy struct {
	Method  string            `json:"eval_method"`
	Repeats int               `json:"num_repeats,omitempty"`
	Extras  *EvaluationExtras `json:"extras,omitempty"`
}

// AgenticSettings are those of the scenario, with the limits of a turn.
type AgenticSettings struct {
	TurnTimeout float64 `json:"turn_timeout_s"`
	Agentic
	RoutingHeaders []string `json:"routing_headers"`
}

// ConfigSettings are seeds and load.
type ConfigSettings struct {
	Seeds Seeds `json:"runtime"`
	Load  struct {
		Type        string `json:"type"`
		Concurrency int    `json:"target_concurrency"`
	} `json:"load_pattern"`
}

// ConfigEndpoint is the target.
type ConfigEndpoint struct {
	Endpoints []string `json:"endpoints"`
	API       string   `json:"api_type"`
}

// ConfigFile makes config.yaml.
func (r *Run) ConfigFile(o *Options) (*Config, error) {
	params, err := r.params()
	if err != nil {
		return nil, err
	}
	c := &Config{
		Name: r.Config.Run, Version: "1.0", Client: clientOf(r.Config.Build), Type: "online", Params: params,
		Endpoint: ConfigEndpoint{[]string{r.Config.Endpoint}, "openai"},
	}
	if len(r.Journal.Heads) > 0 {
		c.RunSHA256 = r.Journal.Heads[0].RunConfig
	}
	main := ConfigDataset{Name: r.datasetName(), Type: "performance", Accuracy: ConfigAccuracy{Method: "agentic_inference_inline"},
		Agentic: &AgenticSettings{float64(r.Settings.Target.Turn) / second, r.agentic(), r.Settings.RoutingHeaders}}
	if in := r.Dataset(); in != nil {
		main.SHA256 = in.SHA256.String()
	}
	c.Datasets = append(c.Datasets, main)
	if a := r.methods(o).SWEBench; a != nil {
		c.Datasets = append(c.Datasets, ConfigDataset{Name: sweBench, Type: "accuracy",
			Accuracy: ConfigAccuracy{Method: a.Method, Repeats: a.Repeats, Extras: a.Extras}})
	}
	c.Settings.Seeds = seedsOf(o.Seeds)
	c.Settings.Load.Type, c.Settings.Load.Concurrency = loadPattern, r.Concurrency()
	return c, nil
}

// params are the run's parameters with what the run sets beside them, keys sorted.
func (r *Run) params() (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if p := r.Settings.Params; len(p) > 0 && string(p) != "null" {
		if err := json.Unmarshal(p, &all); err != nil {
			return nil, fmt.Errorf("read params of %s: %w", r.Dir, err)
		}
	}
	name, err := json.Marshal(r.Settings.Target.Model)
	if err != nil {
		return nil, err
	}
	all["name"], all["max_new_tokens"], all["streaming"] = name, fmt.Appendf(nil, "%d", r.Settings.MaxTokens), json.RawMessage(`"off"`)
	if r.Settings.Target.Stream {
		all["streaming"] = json.RawMessage(`"on"`)
	}
	return json.Marshal(all)
}
