package sim

import (
	"fmt"
	"slices"
	"strings"
)

// Stats is what the engine counted since it was made.
type Stats struct {
	Running, Waiting int // sequences now
	UsedBlocks       int // KV blocks now, those kept for reuse included
	IdleBlocks       int // of these, kept for reuse only
	Blocks           int // capacity

	Steps, Finished, Preemptions int
	PrefixQueries, PrefixHits    int64 // prompt tokens of started requests, and of these found in the cache
	PrefillTokens                int64 // computed, after preemption again
	GenerationTokens             int64
	Drafts                       int64 // verified
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	e := s.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.stats
	out.Running, out.Waiting = len(e.running), len(e.waiting)
	out.UsedBlocks, out.IdleBlocks, out.Blocks = e.kv.used, e.kv.idleCount, e.kv.capacity
	return out
}

// reset forgets the prefix cache but for what running sequences hold.
func (e *engine) reset() {
	e.mu.Lock()
	e.kv.reset()
	e.mu.Unlock()
}

// metrics renders the counters as Prometheus text with the names of vLLM, so
// that what reads a real engine's metrics reads these.
func (s *Server) metrics() []byte {
	st := s.Stats()
	var b strings.Builder
	label := `{model_name="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s.config.Model) + `"}`
	put := func(kind, name, help string, value any) {
		fmt.Fprintf(&b, "# HELP vllm:%s %s\n# TYPE vllm:%s %s\nvllm:%s%s %v\n", name, help, name, kind, name, label, value)
	}
	inUse := float64(st.UsedBlocks-st.IdleBlocks) / float64(st.Blocks)
	put("gauge", "num_requests_running", "Requests in the batch.", st.Running)
	put("gauge", "num_requests_waiting", "Requests in the queue.", st.Waiting)
	put("gauge", "kv_cache_usage_perc", "Share of KV blocks that requests hold, 0 to 1.", inUse)
	put("counter", "num_preemptions_total", "Requests that gave up their blocks.", st.Preemptions)
	put("counter", "prefix_cache_queries_total", "Prompt tokens looked up.", st.PrefixQueries)
	put("counter", "prefix_cache_hits_total", "Prompt tokens found.", st.PrefixHits)
	put("counter", "prompt_tokens_total", "Prompt tokens, cached ones included.", st.PrefixQueries)
	put("counter", "generation_tokens_total", "Tokens generated.", st.GenerationTokens)
	put("counter", "request_success_total", "Requests answered.", st.Finished)
	s.drafts(&b, st.Drafts, label, put)
	return []byte(b.String())
}

// drafts tells of speculative decoding, where there is any.
func (s *Server) drafts(b *strings.Builder, drafts int64, label string, put func(kind, name, help string, value any)) {
	if s.config.DraftTokens == 0 {
		return
	}
	s.engine.mu.Lock()
	accepted := slices.Clone(s.engine.accepted)
	s.engine.mu.Unlock()
	var sum int64
	for _, n := range accepted {
		sum += n
	}
	put("counter", "spec_decode_num_drafts_total", "Drafts verified.", drafts)
	put("counter", "spec_decode_num_draft_tokens_total", "Tokens drafted.", drafts*int64(s.config.DraftTokens))
	put("counter", "spec_decode_num_accepted_tokens_total", "Drafted tokens accepted.", sum)
	const name = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
	fmt.Fprintf(b, "# HELP %s Drafted tokens accepted, by place.\n# TYPE %s counter\n", name, name)
	for i, n := range accepted {
		fmt.Fprintf(b, "%s%s,position=\"%d\"} %d\n", name, strings.TrimSuffix(label, "}"), i, n)
	}
}
