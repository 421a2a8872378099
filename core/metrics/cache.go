package metrics

import (
	"slices"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/stats"
)

// Reasons of Cache.
const (
	recordedHistory = "recorded history: answers are not sent back"
	noEarlier       = "no turn has an earlier one with known tokens"
)

// Cache tells what a prefix cache could give and what the server says it gave,
// over the ok turns that ended inside the window. Expected and measured
// figures are never mixed.
type Cache struct {
	// Measured is cached over prompt tokens, where the server told both.
	Measured Figure `json:"measured_hit_rate"`
	// Ideal is the share of prompt tokens that an earlier request of the same
	// conversation already had: what an endless cache gives at least.
	Ideal Figure `json:"expected_ideal_hit_rate"`
	// Eligible is cached tokens over those of Ideal's numerator.
	Eligible Figure `json:"eligible_hit_rate"`
	// FirstTurn is the number of first turns with cached tokens: text that came
	// from outside the conversation.
	FirstTurn      int    `json:"first_turns_with_cached_tokens"`
	CachedTokens   int64  `json:"cached_tokens"`
	EligibleTokens int64  `json:"eligible_tokens"`
	PromptTokens   int64  `json:"prompt_tokens"`
	Turns          int    `json:"turns_with_cached_tokens_told"`
	EligibleTurns  int    `json:"turns_with_eligible_known"`
	History        string `json:"history"`
}

func (d *data) cache(w Window) Cache {
	c := Cache{History: d.history()}
	var measuredCached, measuredPrompt int64
	var r reuse
	turns := 0
	for _, t := range d.turns {
		if t.position == 1 && t.ok() && t.cached.n > 0 {
			c.FirstTurn++ // Of the whole run, since it is a warning.
		}
		if !t.ok() || !w.Contains(t.Timing.Done) || !t.in.ok {
			continue
		}
		turns++
		if t.cached.ok {
			c.Turns++
			measuredCached += t.cached.n
			measuredPrompt += t.in.n
		}
		r.take(d, t)
	}
	c.EligibleTurns, c.EligibleTokens = r.turns, r.eligible
	c.CachedTokens, c.PromptTokens = measuredCached, measuredPrompt
	none := d.noCounts(w)
	if turns > 0 {
		none = NoCachedTokens
	}
	c.Measured = figure(stats.Ratio(measuredCached, measuredPrompt), none)
	c.Ideal, c.Eligible = r.figures(none)
	if turns > 0 && !c.Ideal.Value.Valid() {
		c.Ideal.Reason = noEarlier
	}
	return c
}

// reuse adds up what earlier turns of the same conversations had sent already.
type reuse struct {
	turns            int   // of which that is known
	eligible, prompt int64 // tokens of those turns
	told             int   // those of which cached tokens were told
	cached           int64
}

// take counts an ok turn that ended inside.
func (r *reuse) take(d *data, t *turn) {
	if !t.in.ok {
		return
	}
	e, ok := d.eligible(t)
	if !ok {
		return
	}
	r.turns++
	r.eligible += e
	r.prompt += t.in.n
	if t.cached.ok {
		r.told++
		r.cached += t.cached.n
	}
}

// figures are the ideal and the eligible hit rate; none says why nothing is known of tokens.
func (r *reuse) figures(none string) (ideal, eligible Figure) {
	ideal, eligible = figure(stats.Ratio(r.eligible, r.prompt), none), Figure{Reason: none}
	if r.told > 0 {
		eligible = figure(stats.Ratio(r.cached, r.eligible), noEarlier)
	}
	return ideal, eligible
}

// before is the turn before t on the same branch, of a branch's first turn the one that it forks from; nil: its history
// began empty.
func (t *turn) before() *turn {
	for i := t.position - 2; i >= 0; i-- {
		if p := t.conv.turns[i]; p.Branch == t.Branch {
			return p
		}
	}
	if t.ForkOf == nil {
		return nil
	}
	i := slices.IndexFunc(t.conv.turns, func(p *turn) bool { return p.Turn == *t.ForkOf })
	if i < 0 {
		return nil
	}
	return t.conv.turns[i]
}

// eligible is the longest prefix of t's prompt that an earlier request of its
// conversation had, in tokens: the whole prompt before it, plus that turn's
// completion where the very same text is sent back, in whole cache blocks. It
// is unknown where the turn before has no token counts.
func (d *data) eligible(t *turn) (int64, bool) {
	p := t.before()
	if p == nil {
		return 0, true
	}
	if !p.ok() || !p.in.ok {
		return 0, false
	}
	if t.LeftOut > p.LeftOut {
		return t.opening(d.CacheBlock)
	}
	n := p.in.n
	if d.live(t.Workload) && p.out.ok && !(d.StripThinking && p.thought()) {
		n += p.out.n
	}
	n = min(n, t.in.n)
	return n - n%d.CacheBlock, true
}

// opening is what a turn before whose request older ones were left out still
// shares with them: what the first turn of its conversation said. That is not
// known where the conversation began behind it.
func (t *turn) opening(block int64) (int64, bool) {
	first := t.conv.turns[0]
	if t.conv.Part.Inside() || !first.ok() || !first.in.ok {
		return 0, false
	}
	n := min(first.in.n, t.in.n)
	return n - n%block, true
}

// thought reports whether the answer has thinking.
func (t *turn) thought() bool {
	if t.Answer != nil && t.Answer.Usage.ReasoningTokens != nil && *t.Answer.Usage.ReasoningTokens > 0 {
		return true
	}
	for k := range t.Chunks.All() {
		if k.Channel == chat.Reasoning {
			return true
		}
	}
	return false
}

func (d *data) trieEligible(w Window) Figure {
	if d.history() == "recorded" {
		return Figure{Reason: recordedHistory}
	}
	var cached, eligible int64
	for _, t := range d.turns {
		if !t.ok() || !w.Contains(t.Timing.Done) || !t.cached.ok || !d.live(t.Workload) {
			continue
		}
		cached += t.cached.n
		if p := t.before(); p != nil && p.Outcome == sample.OK && p.in.ok && p.out.ok && t.LeftOut == p.LeftOut {
			eligible += p.in.n + p.out.n
		}
	}
	return figure(stats.Ratio(cached, eligible), NoCachedTokens)
}
