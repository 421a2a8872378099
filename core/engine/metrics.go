package engine

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"paceline/core/exposition"
)

// Quantity is one of the figures of a target's metrics page that is kept. Those that end in _micro are in millionths.
type Quantity string

// The quantities. Counters count since the server started.
const (
	Running       Quantity = "running"         // requests in the batch now
	Waiting       Quantity = "waiting"         // requests in the queue now
	KVUse         Quantity = "kv_use_micro"    // share of the KV cache in use now
	HitRate       Quantity = "hit_rate_micro"  // of the prefix cache, as the server works it out
	AcceptRate    Quantity = "accept_micro"    // accepted of the drafted tokens, as the server works it out
	AcceptLength  Quantity = "accepted_micro"  // tokens of one verification, the one that the model adds included; likewise
	Preemptions   Quantity = "preemptions"     // counter: requests that lost their place
	PrefixQueries Quantity = "prefix_queries"  // counter: prompt tokens looked up in the prefix cache
	PrefixHits    Quantity = "prefix_hits"     // counter: of these, found
	Drafts        Quantity = "drafts"          // counter: verifications of a draft
	DraftTokens   Quantity = "draft_tokens"    // counter: tokens drafted
	AcceptTokens  Quantity = "accepted_tokens" // counter: of these, accepted
	BalanceCount  Quantity = "balance_count"   // counter: times that expert balance was looked at
	BalanceSum    Quantity = "balance_micro"   // counter: sum of mean load / maximum load of the devices' experts
)

// Reading is what is kept of one metrics page.
type Reading struct {
	Engine    Kind               `json:"engine"`
	Values    map[Quantity]int64 `json:"values"`
	Accepted  []int64            `json:"accepted_by_position,omitempty"` // counter: accepted tokens, by their place in the draft
	Malformed int                `json:"malformed_lines,omitempty"`
}

// Get returns a quantity, and whether the page told it.
func (r *Reading) Get(q Quantity) (int64, bool) {
	v, ok := r.Values[q]
	return v, ok
}

// maxPositions bounds the places in a draft that are told apart.
const maxPositions = 64

// MetricsPaths are where the engines serve their page, below the server's root: TRT-LLM has JSON at the first one.
func MetricsPaths() []string { return []string{"/metrics", "/prometheus/metrics"} }

// source is where an engine tells a quantity: the first of the names that the page has, without the engine's prefix and
// without _total, which versions have and have not.
type source struct {
	quantity Quantity
	mean     bool // over the series, which are of one replica each; else their sum
	names    []string
	label    string // only series whose label has the value; empty: all
	value    string
	except   bool // only those whose label has another value
}

// positions name the counters of accepted tokens by their place in the draft, and the label that tells it.
var positions = map[string]struct {
	kind  Kind
	label string
}{
	"vllm:spec_decode_num_accepted_tokens_per_pos": {VLLM, "position"},
	"trtllm:spec_decode_accepted_tokens":           {TRTLLM, "token_position"},
}

// sources is the table of names. Older names stand behind newer ones; RATIONALE.md says where they are from.
func sources(k Kind) []source {
	switch k {
	case VLLM:
		return []source{
			{quantity: Running, names: []string{"num_requests_running"}},
			{quantity: Waiting, names: []string{"num_requests_waiting"}},
			{quantity: KVUse, mean: true, names: []string{"kv_cache_usage_perc", "gpu_cache_usage_perc"}},
			{quantity: HitRate, mean: true, names: []string{"gpu_prefix_cache_hit_rate"}},
			{quantity: Preemptions, names: []string{"num_preemptions"}},
			{quantity: PrefixQueries, names: []string{"prefix_cache_queries", "gpu_prefix_cache_queries"}},
			{quantity: PrefixHits, names: []string{"prefix_cache_hits", "gpu_prefix_cache_hits"}},
			{quantity: Drafts, names: []string{"spec_decode_num_drafts"}},
			{quantity: DraftTokens, names: []string{"spec_decode_num_draft_tokens"}},
			{quantity: AcceptTokens, names: []string{"spec_decode_num_accepted_tokens"}},
			{quantity: AcceptRate, mean: true, names: []string{"spec_decode_draft_acceptance_rate"}},
		}
	case SGLang:
		return []source{
			{quantity: Running, names: []string{"num_running_reqs"}},
			{quantity: Waiting, names: []string{"num_queue_reqs"}},
			{quantity: KVUse, mean: true, names: []string{"token_usage"}},
			{quantity: HitRate, mean: true, names: []string{"cache_hit_rate"}},
			{quantity: Preemptions, names: []string{"num_retracted_requests"}},
			{quantity: PrefixQueries, names: []string{"prompt_tokens"}},
			{quantity: PrefixHits, names: []string{"cached_tokens"}, label: "cache_source", value: "total", except: true},
			{quantity: Drafts, names: []string{"spec_verify_calls"}},
			{quantity: AcceptRate, mean: true, names: []string{"spec_accept_rate"}},
			{quantity: AcceptLength, mean: true, names: []string{"spec_accept_length"}},
			{quantity: BalanceCount, names: []string{"eplb_balancedness_count"}},
			{quantity: BalanceSum, names: []string{"eplb_balancedness_sum"}},
		}
	case TRTLLM:
		return []source{
			{quantity: Running, names: []string{"num_active_requests", "num_requests_running"}},
			{quantity: Waiting, names: []string{"server_queue_length", "num_requests_waiting"}},
			{quantity: KVUse, mean: true, names: []string{"kv_cache_utilization"}},
			{quantity: HitRate, mean: true, names: []string{"kv_cache_hit_rate"}},
			{quantity: PrefixQueries, names: []string{"prompt_tokens"}},
			{quantity: PrefixHits, names: []string{"prompt_cached_tokens"}},
			{quantity: Drafts, names: []string{"spec_decode_drafted_tokens"}, label: "token_position", value: "0"},
			{quantity: DraftTokens, names: []string{"spec_decode_num_draft_tokens", "spec_decode_drafted_tokens"}},
			{quantity: AcceptTokens, names: []string{"spec_decode_num_accepted_tokens", "spec_decode_accepted_tokens"}},
			{quantity: AcceptLength, mean: true, names: []string{"spec_decode_acceptance_length"}},
		}
	case LlamaCpp:
		return []source{
			{quantity: Running, names: []string{"requests_processing"}},
			{quantity: Waiting, names: []string{"requests_deferred"}},
			{quantity: KVUse, mean: true, names: []string{"kv_cache_usage_ratio"}},
			{quantity: DraftTokens, names: []string{"draft_tokens"}},
			{quantity: AcceptTokens, names: []string{"draft_tokens_accepted"}},
		}
	case Unknown:
	}
	return nil
}

// place is one name of one source of the table.
type place struct {
	kind       Kind
	source, at int
}

// named is a place with its source.
type named struct {
	place
	of source
}

// places finds sources by engine and name, as canonical writes them.
var places = sync.OnceValue(func() map[string][]named {
	all := map[string][]named{}
	for _, k := range Kinds() {
		for i, s := range sources(k) {
			for at, name := range s.names {
				key := string(k) + ":" + name
				all[key] = append(all[key], named{place{k, i, at}, s})
			}
		}
	}
	return all
})

// canonical writes a name as the table has it: a colon behind the engine, which some exporters make an underscore, and no
// _total. It uses buf.
func canonical(buf, name []byte) []byte {
	buf = append(buf[:0], name...)
	for _, k := range Kinds() {
		if len(buf) > len(k) && buf[len(k)] == '_' && string(buf[:len(k)]) == string(k) {
			buf[len(k)] = ':'
		}
	}
	if n := len(buf) - len("_total"); n > 0 && string(buf[n:]) == "_total" {
		buf = buf[:n]
	}
	return buf
}

// ReadMetrics reduces a metrics page to what is kept of it. It is false where no known engine speaks there.
func ReadMetrics(page []byte) (*Reading, bool) {
	r := reducer{sums: map[place]*sum{}}
	malformed := exposition.Each(page, r.take)
	var best *Reading
	for _, k := range Kinds() {
		if of := r.reading(k); len(of.Values) > 0 && (best == nil || len(of.Values) > len(best.Values)) {
			best = of
		}
	}
	if best == nil {
		return nil, false
	}
	best.Malformed = malformed
	return best, true
}

// sum gathers the series of one name.
type sum struct {
	total float64
	n     int
}

type reducer struct {
	buf      []byte
	sums     map[place]*sum
	accepted map[Kind][]int64
}

func (r *reducer) take(s *exposition.Series) {
	if !(s.Value >= 0 && s.Value < 1e15) { // also false for no number: nothing that is kept has such a value
		return
	}
	r.buf = canonical(r.buf, s.Name)
	for _, p := range places()[string(r.buf)] {
		if !p.of.wants(s) {
			continue
		}
		if r.sums[p.place] == nil {
			r.sums[p.place] = &sum{}
		}
		r.sums[p.place].total += s.Value
		r.sums[p.place].n++
	}
	if p, ok := positions[string(r.buf)]; ok {
		r.position(p.kind, p.label, s)
	}
}

func (s *source) wants(x *exposition.Series) bool {
	if s.label == "" {
		return true
	}
	v, _ := x.Label(s.label)
	return (v == s.value) != s.except
}

// position adds an accepted token's place.
func (r *reducer) position(k Kind, label string, s *exposition.Series) {
	text, _ := s.Label(label)
	at, err := strconv.Atoi(text)
	if err != nil || at < 0 || at >= maxPositions {
		return
	}
	if r.accepted == nil {
		r.accepted = map[Kind][]int64{}
	}
	for len(r.accepted[k]) <= at {
		r.accepted[k] = append(r.accepted[k], 0)
	}
	r.accepted[k][at] = min(r.accepted[k][at]+whole(s.Value), most)
}

// reading is what the page told in the names of one engine.
func (r *reducer) reading(k Kind) *Reading {
	out := &Reading{Engine: k, Values: map[Quantity]int64{}, Accepted: r.accepted[k]}
	for i, s := range sources(k) {
		for at := range s.names {
			if x := r.sums[place{k, i, at}]; x != nil {
				out.Values[s.quantity] = x.value(&s)
				break
			}
		}
	}
	return out
}

func (x *sum) value(s *source) int64 {
	v := x.total
	if s.mean {
		v /= float64(x.n)
	}
	if strings.HasSuffix(string(s.quantity), "_micro") {
		v = math.Min(v, 1e9) * 1e6
	}
	return whole(v)
}

// most bounds every value that is kept.
const most = 1e18

func whole(v float64) int64 { return int64(math.Round(math.Min(v, most))) }
