package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"paceline/core/chat"
	"paceline/core/engine"
	"paceline/core/metrics"
)

// WriteText writes report.txt: plain text in 80 columns. Equal results give
// equal bytes.
func WriteText(w io.Writer, r *Result) error {
	var p page
	p.title(r)
	p.warnings(r)
	p.what(&r.What, r.Metrics)
	p.results(r.Metrics)
	p.turns(r.Metrics)
	p.trajectories(r.Metrics)
	p.branching(r.Metrics.Branching)
	p.mixText(r.Metrics)
	p.targetsText(r.Metrics)
	p.tenantsText(r.Metrics)
	p.failures(r)
	p.answers(r.Metrics)
	p.reachText(r.Reach)
	p.lengthsText(r.Lengths)
	p.groups(&r.Metrics.Groups)
	p.windows(r.Metrics)
	p.rules(r.Metrics)
	p.targets(r)
	p.honesty(&r.Metrics.Honesty)
	p.counters(r.Counters)
	p.scores(r.Scores)
	p.verdicts(r.Verdicts)
	p.preset(r.Preset)
	p.line("")
	p.line("What each figure means: docs/metrics.md. More of them: report.json.")
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write report.txt: %w", err)
	}
	return nil
}

func (p *page) title(r *Result) {
	state := strings.ToUpper(strings.ReplaceAll(string(r.Status), "_", " "))
	p.line(left("Paceline run "+plain(r.Run), width-len(state)) + state)
	p.line(strings.Repeat("=", width))
	if r.Reason != "" {
		p.pair("Status", strings.ReplaceAll(string(r.Status), "_", " ")+": "+r.Reason)
	}
	f := &r.Metrics.Failures
	p.pair("Turns", fmt.Sprintf("%d of %d planned turns ok, in %d conversations", f.OK, f.Planned, f.Started))
	p.pair("Client", r.Metrics.Honesty.State+clientMeans(r.Metrics.Honesty.State))
	if r.Preset != nil {
		p.pair("Preset", heldText(r.Preset))
	}
	if len(r.Unofficial) > 0 {
		p.pair("Unofficial", strings.Join(r.Unofficial, "; "))
	}
}

// clientMeans says what the state of the client means for the figures.
func clientMeans(state string) string {
	switch state {
	case metrics.Honest:
		return ": it sent in time, see CLIENT HONESTY"
	case metrics.Disturbed:
		return ": it sent late too often, so latencies may be partly its own"
	case metrics.Invalid:
		return ": the figures may not be used"
	}
	return ""
}

func (p *page) warnings(r *Result) {
	if len(r.Warnings) == 0 {
		return
	}
	p.section("WARNINGS")
	for _, w := range r.Warnings {
		p.note(w.Message)
	}
}

func (p *page) what(w *What, m *metrics.Metrics) {
	p.section("WHAT RAN")
	if len(w.Targets) == 0 {
		p.pair("Endpoint", w.Endpoint)
	}
	p.whatTargets(w.Targets)
	p.pair("Model", w.Model)
	if w.Engine != nil && len(w.Targets) == 0 {
		p.pair("Engine", engineText(w.Engine))
	}
	p.workloadText(w)
	for _, i := range w.Inputs {
		name := i.Name
		if i.Workload != "" {
			name = i.Workload + " " + name
		}
		p.pair("Input", fmt.Sprintf("%s: %s, %d bytes, sha256 %v", name, i.Path, i.Size, i.SHA256))
	}
	for _, g := range w.Plugins {
		p.pair("Plugin", fmt.Sprintf("%s %s (%s), sha256 %v", g.Name, g.Version, g.Source, g.SHA256))
	}
	p.pair("Lock", w.Lock.State)
	salt := w.Salt.Scheme
	if w.Salt.Value != "" {
		salt += " " + w.Salt.Value
	}
	p.pair("Salt, seed", salt+"; seed "+w.Seed)
	history := w.History + "; thinking: " + w.Thinking
	if w.ToolResults == string(chat.Merged) {
		history += "; parallel tool calls and their results merged"
	}
	p.pair("History", history)
	p.pair("Load", loadText(w))
	limit := "no limit of output tokens"
	if w.MaxTokens > 0 {
		limit = fmt.Sprintf("at most %d output tokens where the turn says none", w.MaxTokens)
	}
	p.pair("Parameters", limit)
	p.pair("  params", compact(w.Params))
	p.pair("  override", compact(w.Override))
	p.pair("Window", windowText(&m.Window))
	p.pair("Connection", connectionText(w))
	commit := w.Runner.Commit
	if commit == "" {
		commit = "of an unrecorded commit"
	}
	p.pair("Runner", fmt.Sprintf("%s %s, %s %s/%s", w.Runner.Version, commit, w.Runner.Go, w.Runner.OS, w.Runner.Arch))
	p.pair("Machine", fmt.Sprintf("%d CPUs %s", w.Environment.CPUs, w.Environment.CPU))
}

// engineText names the engine with its version and program.
func engineText(e *Engine) string {
	if e.Kind == "" {
		return "the target tells none"
	}
	text := engine.Kind(e.Kind).Title()
	if e.Version != "" {
		text += " " + e.Version
	}
	return text + " (" + e.Program + "), by " + strings.Join(e.By, "; ")
}

func againText(a *Again) string {
	switch {
	case a == nil:
		return "not done: nothing shows that the workload is deterministic"
	case a.Error != "":
		return a.Error
	}
	text := fmt.Sprintf("%d of %d plans", a.Planned, a.Of)
	if a.StepsOf > 0 {
		text += fmt.Sprintf(", %d of %d live steps", a.Stepped, a.StepsOf)
	}
	return text + ", all the same"
}

func connectionText(w *What) string {
	s := "one document per answer"
	if w.Stream {
		s = "streams"
	}
	switch {
	case !w.TLS:
		s += "; no TLS"
	case w.TLSVerify:
		s += "; TLS, certificates checked"
	default:
		s += "; TLS, certificates NOT checked"
	}
	if w.Proxy == "" || w.Proxy == "none" {
		return s + "; no proxy"
	}
	return s + "; proxy " + w.Proxy
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func windowText(s *metrics.Span) string {
	return fmt.Sprintf("%s: from %s s to %s s after the run's epoch", s.Name, seconds(s.OpenMS), seconds(s.CloseMS))
}

func compact(raw json.RawMessage) string {
	if empty(raw) {
		return "none"
	}
	return string(raw)
}

func (p *page) results(m *metrics.Metrics) {
	p.section("SYSTEM AND USERS (window " + m.Window.Name + ")")
	t := &m.Throughput
	p.pair("System", told(t.System, "output tokens/s")+fmt.Sprintf(" (%d tokens inside, %d outside)", t.TokensInside, t.TokensOutside))
	p.pair("", told(t.Input, "input tokens/s")+"; "+told(t.Turns, "turns/s"))
	if m.Rules.Accelerators != nil {
		p.pair("", told(t.PerAccelerator, "output tokens/s per accelerator"))
	}
	p.pair("Token counts", fmt.Sprintf("from the target's usage for %d turns, from a counter for %d, missing for %d", m.Tokens.Usage, m.Tokens.Counter, m.Tokens.None))
	p.pair("Per user", told(m.PerUser.Plain, "tokens/s: the system's / users"))
	p.pair("", told(mean(&m.Trajectories.DecodeRate), "tokens/s: while decoding, mean of trajectories"))
	p.pair("", told(m.PerUser.Normalized, "tokens/s: 1 / p90 of (latency / output tokens)"))
	c := &m.Concurrency
	p.pair("Concurrency", told(c.UsersActive, "users active")+fmt.Sprintf(" of %d; ", c.Users)+told(c.InFlight, "turns in flight")+" (means)")
	p.pair("Jobs", told(m.Trajectories.JobsHour, "trajectories/h")+"; "+told(m.Trajectories.JobsUser, "per user"))
	h := &m.Cache
	p.pair("Prefix cache", told(h.Measured, "%")+" of the input tokens were cached, as the target told")
	p.pair("", told(h.Ideal, "%")+" repeat the conversation's earlier turns (ideal)")
	p.pair("", told(h.Eligible, "%")+" is cached / ideal; above 100 % conversations share")
	if m.Cost != nil {
		p.pair("Cost", costText(m.Cost))
	}
	if len(m.Goodput.Objectives) > 0 {
		g := &m.Goodput
		p.pair("Goodput", "turns "+told(g.Turns.Share, "%")+", trajectories "+told(g.Trajectories.Share, "%"))
	}
}

func (p *page) turns(m *metrics.Metrics) {
	p.section("TURNS (ok, window " + m.Window.Name + ")")
	p.head("")
	f := &m.Turns
	p.dist("TTFT ms", &f.TTFT)
	p.dist("TTFT of the answer ms", &f.TTFTAnswer)
	p.dist("latency ms", &f.Latency)
	p.dist("TPOT ms/token", &f.TPOT)
	p.dist("ITL ms/token", &f.ITL)
	p.dist("chunk gap ms", &f.ChunkGap)
	p.dist("output tokens", &f.Output)
	p.dist("input tokens", &f.Input)
	p.dist("cached tokens", &f.Cached)
	if m.Rules.Load == "open" {
		p.dist("response time ms", &f.Response)
		p.dist("service time ms", &f.Service)
	} else {
		p.line("Closed loop: latency is service time, from Sent; response time is not measured.")
	}
	p.line("* too few values for this quantile at 99 % confidence")
	if a := &f.LatencyAdjusted; a.Failed > 0 {
		p.note(fmt.Sprintf("%d failed turns counted as infinite: latency p50 %s, p90 %s, p99 %s; TTFT p50 %s, p90 %s, p99 %s",
			a.Failed, short(a.P50), short(a.P90), short(a.P99), short(f.TTFTAdjusted.P50), short(f.TTFTAdjusted.P90), short(f.TTFTAdjusted.P99)))
	}
}

func (p *page) trajectories(m *metrics.Metrics) {
	p.section("TRAJECTORIES (complete, last answer in the window)")
	p.head("")
	t := &m.Trajectories
	p.dist("latency ms", &t.Latency)
	p.dist("  without delays ms", &t.Engine)
	p.dist("TTFAT ms", &t.TTFAT)
	p.dist("TTFT, first request ms", &t.FirstTTFT)
	p.dist("decode tokens/s", &t.DecodeRate)
	p.dist("turns", &t.Turns)
}

func mean(d *metrics.Dist) metrics.Figure { return metrics.Figure{Value: d.Mean, Reason: d.Reason} }

func classes(list []metrics.Class) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, c.Name+" "+strconv.Itoa(c.Count))
	}
	return or(strings.Join(parts, ", "), "none")
}
