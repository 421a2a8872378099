package metrics

import (
	"cmp"
	"slices"
	"strconv"

	"paceline/core/stats"
)

// Groups splits the turns of the window.
type Groups struct {
	Domain   []Group `json:"domain"`
	Label    []Group `json:"label"` // key=value
	Position []Group `json:"turn_position"`
	Input    []Group `json:"input_length"`
	Tenant   []Group `json:"tenant,omitempty"` // where any is told
}

// Group is one part of the turns. Its shares count failures as Failures does,
// but inside the window.
type Group struct {
	Name    string `json:"name"`
	OK      int    `json:"ok_turns"`
	Failed  int    `json:"failed_turns"`
	TTFT    Dist   `json:"ttft_ms"`
	Latency Dist   `json:"latency_ms"`
	TPOT    Dist   `json:"tpot_ms"`
	Inter   Dist   `json:"interactivity_tokens_per_second"`
	Output  Dist   `json:"output_tokens"`
	Input   Dist   `json:"input_tokens"`
	// Rate is of the output tokens that arrived inside.
	Rate     Figure `json:"output_tokens_per_second"`
	Cached   Figure `json:"measured_hit_rate"`
	Ideal    Figure `json:"expected_ideal_hit_rate"`
	Eligible Figure `json:"eligible_hit_rate"`
	Goodput  *Good  `json:"goodput,omitempty"` // of turns, where there are objectives
	// Whole has the trajectories of a domain, a label or a tenant; positions and input lengths are of turns alone.
	Whole *GroupTrajectories `json:"trajectories,omitempty"`
}

// Share is that of its goodput; nil without objectives.
func (g *Group) Share() *Figure {
	if g.Goodput == nil {
		return nil
	}
	return &g.Goodput.Share
}

// part gathers one group.
type part struct {
	name           string
	order          int64
	ok, failed     int
	lists          *turnLists
	tokens         int64 // of output that arrived inside
	cached, prompt int64 // of turns with both told
	reuse          reuse
	good           Good
	whole          *wholes // nil: it splits conversations
}

// splits holds the groups of one kind by name.
type splits map[string]*part

func (s splits) at(name string, order int64) *part {
	p := s[name]
	if p == nil {
		p = &part{name: name, order: order, lists: newTurnLists()}
		s[name] = p
	}
	return p
}

func (p *part) take(d *data, t *turn, w Window) {
	if t.lost() && w.Contains(t.ended()) {
		p.failed++
	}
	p.good.take(d, t, w)
	if !t.ok() {
		return
	}
	p.lists.take(t, w)
	p.tokens += t.tokensIn(w)
	if !w.Contains(t.Timing.Done) {
		return
	}
	p.ok++
	p.reuse.take(d, t)
	if t.cached.ok && t.in.ok {
		p.cached += t.cached.n
		p.prompt += t.in.n
	}
}

func (d *data) groups(w Window) Groups {
	domain, label, position, input, tenant := splits{}, splits{}, splits{}, splits{}, splits{}
	for _, t := range d.turns {
		if !t.ok() && !t.lost() {
			continue
		}
		domain.at(cmp.Or(t.conv.Domain, noDomain), 0).take(d, t, w)
		for _, l := range t.conv.Labels {
			label.at(l.Key+"="+l.Value, 0).take(d, t, w)
		}
		name, order := positionBand(t.planned())
		position.at(name, order).take(d, t, w)
		name, order = d.inputBand(t)
		input.at(name, order).take(d, t, w)
		tenant.at(cmp.Or(t.conv.tenant, noTenant), 0).take(d, t, w)
	}
	for _, c := range d.convs {
		domain.whole(d, cmp.Or(c.Domain, noDomain), c, w)
		tenant.whole(d, cmp.Or(c.tenant, noTenant), c, w)
		for _, l := range c.Labels {
			label.whole(d, l.Key+"="+l.Value, c, w)
		}
	}
	if len(tenant) == 1 && tenant[noTenant] != nil {
		tenant = nil
	}
	noStream, noTokens := d.noStream(w), d.noTokens(w)
	list := func(s splits) []Group {
		parts := make([]*part, 0, len(s))
		for _, p := range s {
			if p.ok+p.failed > 0 {
				parts = append(parts, p)
			}
		}
		slices.SortFunc(parts, func(a, b *part) int {
			return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
		})
		groups := make([]Group, 0, len(parts))
		for _, p := range parts {
			groups = append(groups, d.group(p, w, noStream, noTokens))
		}
		return groups
	}
	return Groups{list(domain), list(label), list(position), list(input), list(tenant)}
}

func (d *data) group(p *part, w Window, noStream, noTokens string) Group {
	noUsage := why(noTokens == NoUsage, NoUsage, NoSamples)
	g := Group{
		Name: p.name, OK: p.ok, Failed: p.failed,
		TTFT: p.lists.ttft.plain(noStream), Latency: p.lists.latency.plain(NoSamples), TPOT: p.lists.tpot.plain(noTokens),
		Inter: p.lists.inter.plain(noTokens), Output: p.lists.out.plain(noUsage), Input: p.lists.in.plain(noUsage),
		Rate:   Figure{Reason: noUsage},
		Cached: figure(stats.Ratio(p.cached, p.prompt), why(noUsage == NoUsage, NoUsage, NoCachedTokens)),
	}
	if p.tokens > 0 || len(p.lists.out.values) > 0 {
		g.Rate = figure(stats.Ratio3(p.tokens, 1_000_000_000, w.Span()), NoTime)
	}
	g.Ideal, g.Eligible = p.reuse.figures(why(len(p.lists.in.values) > 0, noEarlier, noUsage))
	if p.good.Of > 0 {
		p.good.finish(w)
		g.Goodput = &p.good
	}
	if p.whole != nil {
		g.Whole = p.whole.figures(w, noStream)
	}
	return g
}

// noDomain stands for the turns of trajectories without a domain.
const noDomain = "none"

// positionBand names the band of a turn's position: 1, 2, 3, then doubling.
func positionBand(n int) (string, int64) {
	if n < 4 {
		return strconv.Itoa(n), int64(n)
	}
	low := 4
	for n >= 2*low {
		low *= 2
	}
	return strconv.Itoa(low) + "-" + strconv.Itoa(2*low-1), int64(low)
}

// inputBand names the band of a turn's prompt tokens.
func (d *data) inputBand(t *turn) (string, int64) {
	if !t.in.ok {
		return "unknown", 1<<63 - 1
	}
	bands := d.InputBands
	i, exact := slices.BinarySearch(bands, t.in.n)
	if exact {
		i++
	}
	switch {
	case len(bands) == 0:
		return "all", 0
	case i == 0:
		return "<" + strconv.FormatInt(bands[0], 10), -1
	case i == len(bands):
		return ">=" + strconv.FormatInt(bands[i-1], 10), bands[i-1]
	}
	return strconv.FormatInt(bands[i-1], 10) + "-" + strconv.FormatInt(bands[i]-1, 10), bands[i-1]
}
