package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

// State is what came of a proof.
type State string

// States.
const (
	Empty       State = "empty"        // nothing was found of what the point before had sent
	CarriedOver State = "carried_over" // something was
	NotProvable State = "not_provable" // the target shows no effect of a prefix cache, or did not answer
	FirstPoint  State = "first_point"  // no point of this sweep came before
)

// Methods of a proof.
const (
	ByTokens = "cached_tokens" // as the target told
	ByTime   = "ttft"          // times to the first token compared
	BySalts  = "salts"         // the coming point's salts differ, so nothing behind them can be found; asked about too
)

// Verdict says whether a point could feed on the cache that the one before it left.
type Verdict struct {
	State  State  `json:"state"`
	Method string `json:"method,omitempty"`
	Probes int    `json:"probes"` // trajectories asked about
	Prompt int64  `json:"prompt_tokens"`
	Cached int64  `json:"cached_tokens"` // found of what the point before had sent, beyond what any request finds
	Common int64  `json:"common_tokens"` // found of a request never sent: what stands before the salt
	Again  int64  `json:"repeated_cached_tokens"`
	// Times to the first token, summed over the probes: of a request never sent, as sent by the point before, and once more.
	FreshNS  int64  `json:"fresh_ttft_ns"`
	BeforeNS int64  `json:"before_ttft_ns"`
	AgainNS  int64  `json:"repeated_ttft_ns"`
	Reason   string `json:"reason,omitempty"`
}

// Carried is the verdict as packing asks for it: nil where nothing is proven.
func (v *Verdict) Carried() *bool {
	carried := v.State == CarriedOver
	if v.State == NotProvable {
		return nil
	}
	return &carried
}

// Issuer sends one request and fills x, whatever happens.
type Issuer interface {
	Issue(ctx context.Context, req *chat.Request, x *sample.Exchange)
}

// probeTimeout bounds one request of a proof.
const probeTimeout = 2 * time.Minute

// slack is how many tokens two prompts may have in common by their salts' form and by blocks that end behind it.
const slack = 32

// Prove asks the target about the point before; next are the coming point's salts. What the requests leave in the cache must be
// emptied again. The error is the context's.
func Prove(ctx context.Context, to Issuer, b *Before, next Salts) (*Verdict, error) {
	v := &Verdict{Method: ByTokens}
	if len(b.Prompts) == 0 {
		v.State, v.Method, v.Reason = NotProvable, "", "the point before started no conversation whose first request is known"
		return v, nil
	}
	same, err := b.Same(next)
	if err != nil {
		return nil, err
	}
	if !same {
		v.Method = BySalts
	}
	told := true
	for i := range b.Prompts {
		r, err := ask(ctx, to, b, &b.Prompts[i], same)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			v.State, v.Reason = NotProvable, err.Error()
			return v, nil //nolint:nilerr // it is told in the verdict
		}
		v.add(r)
		told = told && r.told
	}
	v.conclude(told, same)
	return v, nil
}

// readings are those of one prompt.
type readings struct {
	common, before, again reading
	told                  bool // each of them tells cached tokens
}

// reading is what one request found.
type reading struct {
	prompt, cached int64
	told           bool
	ttft           time.Duration
}

func ask(ctx context.Context, to Issuer, b *Before, p *Prompt, same bool) (r readings, err error) {
	own, err := b.Salts.salter()
	if err != nil {
		return r, err
	}
	one, err := fresh()
	if err != nil {
		return r, err
	}
	other, err := fresh()
	if err != nil {
		return r, err
	}
	steps := []struct {
		salts *saltings
		into  *reading
	}{{one, &reading{}}, {other, &r.common}, {own, &r.before}, {own, &r.again}}
	r.told = true
	for i, s := range steps {
		if i > 1 && !same {
			break
		}
		request, err := p.request(s.salts)
		if err != nil {
			return r, err
		}
		if *s.into, err = issue(ctx, to, request); err != nil {
			return r, err
		}
		r.told = r.told && s.into.told
	}
	return r, nil
}

// fresh makes salts that no run has sent.
func fresh() (*saltings, error) { return Salts{Scheme: "seeded"}.salter() }

func issue(ctx context.Context, to Issuer, req *chat.Request) (r reading, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	x := sample.Exchange{Timing: sample.NoTiming()}
	to.Issue(ctx, req, &x)
	// With one token asked for, an answer may be empty: a tool call's beginning is no text yet.
	if x.Outcome != sample.OK && (x.Answer == nil || !x.Answer.Usage.Reported) {
		return r, fmt.Errorf("the target answered a probe with %s: %s", x.Outcome, x.Cause)
	}
	first := x.Timing.FirstToken
	if !first.Set() {
		first = x.Timing.Done
	}
	r.ttft, _ = first.Since(x.Timing.Sent)
	if x.Answer == nil {
		return r, errors.New("the target answered a probe with nothing")
	}
	r.prompt = int64(x.Answer.Usage.PromptTokens)
	if c := x.Answer.Usage.CachedTokens; c != nil {
		r.cached, r.told = int64(*c), true
	}
	return r, nil
}

func (v *Verdict) add(r readings) {
	v.Probes++
	v.Prompt += r.common.prompt
	v.Common += r.common.cached
	v.Cached += max(0, r.before.cached-r.common.cached)
	v.Again += max(0, r.again.cached-r.common.cached)
	v.FreshNS += int64(r.common.ttft)
	v.BeforeNS += int64(r.before.ttft)
	v.AgainNS += int64(r.again.ttft)
}

// conclude decides by what was found, else by times.
func (v *Verdict) conclude(told, same bool) {
	room := int64(slack * v.Probes)
	switch {
	case !same:
		v.State = Empty
		v.Reason = "the coming point has other salts, so it sends nothing again behind them"
	case told && v.Cached > room:
		v.State = CarriedOver
		v.Reason = fmt.Sprintf("%d of %d prompt tokens of the point before were found", v.Cached, v.Prompt)
	case told && v.Again > room:
		v.State = Empty
	default:
		v.byTime(told)
	}
}

// byTime compares times to the first token: a cache shows where a request sent again begins to be answered clearly sooner than one
// never sent. Then the request of the point before must be nearer to the one never sent.
func (v *Verdict) byTime(told bool) {
	v.Method = ByTime
	switch {
	case v.AgainNS*10 > v.FreshNS*7:
		v.State, v.Reason = NotProvable, "a request sent twice was answered no sooner, and the target tells no cached tokens of it"
		if told {
			v.Reason = "a request sent twice was found in no cache and answered no sooner"
		}
	case v.BeforeNS*2 > v.FreshNS+v.AgainNS:
		v.State = Empty
	default:
		v.State = CarriedOver
		v.Reason = "requests of the point before were answered as soon as requests sent twice"
	}
}
