package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paceline/cmd/runner/internal/config"
)

// runFlags are the flags that say what a run is. Each one is a key of the run file; what is not given is left to the layers
// below.
type runFlags struct {
	set        []string
	targets    []string
	workloads  []string
	inputs     []string
	scorers    []string
	validators []string
	counters   []string
	judges     []string // that the run file names
	headers    []string
	objectives []string
	prices     string
	plugins    []string
	dev        []string
	noDelays   bool
	noChecks   bool
	noStream   bool
	noRecheck  bool
	locked     bool
	lock       string
	policy     string
	plainHTTP  bool
	quiet      bool
	json       bool
}

// flagKeys maps each plain flag to its key.
var flagKeys = []struct{ flag, key, kind, help string }{
	{"preset", "preset", "string", "`plugin/preset` below the run file, e.g. std/codeqa/quick"},
	{"api", "target.api", "string", "`API` to ask by: chat, completions, responses or messages (default chat)"},
	{"model", "target.model", "string", "served `name` of the model (default: the only one in /v1/models)"},
	{"api-key-env", "target.api_key_env", "string", "environment `variable` that holds the API key (default PACELINE_API_KEY)"},
	{"api-key-file", "target.api_key_file", "string", "`FILE` that holds the API key"},
	{"api-key", "target.api_key", "string", "the API `key` itself (other users of this machine can see it: prefer the two below)"},
	{"ca-file", "target.ca_file", "string", "PEM `FILE` of certificates to trust for https"},
	{"insecure", "target.insecure", "bool", "do not check the endpoint's certificate (stamped in the report)"},
	{"require-content", "target.require_content", "bool", "give assistant messages that only call tools an empty content (some chat templates need one)"},
	{"strict-wire", "target.strict_wire", "bool", "send bodies exactly as MLPerf's reference client does, without stream_options"},
	{"metrics-url", "target.metrics", "string", "`URL` of the target's metrics page, read beside the load (default /metrics of the target; none: not at all)"},
	{"speculation", "target.speculation.method", "string", "declare the target's speculative decoding: none, or the `method` as the engine names it, e.g. eagle3"},
	{"drafter", "target.speculation.drafter", "string", "repository of the draft `model`"},
	{"drafter-checksum", "target.speculation.weight_checksum", "string", "`checksum` of its weights, as the list of approved ones has it, e.g. git-sha1:..."},
	{"speculative-tokens", "target.speculation.num_speculative_tokens", "int", "declared `length` of a draft in tokens"},
	{"engine", "target.engine", "string", "`name` of the serving engine: auto, vllm, sglang, trtllm or llamacpp (default auto)"},
	{"engine-probe", "target.engine_probe", "bool", "ask for one token twice before the run, to find out what the engine leaves out of its token counts"},
	{"turn-timeout", "target.turn_timeout", "duration", "`time` limit of one turn (default 1h)"},
	{"users", "load.users", "int", "concurrent users, each with one conversation at a time (default 1); the most at once where they arrive by themselves (default 256)"},
	{"arrivals", "load.arrivals.kind", "string", "closed, or conversations arrive by themselves: constant, poisson, gamma or recorded (default poisson where --rate is given, else closed)"},
	{"rate", "load.arrivals.rate", "float", "conversations per second that arrive on average"},
	{"burstiness", "load.arrivals.burstiness", "float", "shape of gamma arrivals: below 1 they come in bursts, 1 is poisson, above they are more regular"},
	{"trajectories", "load.trajectories", "uint", "how many trajectories to start (default: each once)"},
	{"repeats", "load.repeats", "uint", "how many passes over the workload"},
	{"order", "load.order", "string", "file or shuffle (default file)"},
	{"max-delay", "load.max_delay", "duration", "cut tool delays above this `time`"},
	{"duration", "load.duration", "duration", "stop sending after this `time`"},
	{"start", "load.start", "string", "together, or spread: each user's first conversation begins at a drawn position inside its trajectory (default together)"},
	{"replay", "load.replay", "string", "all turns of each trajectory, or its last alone with the history before it (default all)"},
	{"max-context", "load.max_context", "string", "most `tokens` of a turn's prompt and answer; auto: the target's own limit (default: none)"},
	{"over-context", "load.over_context", "string", "trajectories that exceed it: skip, truncate, end or fail (default skip)"},
	{"grace", "load.grace", "duration", "`time` that open turns may take after a stop (default 30s)"},
	{"warmup", "load.warmup.trajectories", "int", "trajectories to play before measuring"},
	{"max-tokens", "max_tokens", "uint", "limit on generated tokens where the trajectory says none (default 1024)"},
	{"history", "history", "string", "recorded or live answers in the history (default recorded)"},
	{"lengths", "lengths", "string", "how planned lengths become prompts: text or exact (default text)"},
	{"ignore-eos", "target.ignore_eos", "string", "auto, always or never: force answers of exact lengths (default auto: where the engine is known to do it)"},
	{"tokenize", "target.tokenize", "string", "auto, always or never: with filler and live answers, ask the target between turns how many tokens its answers have (default auto: where the engine is known to tell)"},
	{"thinking", "thinking", "string", "keep or strip thinking in live history (default keep)"},
	{"tool-results", "tool_results", "string", "results of parallel tool calls: apart, or merged into one (default apart)"},
	{"salt", "salt", "string", "none, mlperf or seeded (default seeded)"},
	{"seed", "seed", "string", "unsigned 64-bit `number` (default: drawn, shown and kept in run.json)"},
	{"cohort", "seeds.cohort", "string", "take the seeds published for submissions of this `cohort`, e.g. 2026-12-C0"},
	{"seed-sets", "seeds.sets", "string", "`FILE` with seed sets that are newer than this runner"},
	{"window", "window.kind", "string", "all, steady, first-idle or trim (default all)"},
	{"max-failed", "max_failed", "string", "`share` of failed turns that still ends with exit code 0 (default 0%)"},
	{"unofficial", "unofficial", "bool", "play what the preset's rules refuse: no whole pass, a drafter that is not approved (stamped in the report)"},
	{"out", "out", "string", "run `folder` to write (default results/<run id>)"},
}

func (f *runFlags) register(fs *pflag.FlagSet) {
	for _, k := range flagKeys {
		switch k.kind {
		case "bool":
			fs.Bool(k.flag, false, k.help)
		case "int":
			fs.Int(k.flag, 0, k.help)
		case "float":
			fs.Float64(k.flag, 0, k.help)
		case "uint":
			fs.Uint64(k.flag, 0, k.help)
		default: // durations are read by config, so that their errors are its errors
			fs.String(k.flag, "", k.help)
		}
	}
	fs.StringArrayVar(&f.targets, "target", nil, "base `URL` of the endpoint, e.g. http://127.0.0.1:8000/v1; given several times, conversations are dealt out to all of them")
	fs.StringArrayVar(&f.workloads, "workload", nil, "`component` that makes the trajectories, e.g. std/mlperf/agentic; several are mixed by weight: --workload A=3 --workload B=1")
	fs.StringArrayVar(&f.inputs, "input", nil, "input of the workload, `name=FILE`, of one of several or of a judge COMPONENT:name=FILE; may be repeated")
	fs.StringArrayVar(&f.scorers, "score", nil, "scorer `component` to run over the journal; may be repeated")
	fs.StringArrayVar(&f.validators, "validate", nil, "validator `component` to run over the journal; may be repeated")
	fs.StringArrayVar(&f.counters, "count", nil, "counter `component` of tokens, for turns of which the target told none; one at most")
	fs.StringArrayVar(&f.headers, "header", nil, "extra request header, `Name=value`; its value is kept secret")
	fs.StringArrayVar(&f.plugins, "plugin", nil, "where a plugin is, `name=SOURCE`: a file, an OCI layout or oci://HOST/NAME:TAG; may be repeated")
	fs.StringArrayVar(&f.dev, "dev-plugin", nil, "override the lock for one plugin, `name=FILE`; stamps the run unofficial")
	fs.StringArrayVar(&f.objectives, "objective", nil, "bound that goodput asks for, `figure=time`: ttft, ttft_answer, latency, tpot, response_time of a turn, trajectory_latency, ttfat")
	fs.StringVar(&f.prices, "prices", "", "`FILE` with what the target costs (schemas/price/v1), for cost per million tokens and per trajectory")
	fs.StringArrayVar(&f.set, "set", nil, "any `key=value` of the run file, e.g. load.users=8")
	fs.BoolVar(&f.noDelays, "no-delays", false, "play tool delays as zero")
	fs.BoolVar(&f.noStream, "no-stream", false, "ask for whole answers instead of streams")
	fs.BoolVar(&f.noRecheck, "no-recheck", false, "do not ask again, after the load, about streams that ended without a word")
	fs.BoolVar(&f.noChecks, "no-checks", false, "do not report on tool calls unless asked to by --validate")
	fs.BoolVar(&f.locked, "locked", false, "refuse to run without a lock that covers everything")
	fs.StringVar(&f.lock, "lock", "", "lock `FILE` (default paceline.lock beside the run file)")
	fs.StringVar(&f.policy, "policy", "", "refuse plugins that the policy `FILE` does not allow")
	fs.BoolVar(&f.plainHTTP, "plain-http", false, "speak http to registries; without it only to those on the loopback")
	fs.BoolVar(&f.quiet, "quiet", false, "no progress, no report on the terminal")
	fs.BoolVar(&f.json, "json", false, "write report.json to the standard output")
}

// layers returns the flags as two layers: the named flags, and above them --set.
func (f *runFlags) layers(c *cobra.Command) ([]config.Layer, error) {
	var layers []config.Layer
	for _, k := range flagKeys {
		if fl := c.Flags().Lookup(k.flag); fl != nil && fl.Changed {
			l := config.Layer{Name: "--" + k.flag}
			l.Put(k.key, typed(fl))
			layers = append(layers, l)
		}
	}
	layers = append(layers, targetLayer(f.targets))
	judges, inputs := f.splitInputs()
	of, err := workloadLayers(f.workloads, inputs)
	if err != nil {
		return nil, err
	}
	files, err := judgeInputs(judges)
	if err != nil {
		return nil, err
	}
	layers = append(append(layers, of...), files)
	named := []struct {
		flag, key string
		pairs     []string
	}{{"header", "target.headers", f.headers}, {"plugin", "plugins", f.plugins}, {"objective", "objectives", f.objectives}}
	for _, n := range named {
		l := config.Layer{Name: "--" + n.flag}
		for _, pair := range n.pairs {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || name == "" {
				return nil, fail(exitUsage, fmt.Errorf("--%s %q: want name=value", n.flag, pair))
			}
			l.Put(n.key+`."`+name+`"`, value)
		}
		layers = append(layers, l)
	}
	for _, j := range []struct {
		flag, key string
		names     []string
	}{{"score", "scorers", f.scorers}, {"validate", "validators", f.validators}, {"count", "counters", f.counters}} {
		l := config.Layer{Name: "--" + j.flag}
		for _, name := range j.names {
			l.Put(j.key+`."`+name+`"`, map[string]any{})
		}
		layers = append(layers, l)
	}
	for _, no := range []struct {
		given     bool
		flag, key string
	}{
		{f.noDelays, "--no-delays", "load.delays"}, {f.noChecks, "--no-checks", "checks"},
		{f.noStream, "--no-stream", "target.stream"}, {f.noRecheck, "--no-recheck", "target.recheck"},
	} {
		if no.given {
			l := config.Layer{Name: no.flag}
			l.Put(no.key, false)
			layers = append(layers, l)
		}
	}
	if f.prices != "" {
		l, err := config.PriceFile(f.prices)
		if err != nil {
			return nil, fail(exitUsage, err)
		}
		layers = append(layers, l)
	}
	set, err := config.Set("--set", f.set)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	return append(layers, set), nil
}

// targetLayer is --target: the run file's one target, or its targets where there are several.
func targetLayer(urls []string) config.Layer {
	l := config.Layer{Name: "--target"}
	if len(urls) == 1 {
		l.Put("target.url", urls[0])
	}
	if len(urls) > 1 {
		list := make([]any, len(urls))
		for i, url := range urls {
			list[i] = map[string]any{"url": url}
		}
		l.Put("targets", list)
	}
	return l
}

func typed(fl *pflag.Flag) any {
	switch fl.Value.Type() {
	case "bool":
		return fl.Value.String() == "true"
	case "int", "uint64":
		var n int64
		if _, err := fmt.Sscan(fl.Value.String(), &n); err == nil {
			return n
		}
	case "float64":
		if v, err := strconv.ParseFloat(fl.Value.String(), 64); err == nil {
			return v
		}
	}
	return fl.Value.String()
}

// resolve layers preset, file, environment and flags, and checks the whole. The argument is a run file, a preset, or empty.
func (a *app) resolve(c *cobra.Command, f *runFlags, arg string) (config.Resolved, error) {
	if len(f.inputs) > 0 {
		f.judges = judgesOf(arg)
	}
	flags, err := f.layers(c)
	if err != nil {
		return config.Resolved{}, err
	}
	files, err := devFiles(f.dev)
	if err != nil {
		return config.Resolved{}, err
	}
	find := a.finder(f.plainHTTP)
	find.files.Dev = files
	if find.held, err = readLock(&runSpec{dir: folderOf(arg), lock: f.lock}); err != nil {
		return config.Resolved{}, err
	}
	r, err := a.layered(c.Context(), find, arg, flags...)
	if err != nil {
		return r, err
	}
	if err := r.CheckRules(); err != nil {
		if missing, ok := errors.AsType[*config.MissingError](err); ok {
			return r, failHint(exitUsage, err, missing.Hint())
		}
		return r, fail(exitUsage, err)
	}
	if err := r.Check(); err != nil {
		return r, fail(exitUsage, err)
	}
	if err := oneSystem(&r); err != nil {
		return r, err
	}
	return r, approveDrafter(&r)
}

// reservedEnv are variables of ours that are no keys of a run file.
var reservedEnv = []string{"PACELINE_API_KEY", "PACELINE_CACHE_DIR", "PACELINE_KEY_PASSPHRASE"}
