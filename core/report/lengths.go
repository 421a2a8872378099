package report

import (
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/stats"
)

// Lengths compares the lengths that trajectories wanted with those that came, over all turns of the run that ended ok. The
// figures that came are the target's own (usage).
type Lengths struct {
	filler.Lengths
	Contexts Contexts  `json:"contexts"`
	Outputs  Outputs   `json:"outputs"`
	Followed *Followed `json:"answers_counted,omitempty"`
	// Replaced counts answers that joined histories of token ids as filler, since the target told no ids.
	Replaced int `json:"answers_replaced"`
}

// Contexts tells how far prompts were off.
type Contexts struct {
	Planned int `json:"planned"` // turns whose trajectory says how many tokens the request is to have
	NotTold int `json:"not_told"`
	Exact   int `json:"exact"`
	Within  int `json:"within"` // those that are off by at most half a percent, exact ones among them
	// OutOfReach counts those that are off by more, and have as little filler as can be: what came before, answers that come
	// back in more tokens than they had, came to more than was planned.
	OutOfReach int `json:"out_of_reach,omitempty"`

	Mean stats.Num `json:"mean_error_percent"`
	Most stats.Num `json:"most_error_percent"`
}

// Outputs tells how long answers were that were wanted of an exact length.
type Outputs struct {
	Planned int `json:"planned"`
	NotTold int `json:"not_told"`
	Exact   int `json:"exact"`
	Shorter int `json:"shorter"`
	Longer  int `json:"longer"`
}

// Followed tells by what the turns were made that were sent and follow what the target told of those before.
type Followed struct {
	Turns   int `json:"turns"`   // that follow
	Counted int `json:"counted"` // those whose newest answer the target's tokenizer counted
	Asked   int `json:"asked"`   // requests to the tokenizer, which are no part of the load
}

// withinPPM is how far a context may be off.
const withinPPM = 5000

// lengths is nil where nothing was made of lengths.
func lengths(in Input) *Lengths {
	l := &Lengths{}
	asked := in.Config.Lengths != nil
	if asked {
		l.Lengths = *in.Config.Lengths
	}
	var sum, most int64
	for i := range in.Run.Samples {
		s := &in.Run.Samples[i]
		l.follow(s.Basis)
		if s.Planned == (sample.Planned{}) || s.Outcome != sample.OK {
			continue
		}
		asked = true
		if off, told := l.Contexts.add(s); told {
			sum, most = sum+off, max(most, off)
		}
		l.Outputs.add(s)
		for _, n := range s.Notes {
			if n == sched.NoteAnswerReplaced {
				l.Replaced++
			}
		}
	}
	if n := int64(l.Contexts.Planned - l.Contexts.NotTold); n > 0 {
		l.Contexts.Mean, l.Contexts.Most = stats.Ratio(sum, n*10_000), stats.Ratio(most, 10_000)
	}
	if !asked {
		return nil
	}
	return l
}

// follow takes in by what one turn was made.
func (l *Lengths) follow(b *sample.Basis) {
	if b == nil {
		return
	}
	if l.Followed == nil {
		l.Followed = &Followed{}
	}
	l.Followed.Turns++
	if b.Counted {
		l.Followed.Counted++
	}
	if b.Asked {
		l.Followed.Asked++
	}
}

// add compares one prompt; off is in millionths of what was wanted.
func (c *Contexts) add(s *sample.Sample) (off int64, told bool) {
	want := s.Planned.Prompt
	if want == 0 {
		return 0, false
	}
	c.Planned++
	if s.Answer == nil || !s.Answer.Usage.Reported {
		c.NotTold++
		return 0, false
	}
	off = int64(s.Answer.Usage.PromptTokens) - want
	off = max(off, -off)
	if off == 0 {
		c.Exact++
	}
	off *= 1_000_000
	switch {
	case off <= want*withinPPM:
		c.Within++
	case s.Followed().Least:
		c.OutOfReach++
	}
	return off / want, true
}

func (o *Outputs) add(s *sample.Sample) {
	want := uint64(s.Planned.Output)
	if want == 0 {
		return
	}
	o.Planned++
	switch {
	case s.Answer == nil || !s.Answer.Usage.Reported:
		o.NotTold++
	case s.Answer.Usage.CompletionTokens < want:
		o.Shorter++
	case s.Answer.Usage.CompletionTokens > want:
		o.Longer++
	default:
		o.Exact++
	}
}
