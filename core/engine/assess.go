package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// State says whether a target has a capability.
type State string

// The states.
const (
	Yes     State = "yes"
	No      State = "missing"
	Unclear State = "unknown"
)

// Finding is what is known of one capability of a target.
type Finding struct {
	Capability Capability `json:"capability"`
	State      State      `json:"state"`
	Detail     string     `json:"detail"`         // how that is known
	Mend       string     `json:"mend,omitempty"` // what to do where it is missing, or may be
}

// Assess holds what a target said against what its engine is known for. tried is what came of asking for a token; nil: it was
// not asked.
func Assess(d Detection, f Facts, tried *Tried) []Finding {
	a := assessment{d: d, facts: f, tried: tried}
	list := make([]Finding, 0, len(Capabilities()))
	for _, c := range Capabilities() {
		list = append(list, a.finding(c))
	}
	return list
}

type assessment struct {
	d     Detection
	facts Facts
	tried *Tried
}

// finding judges one capability. A remedy is told wherever the capability is not there for certain.
func (a *assessment) finding(c Capability) Finding {
	s := a.of(c)
	f := Finding{Capability: c}
	switch c {
	case Usage:
		f.State, f.Detail = a.usage(s)
	case CachedTokens:
		f.State, f.Detail = a.cached(s)
	case ExactLength:
		f.State, f.Detail = known(s)
	case CacheFlush:
		f.State, f.Detail = a.flush(s)
	case Metrics:
		f.State, f.Detail = a.metrics(s)
	}
	if s != nil && f.State != Yes {
		f.Mend = s.mend()
	}
	return f
}

// of is what is known of the program for a capability; nil where the engine is not known.
func (a *assessment) of(c Capability) *Switch {
	list := switches[a.d.Program]
	if i := slices.IndexFunc(list, func(s Switch) bool { return s.Capability == c }); i >= 0 {
		return &list[i]
	}
	return nil
}

// known is what the engine is known for, where nothing was asked.
func known(s *Switch) (State, string) {
	switch {
	case s == nil:
		return Unclear, "the engine is not known"
	case s.Cannot != "":
		return No, s.Cannot
	case s.Server != "":
		return Unclear, "the server tells only when it is asked for a token"
	}
	return Yes, s.Client + " (known of the engine, not tried)"
}

func (a *assessment) usage(s *Switch) (State, string) {
	if a.tried == nil {
		return known(s)
	}
	reply, why := a.tried.answered()
	switch {
	case reply == nil && s != nil && s.Cannot != "":
		return No, s.Cannot
	case reply == nil:
		return Unclear, "a request for one token failed: " + why
	case countsOf(reply.Body).told:
		return Yes, "a stream told its token counts"
	}
	return No, "a stream that was asked for token counts told none"
}

func (a *assessment) cached(s *Switch) (State, string) {
	if on, told := flag(a.info(), "enable_cache_report"); a.d.Kind == SGLang && told {
		if on {
			return Yes, "the server says enable_cache_report: true"
		}
		return No, "the server says enable_cache_report: false"
	}
	if a.tried == nil {
		return known(s)
	}
	reply, why := a.tried.answered()
	if reply == nil {
		reply = &Fact{}
	}
	c := countsOf(reply.Body)
	switch {
	case c.cached:
		return Yes, fmt.Sprintf("told with the token counts: %d of a prompt that was sent twice", c.tokens)
	case s != nil && s.Cannot != "":
		return No, s.Cannot
	case why != "":
		return Unclear, "a request for one token failed: " + why
	case !c.told:
		return No, "token counts are missing, and cached tokens with them"
	}
	return No, "the same prompt was sent twice, and the token counts told no cached tokens"
}

// info is what SGLang tells of its settings. Nothing of it is kept but single values: it holds keys.
func (a *assessment) info() object {
	if o := a.facts.page(InfoPage).object(); o != nil {
		return o
	}
	return a.facts.page(OldInfoPage).object()
}

func (a *assessment) flush(s *Switch) (State, string) {
	if a.d.Kind != VLLM {
		return known(s)
	}
	p := a.facts.page(ResetPage)
	switch {
	case p == nil || p.Status == 0:
		return Unclear, "whether it has " + s.Client + " could not be asked"
	case p.Status == http.StatusNotFound:
		return No, "there is no " + s.Client
	case p.Status != http.StatusMethodNotAllowed && p.Status != http.StatusOK:
		return Unclear, fmt.Sprintf("%s: status %d", ResetPage, p.Status)
	}
	return Yes, s.Client
}

func (a *assessment) metrics(s *Switch) (State, string) {
	page := MetricsPage
	if s != nil {
		if s.Cannot != "" {
			return No, s.Cannot
		}
		page = s.Page
	}
	if on, told := flag(a.facts.page(PropsPage).object(), "endpoint_metrics"); told && !on {
		return No, PropsPage + " says endpoint_metrics: false"
	}
	p := a.facts.page(page)
	switch {
	case p == nil:
		return Unclear, page + " was not asked for"
	case p.Status == 0:
		return Unclear, page + " did not answer: " + p.Error
	case p.Status == http.StatusOK && strings.HasPrefix(strings.TrimSpace(string(p.Body[:min(len(p.Body), 64)])), "<"):
		return No, page + " answers with HTML"
	case p.Status == http.StatusOK:
		return Yes, page + " answers"
	case p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden:
		return Unclear, fmt.Sprintf("%s: status %d", page, p.Status)
	}
	return No, fmt.Sprintf("%s: status %d", page, p.Status)
}
