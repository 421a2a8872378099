package metrics

import (
	"cmp"
	"slices"

	"paceline/core/sample"
	"paceline/core/stats"
)

// Failures counts over all planned turns of started conversations, of the
// whole run, warm-up included.
type Failures struct {
	Planned    int     `json:"planned_turns"`
	Sent       int     `json:"sent_turns"`
	OK         int     `json:"ok_turns"`
	Failed     int     `json:"failed_turns"`
	Cancelled  int     `json:"cancelled_turns"`
	Unfinished int     `json:"unfinished_turns"`
	NotSent    int     `json:"not_sent_turns"`
	OKShare    Figure  `json:"ok_share"`
	FailRate   Figure  `json:"failure_rate"` // failed over planned
	Outcomes   []Class `json:"outcomes"`     // of the turns that are not ok
	NotSentBy  []Class `json:"not_sent_causes"`
	// Conversations by state.
	Started       int     `json:"started_conversations"`
	Conversations []Class `json:"conversations"`
}

// Class is one kind of ending and how often it came.
type Class struct {
	Name  string    `json:"name"`
	Count int       `json:"count"`
	Share stats.Num `json:"share"`
}

// tally counts names.
type tally map[string]int

// classes lists the counts, the most frequent first and then by name.
func (t tally) classes(total int) []Class {
	list := make([]Class, 0, len(t))
	for name, n := range t {
		list = append(list, Class{Name: name, Count: n, Share: stats.Ratio(int64(n), int64(total))})
	}
	slices.SortFunc(list, func(a, b Class) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (d *data) failures(Window) Failures {
	f := Failures{Planned: len(d.turns), Started: len(d.convs)}
	outcomes, causes, states := tally{}, tally{}, tally{}
	for _, t := range d.turns {
		if t.Timing.Sent.Set() {
			f.Sent++
		}
		switch {
		case t.ok():
			f.OK++
			continue
		case t.Outcome == sample.Cancelled:
			f.Cancelled++
		case t.Outcome == sample.Unfinished:
			f.Unfinished++
		case t.Outcome == sample.NotSent:
			f.NotSent++
			causes[t.Cause]++
		default:
			f.Failed++
		}
		outcomes[string(t.Outcome)]++
	}
	for _, c := range d.convs {
		states[string(c.State)]++
	}
	planned := int64(f.Planned)
	f.OKShare = figure(stats.Ratio(int64(f.OK), planned), NoSamples)
	f.FailRate = figure(stats.Ratio(int64(f.Failed), planned), NoSamples)
	f.Outcomes = outcomes.classes(f.Planned)
	f.NotSentBy = causes.classes(f.NotSent)
	f.Conversations = states.classes(f.Started)
	return f
}

// Adjusted holds quantiles over the ok turns and the failed ones, a failed
// turn counting as infinitely slow. A quantile that falls among those is null.
type Adjusted struct {
	Count  int       `json:"count"`
	Failed int       `json:"failed"` // with turns that an earlier failure kept from being sent
	P50    stats.Num `json:"p50"`
	P90    stats.Num `json:"p90"`
	P95    stats.Num `json:"p95"`
	P99    stats.Num `json:"p99"`
	P999   stats.Num `json:"p99_9"`
	Reason string    `json:"reason,omitempty"` // why a quantile is null
}

func adjusted(l *list, failed int) Adjusted {
	s := stats.NewSeries(slices.Clone(l.values), l.scale)
	a := Adjusted{
		Count: s.Len() + failed, Failed: failed,
		P50: s.QuantileWith(stats.P50, failed), P90: s.QuantileWith(stats.P90, failed), P95: s.QuantileWith(stats.P95, failed),
		P99: s.QuantileWith(stats.P99, failed), P999: s.QuantileWith(stats.P999, failed),
	}
	if !a.P999.Valid() {
		a.Reason = why(a.Count == 0, NoSamples, TurnsFailed)
	}
	return a
}

// lostIn counts the turns of w that failed or were kept from being sent by a
// failure.
func (d *data) lostIn(w Window) int {
	n := 0
	for _, t := range d.turns {
		if t.lost() && w.Contains(t.ended()) {
			n++
		}
	}
	return n
}

// Answers tells what kind of answers came, over the ok turns that ended inside.
type Answers struct {
	Turns          int     `json:"turns"`
	Finish         []Class `json:"finish_reasons"`
	LengthShare    Figure  `json:"ended_by_length_share"`
	InvisibleShare Figure  `json:"without_visible_answer_share"` // neither content nor a tool call
	Empty          int     `json:"empty_answers"`                // no generated text at all
	NotStreamed    int     `json:"not_streamed"`
	MissingDone    int     `json:"missing_done"`
	// The following are counted over the whole run.
	Malformed         int   `json:"malformed_events"`
	ConnectionRetries int   `json:"connection_retries"`
	Rewrites          int   `json:"tool_id_rewrites"`
	DelaysCut         int   `json:"delays_cut"`
	DelayCutMS        Milli `json:"delay_cut_ms"`
}

func (d *data) answers(w Window) Answers {
	var a Answers
	finish := tally{}
	invisible, cut := 0, int64(0)
	for _, t := range d.turns {
		a.Malformed += t.Malformed
		a.ConnectionRetries += t.ConnectionRetries
		a.Rewrites += t.Rewrites
		if t.DelayCut > 0 {
			a.DelaysCut++
			cut += int64(t.DelayCut)
		}
		if !t.ok() || !w.Contains(t.Timing.Done) {
			continue
		}
		a.Turns++
		reason := "none"
		if t.Answer != nil && t.Answer.FinishReason != "" {
			reason = t.Answer.FinishReason
		}
		finish[reason]++
		if !t.visible {
			invisible++
		}
		for _, n := range t.Notes {
			switch n {
			case sample.NoteEmptyAnswer:
				a.Empty++
			case sample.NoteNotStreamed:
				a.NotStreamed++
			case sample.NoteMissingDone:
				a.MissingDone++
			}
		}
	}
	n := int64(a.Turns)
	a.DelayCutMS = milli(cut)
	a.Finish = finish.classes(a.Turns)
	a.LengthShare = figure(stats.Ratio(int64(finish["length"]), n), NoSamples)
	a.InvisibleShare = figure(stats.Ratio(int64(invisible), n), NoSamples)
	return a
}
