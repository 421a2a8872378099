package engine

// Capability is something that a run can want of a target.
type Capability string

// The capabilities, in the order in which they are shown.
const (
	Usage        Capability = "usage"         // token counts at the end of a stream
	CachedTokens Capability = "cached_tokens" // in those counts, how many tokens of the prompt were in the prefix cache
	ExactLength  Capability = "exact_length"  // answers of a length that the request sets
	CacheFlush   Capability = "cache_flush"   // an order that empties the prefix cache
	Metrics      Capability = "metrics"       // a page of Prometheus metrics
)

// Capabilities lists them.
func Capabilities() []Capability {
	return []Capability{Usage, CachedTokens, ExactLength, CacheFlush, Metrics}
}

// Name is the capability in words.
func (c Capability) Name() string {
	switch c {
	case CachedTokens:
		return "cached tokens"
	case ExactLength:
		return "exact length"
	case CacheFlush:
		return "cache flush"
	case Usage, Metrics:
	}
	return string(c)
}

// noun is what a target has that has the capability.
func (c Capability) noun() string {
	switch c {
	case Usage:
		return "token counts in streams"
	case ExactLength:
		return "answers of an exact length"
	case CacheFlush:
		return "an order that empties the prefix cache"
	case CachedTokens, Metrics:
	}
	return c.Name()
}

// Switch is how a server program comes to have a capability.
type Switch struct {
	Capability Capability
	Client     string   // what a request says, or what is sent for it
	Params     []string // of ExactLength: the parameters of a request that the program heeds
	Page       string   // of Metrics: where they are
	Server     string   // what the server has to be started with; empty: nothing
	Cannot     string   // why the program never has it; empty: it can
	Instead    string   // what helps where it is not there and Server is no remedy
}

const restartInstead = `--between-points "restart COMMAND" starts the server anew between the points of a sweep`

// switches is what is known of each program; docs/engines.md tells where from.
var switches = map[Program][]Switch{
	VLLMServe: {
		{Capability: Usage, Client: "stream_options.include_usage"},
		{Capability: CachedTokens, Client: "usage.prompt_tokens_details.cached_tokens", Server: "--enable-prompt-tokens-details"},
		{Capability: ExactLength, Client: "ignore_eos, min_tokens", Params: []string{"ignore_eos", "min_tokens"}},
		{Capability: CacheFlush, Client: "POST /reset_prefix_cache", Server: "VLLM_SERVER_DEV_MODE=1 in its environment"},
		{Capability: Metrics, Client: "GET /metrics", Page: MetricsPage, Instead: "look for a gateway that leaves /metrics out: vLLM has it without a switch"},
	},
	SGLangServer: {
		{Capability: Usage, Client: "stream_options.include_usage"},
		{Capability: CachedTokens, Client: "usage.prompt_tokens_details.cached_tokens", Server: "--enable-cache-report"},
		{Capability: ExactLength, Client: "ignore_eos, min_tokens", Params: []string{"ignore_eos", "min_tokens"}},
		{Capability: CacheFlush, Client: "POST /flush_cache"},
		{Capability: Metrics, Client: "GET /metrics", Page: MetricsPage, Server: "--enable-metrics"},
	},
	TRTLLMServe: {
		{Capability: Usage, Client: "stream_options.include_usage"},
		{Capability: CachedTokens, Client: "usage.prompt_tokens_details.cached_tokens",
			Instead: "update trtllm-serve: early versions leave them out"},
		{Capability: ExactLength, Client: "ignore_eos, min_tokens", Params: []string{"ignore_eos", "min_tokens"}},
		{Capability: CacheFlush, Cannot: "trtllm-serve has no order that empties its prefix cache", Instead: restartInstead},
		{Capability: Metrics, Client: "GET /prometheus/metrics", Page: PrometheusPage, Server: "return_perf_metrics: true in the YAML file of --config"},
	},
	LlamaServer: {
		{Capability: Usage, Client: "stream_options.include_usage"},
		{Capability: CachedTokens, Client: "usage.prompt_tokens_details.cached_tokens", Instead: "update llama-server: older builds leave them out"},
		{Capability: ExactLength, Client: "ignore_eos with a limit on tokens", Params: []string{"ignore_eos"}},
		{Capability: CacheFlush, Cannot: "llama-server empties one slot at a time, and only where it was started with --slot-save-path", Instead: restartInstead},
		{Capability: Metrics, Client: "GET /metrics", Page: MetricsPage, Server: "--metrics"},
	},
	LlamaPython: {
		{Capability: Usage, Cannot: "llama.cpp's Python server leaves token counts out of streams", Instead: "serve with llama-server, ask with --no-stream, or count with --count"},
		{Capability: CachedTokens, Cannot: "llama.cpp's Python server tells no cached tokens", Instead: "serve with llama-server"},
		{Capability: ExactLength, Client: "min_tokens with a limit on tokens", Params: []string{"min_tokens"}},
		{Capability: CacheFlush, Cannot: "llama.cpp's Python server has no order that empties its cache", Instead: restartInstead},
		{Capability: Metrics, Cannot: "llama.cpp's Python server has no metrics", Instead: "serve with llama-server --metrics"},
	},
}

// betweenPoints names the preset of sweeps that empties the prefix cache of an engine; empty where there is none.
var betweenPoints = map[Kind]string{VLLM: "vllm", SGLang: "sglang"}

// BetweenPoints is the word of --between-points for an engine whose prefix cache a request empties; empty: there is none.
func (k Kind) BetweenPoints() string { return betweenPoints[k] }

// mend says what to do where the capability is missing.
func (s *Switch) mend() string {
	if s.Server != "" {
		return "start the server with " + s.Server
	}
	return s.Instead
}
