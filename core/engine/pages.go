package engine

// Pages of a server that tell of its engine. None of them changes anything: ResetPage is only asked whether it is there, by a
// method that it does not have.
const (
	ModelsPage     = "/v1/models"
	VersionPage    = "/version"
	InfoPage       = "/server_info"
	OldInfoPage    = "/get_server_info" // of SGLang before it had the other
	PropsPage      = "/props"
	MetricsPage    = "/metrics"
	PrometheusPage = "/prometheus/metrics"
	ResetPage      = "/reset_prefix_cache"
)

// pages lists what is asked of an engine, in order; of an unknown one, what would tell which it is.
func pages(k Kind) []string {
	switch k {
	case VLLM:
		return []string{ModelsPage, VersionPage, ResetPage, MetricsPage}
	case SGLang:
		return []string{ModelsPage, InfoPage, OldInfoPage, MetricsPage}
	case TRTLLM:
		return []string{ModelsPage, VersionPage, PrometheusPage}
	case LlamaCpp:
		return []string{ModelsPage, PropsPage, MetricsPage}
	case Unknown:
	}
	return []string{ModelsPage, PropsPage, InfoPage, OldInfoPage, VersionPage, MetricsPage}
}

// Next is the page to ask for after these answers, and false where no further one tells anything. named is the engine that
// the target is said to be, Unknown for none. A target that its list of models does not tell, and that nobody named, is asked
// no further unless thoroughly.
func Next(f Facts, named Kind, thoroughly bool) (string, bool) {
	if f.page(ModelsPage) == nil {
		return ModelsPage, true
	}
	k := Identify(f, named).Kind
	if k == Unknown && !thoroughly {
		return "", false
	}
	for _, p := range pages(k) {
		if f.page(p) == nil && (p != OldInfoPage || !f.found(InfoPage)) {
			return p, true
		}
	}
	return "", false
}
