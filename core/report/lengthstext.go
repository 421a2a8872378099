package report

import (
	"fmt"

	"paceline/core/filler"
	"paceline/core/stats"
)

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
			text += fmt.Sprintf("; off by %s %% in the mean, by %s %% at most", short(c.Mean), short(c.Most))
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
