package report

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"paceline/core/metrics"
	"paceline/core/stats"
)

func (p *page) failures(r *Result) {
	f := &r.Metrics.Failures
	p.section("FAILURES (all planned turns of started conversations)")
	p.pair("Planned turns", fmt.Sprintf("%d = %d tried + %d not sent", f.Planned, f.Planned-f.NotSent, f.NotSent))
	p.pair("Tried turns", fmt.Sprintf("%d ok, %d failed, %d cancelled, %d unfinished", f.OK, f.Failed, f.Cancelled, f.Unfinished))
	p.pair("Failure rate", told(f.FailRate, "%")+" of the planned turns (allowed "+or(r.Failures.MaxFailed, "0%")+")")
	if len(f.Outcomes) > 0 {
		p.pair("By outcome", classes(f.Outcomes))
	}
	if len(f.NotSentBy) > 0 {
		p.pair("Not sent", classes(f.NotSentBy))
	}
	p.pair("Conversations", fmt.Sprintf("%d started: %s", f.Started, classes(f.Conversations)))
}

func (p *page) answers(m *metrics.Metrics) {
	a := &m.Answers
	p.section("ANSWERS (ok, window " + m.Window.Name + ")")
	p.pair("Finish reasons", classes(a.Finish))
	p.pair("Ended by length", told(a.LengthShare, "%"))
	p.pair("Not visible", told(a.InvisibleShare, "%")+fmt.Sprintf(" have neither content nor a tool call; %d are empty", a.Empty))
	p.pair("By the client", fmt.Sprintf("%d connection retries, %d tool ids rewritten, %d delays cut", a.ConnectionRetries, a.Rewrites, a.DelaysCut))
}

// groupKind is one way to split the turns.
type groupKind struct {
	name string
	list []metrics.Group
}

func kindsOf(g *metrics.Groups) []groupKind {
	return []groupKind{{"domain", g.Domain}, {"tenant", g.Tenant}, {"label", g.Label}, {"turn", g.Position}, {"input tokens", g.Input}}
}

func (p *page) groups(g *metrics.Groups) {
	shown := false
	for _, kind := range kindsOf(g) {
		if len(kind.list) == 0 {
			continue
		}
		if !shown {
			p.section("GROUPS (times in ms; TTFT50 is its p50; out is mean output tokens)")
			shown = true
		}
		s := left("by "+kind.name, 24)
		for _, h := range []string{"ok", "failed", "TTFT50", "lat50", "lat90", "TPOT50", "out"} {
			s += right(h, 8)
		}
		p.line(s)
		for _, x := range mostTurns(kind.list, turnsOfGroup) {
			s := left("  "+plain(x.Name), 24) + right(strconv.Itoa(x.OK), 8) + right(strconv.Itoa(x.Failed), 8)
			for _, n := range []stats.Num{x.TTFT.P50, x.Latency.P50, x.Latency.P90, x.TPOT.P50, x.Output.Mean} {
				s += right(short(n), 8)
			}
			p.line(s)
		}
		p.more(len(kind.list))
		p.groupsMore(kind.list)
	}
	if shown {
		p.line("reuse is cached / ideal. Goodput is of turns, and needs objectives.")
	}
}

// groupsMore shows rates, reuse and goodput of the same groups.
func (p *page) groupsMore(list []metrics.Group) {
	s := left("", 24)
	for _, h := range []string{"tok/s", "inter50", "in50", "cached", "ideal", "reuse", "goodput"} {
		s += right(h, 8)
	}
	p.line(s)
	shown := mostTurns(list, turnsOfGroup)
	for _, x := range shown {
		s := left("  "+plain(x.Name), 24) + right(short(x.Rate.Value), 8) + right(short(x.Inter.P50), 8) + right(short(x.Input.P50), 8)
		for _, f := range []*metrics.Figure{&x.Cached, &x.Ideal, &x.Eligible, x.Share()} {
			s += right(percentOf(f), 8)
		}
		p.line(s)
	}
	p.groupsWhole(shown)
}

// groupsWhole shows the trajectories of the same groups, where they split conversations.
func (p *page) groupsWhole(list []*metrics.Group) {
	for i, x := range list {
		t := x.Whole
		if t == nil {
			continue
		}
		if i == 0 {
			s := left("  trajectories", 24)
			for _, h := range []string{"done", "lat50", "lat90", "lat99", "TTFAT50", "done/h", "goodput"} {
				s += right(h, 8)
			}
			p.line(s)
		}
		s := left("  "+plain(x.Name), 24) + right(strconv.Itoa(t.Completed), 8)
		for _, n := range []stats.Num{t.Latency.P50, t.Latency.P90, t.Latency.P99, t.TTFAT.P50, t.JobsHour.Value} {
			s += right(short(n), 8)
		}
		p.line(s + right(percentOf(t.Share()), 8))
	}
}

func (p *page) windows(m *metrics.Metrics) {
	p.section("WHAT EACH WINDOW GIVES (tok/s of output; TTFT90 is its p90, in ms)")
	s := left("", 13)
	for _, h := range []string{"from s", "to s", "turns", "tok/s", "users", "TTFT90", "lat90", "TPOT90"} {
		s += right(h, 8)
	}
	p.line(s)
	for i := range m.Windows {
		w := &m.Windows[i]
		name := "  " + w.Name
		if w.Chosen {
			name = "> " + w.Name
		}
		s := left(name, 13) + right(seconds(w.OpenMS), 8) + right(seconds(w.CloseMS), 8) + right(strconv.Itoa(w.Turns), 8)
		for _, n := range []stats.Num{w.System.Value, w.UsersActive.Value, w.TTFT.P90, w.Latency.P90, w.TPOT.P90} {
			s += right(short(n), 8)
		}
		p.line(s)
	}
	p.line("> is the window of the figures above. A token counts where it arrived.")
}

func (p *page) rules(m *metrics.Metrics) {
	l := &m.MLPerf
	p.section("BY OTHER RULES")
	p.pair("MLPerf", fmt.Sprintf("of %d turns sent in first-idle, whenever they ended (%d ok, %d not)", l.Issued, l.OK, l.Failed))
	p.pair("", "system_tps "+told(l.SystemTPS, "")+"; tps_per_user "+told(l.PerUser, ""))
	p.pair("", "e2e_avg_interactivity "+told(l.E2EAverage, ""))
	p.pair("", "TTFT p90 "+told(l.TTFTP90, "ms")+"; TPOT p90 "+told(l.TPOTP90, "ms")+"; mean output "+told(l.MeanOutput, "tokens"))
	p.pair("trie", told(m.Trie.SteadySlope, "output tokens/s after the first 20 % of the time"))
	p.pair("", "eligible hit rate "+told(m.Trie.Eligible, "%"))
	p.pair("", "TTFAT p50 "+short(m.Trie.TTFAT.P50)+" ms, to a first token of any kind")
}

func (p *page) honesty(h *metrics.Honesty) {
	p.section("CLIENT HONESTY: " + h.State)
	for _, r := range h.Reasons {
		p.note(r)
	}
	p.pair("Schedule error", fmt.Sprintf("p50 %s, p99 %s, max %s ms, of %d sends",
		short(h.ScheduleError.P50), short(h.ScheduleError.P99), short(h.ScheduleError.Max), h.ScheduleError.Count))
	p.pair("", "sent after it was due; p99 may be "+short(h.BoundMS)+" ms")
	if b := h.StartBurst; b.Count > 0 {
		p.pair("Start burst", fmt.Sprintf("%d turns due at one instant, the last one sent after %s ms (apart)", b.Count, short(b.Max)))
	}
	connecting := "no new connection was needed"
	if h.Connecting.Count > 0 {
		connecting = fmt.Sprintf("mean %s, max %s ms, of %d; not in the schedule error", short(h.Connecting.Mean), short(h.Connecting.Max), h.Connecting.Count)
	}
	p.pair("Connecting", connecting)
	s := &h.Self
	p.pair("Records lost", strconv.FormatInt(h.Lost, 10))
	p.pair("Per turn", told(s.ClientMSPerTurn, "ms in the client")+"; "+told(s.CPUMSPerTurn, "ms of CPU"))
	p.pair("CPU", told(s.CPUShare, "cores")+"; plugin workers "+told(s.WorkerCPUShare, "cores"))
	p.pair("Longest pause", told(s.GCPauseMaxMS, "ms")+" by garbage collection")
	p.pair("", told(s.SchedLatMaxMS, "ms")+" of waiting for a processor")
	p.pair("Memory", fmt.Sprintf("heap up to %d MiB, journal queue up to %d KiB", s.HeapMaxBytes>>20, s.JournalQueueMax>>10))
}

func (p *page) scores(list []Score) {
	if len(list) == 0 {
		return
	}
	p.section("SCORES")
	for i := range list {
		s := &list[i]
		value := "none"
		if s.Value.Valid() {
			value = s.Value.String() + " " + s.Unit
		}
		switch {
		case !s.Threshold.Valid():
			value += " (no threshold was set)"
		case s.HigherIsBetter:
			value += fmt.Sprintf(", at least %v is asked for: %s", s.Threshold, passed(s.Passed))
		default:
			value += fmt.Sprintf(", at most %v is asked for: %s", s.Threshold, passed(s.Passed))
		}
		state := "complete"
		if !s.Complete {
			state = "NOT complete"
		}
		p.text(s.Name + " " + s.Version)
		p.pair("  score", value)
		p.pair("  of", fmt.Sprintf("%d scored, %d missing, %d excluded: %s", s.Scored, s.Missing, s.Excluded, state))
		p.judge(&s.Judge)
		p.values(s.Parts)
	}
}

func (p *page) verdicts(list []Verdict) {
	if len(list) == 0 {
		return
	}
	p.section("VERDICTS")
	for i := range list {
		v := &list[i]
		p.text(v.Name + " " + v.Version)
		verdict := passed(v.Passed)
		if v.Reason != "" {
			verdict += ": " + v.Reason
		}
		p.pair("  verdict", verdict)
		p.judge(&v.Judge)
		p.values(v.Values)
		if f := v.Findings; f.Error+f.Warning+f.Info > 0 || f.Dropped > 0 {
			p.pair("  findings", fmt.Sprintf("%s, %s, %s, %d more not kept",
				count(f.Error, "error"), count(f.Warning, "warning"), count(f.Info, "note"), f.Dropped))
		}
		for n, f := range v.First {
			if n == 5 {
				p.note("and more: see report.json and the judgements")
				break
			}
			where := ""
			if f.Trajectory != "" {
				where = fmt.Sprintf("%s, repeat %d, turn %d", f.Trajectory, f.Repeat, f.Turn)
				if f.Workload != "" {
					where = f.Workload + " " + where
				}
				where = " (" + where + ")"
			}
			p.note(string(f.Severity) + " " + f.Code + ": " + f.Message + where)
		}
	}
}

func passed(ok bool) string {
	if ok {
		return "passed"
	}
	return "not passed"
}

func (p *page) judge(j *Judge) {
	p.pair("  digest", j.Digest.String())
	if !empty(j.Config) {
		p.pair("  configuration", string(j.Config))
	}
}

func (p *page) values(list []Value) {
	column := labelColumn
	for _, v := range list {
		column = max(column, min(utf8.RuneCountInString(plain(v.Name))+3, width/2))
	}
	for _, v := range list {
		p.pairAt(column, "  "+plain(v.Name), v.Value.String()+" "+v.Unit)
	}
}
