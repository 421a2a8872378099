package report

import (
	"fmt"

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

// warnLengths tells of lengths that are not what trajectories wanted.
func (r *Result) warnLengths() {
	l := r.Lengths
	if l == nil {
		return
	}
	c, o := &l.Contexts, &l.Outputs
	if l.State == filler.Uncalibrated && c.Planned > 0 {
		r.warning("lengths_uncalibrated", "lengths of prompts are uncalibrated%s: a word of filler is taken for a token, and what a template adds is not known", because(l.Reason))
	}
	if n := c.Planned - c.NotTold - c.Within; n > 0 {
		r.warning("contexts_off", "%d of %d prompts are off by more than 0.5 %% of the length that their trajectories want, at most by %v %%%s", n, c.Planned, c.Most, c.reach())
	}
	if n := o.Shorter + o.Longer; n > 0 {
		r.warning("outputs_off", "%d of %d answers do not have the length that their trajectories want exactly: %d are shorter, %d longer", n, o.Planned, o.Shorter, o.Longer)
	}
	if !l.Forced && o.Planned > 0 {
		r.warning("outputs_not_forced", "the target was not made to give answers of exact lengths: they only have a limit")
	}
	if l.Replaced > 0 {
		r.warning("answers_replaced", "the target told no token ids of %d answers: filler of their lengths stands for them in the history, so that its cache cannot hold them", l.Replaced)
	}
}

// reach tells of those that nothing could be done about.
func (c *Contexts) reach() string {
	if c.OutOfReach == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of them have no filler left to leave out, since the answers before them came back in more tokens than were planned for both", c.OutOfReach)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// lengthsText shows what was wanted and what came.
func (p *page) lengthsText(l *Lengths) {
	if l == nil {
		return
	}
	p.section("LENGTHS (turns that ended ok, whole run; counted by the target)")
	p.pair("Prompts", madeText(&l.Lengths))
	c, o := &l.Contexts, &l.Outputs
	if c.Planned > 0 {
		text := fmt.Sprintf("%d of %d within 0.5 %%, %d exact, %d not told", c.Within, c.Planned, c.Exact, c.NotTold)
		if c.Most.Valid() {
			text += fmt.Sprintf("; off by %v %% in the mean, by %v %% at most", c.Mean, c.Most)
		}
		p.pair("Contexts", text+c.reach())
	}
	if f := l.Followed; f != nil {
		p.pair("Answers", fmt.Sprintf("%d were counted by the target's tokenizer, %d taken as expected; it was asked %d times, outside the load",
			f.Counted, f.Turns-f.Counted, f.Asked))
	}
	if o.Planned > 0 {
		forced := "not forced"
		if l.Forced {
			forced = "forced by ignore_eos (" + string(l.Engine) + ")"
		}
		p.pair("Outputs", fmt.Sprintf("%d of %d exact, %d shorter, %d longer, %d not told; %s", o.Exact, o.Planned, o.Shorter, o.Longer, o.NotTold, forced))
	}
}

func madeText(l *filler.Lengths) string {
	text := string(l.Mode) + ", " + l.State + because(l.Reason)
	switch {
	case l.Mode == filler.Exact && l.State == filler.Calibrated:
		text += fmt.Sprintf(": prompts of token ids, to which the target adds %d", l.Added)
	case l.Mode == filler.Text && l.State == filler.Calibrated:
		o := &l.Overhead
		text += fmt.Sprintf(": %v tokens a word; the template adds %d to a prompt, %d with a system message, %d for a turn",
			stats.Ratio(l.Word, 1_000_000), o.Prompt, o.System, o.Turn)
	}
	return text
}
