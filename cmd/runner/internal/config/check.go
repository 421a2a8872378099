package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"paceline/core/chat"
	"paceline/core/engine"
	"paceline/core/stats"
)

// Check lists every fault of the run that shows without opening anything, each with its key, its origin and the fix.
func (r Resolved) Check() error {
	c := checker{origins: r.Origins}
	c.targets(r.Run)
	c.target(r.Run.Target)
	c.workload(r.Run)
	c.load(r.Run.Load)
	c.deployment(r.Run)
	c.rest(r.Run)
	return errors.Join(c.errs...)
}

type checker struct {
	origins map[string]string
	errs    []error
}

func (c *checker) fail(key, format string, args ...any) {
	text := key + ": " + fmt.Sprintf(format, args...)
	if o, ok := c.origins[key]; ok {
		text = o + ": " + text
	}
	c.errs = append(c.errs, errors.New(text))
}

func (c *checker) oneOf(key, value string, of ...string) {
	if !slices.Contains(of, value) {
		c.fail(key, "%q is unknown; want one of %s", value, strings.Join(of, ", "))
	}
}

func (c *checker) target(t Target) {
	c.api(t)
	c.oneOf("target.max_tokens_key", t.MaxTokensKey, "max_tokens", "max_completion_tokens")
	c.oneOf("target.ignore_eos", t.IgnoreEOS, "", "auto", "always", "never")
	c.oneOf("target.tokenize", t.Tokenize, "", "auto", "always", "never")
	if t.MaxAnswer < 1 {
		c.fail("target.max_answer", "%d bytes is below 1", t.MaxAnswer)
	}
	if t.StrictWire && t.RequireContent {
		c.fail("target.require_content", "adds to messages what target.strict_wire forbids; give one of them")
	}
	if _, err := engine.ParseKind(t.Engine); err != nil {
		c.fail("target.engine", "%v", err)
	}
	if t.Accelerators < 0 {
		c.fail("target.accelerators", "%d is negative", t.Accelerators)
	}
	c.metrics(t)
	c.speculation(t.Speculation)
	for _, name := range sortedKeys(t.Headers) {
		if strings.ContainsAny(name, "\r\n: ") || strings.ContainsAny(t.Headers[name], "\r\n") {
			c.fail("target.headers", "%q is no header that can be sent", name)
		}
	}
}

// lengths checks how planned lengths become prompts. Exact ones are prompts of token ids, which one API takes.
func (c *checker) lengths(r Run) {
	c.oneOf("lengths", r.Lengths, "", "text", "exact")
	if r.Lengths == "exact" && r.Target.API != "" && r.Target.API != string(chat.APICompletions) {
		c.fail("lengths", "exact needs prompts of token ids, which target.api %s does not take; leave target.api out, or lengths: text", r.Target.API)
	}
}

// api checks what the target is asked by, and what only chat completions have.
func (c *checker) api(t Target) {
	if t.API != "" {
		c.oneOf("target.api", t.API, chat.APIs()...)
	}
	if chat.API(t.API).Named() == chat.APIChat {
		return
	}
	if t.RequireContent {
		c.fail("target.require_content", "is for chat completions alone, and target.api is %s", t.API)
	}
	if t.StrictWire {
		c.fail("target.strict_wire", "is the body of a chat completion, and target.api is %s", t.API)
	}
}

func (c *checker) workload(r Run) {
	if r.Mixed() {
		c.mix(r)
		return
	}
	if r.Workload.Name == "" {
		c.fail("workload.name", "is missing; give --workload, e.g. --workload std/mlperf/agentic")
	}
	for _, name := range sortedKeys(r.Workload.Inputs) {
		if path := r.Workload.Inputs[name]; path == "" {
			c.fail("workload.inputs."+name, "has no file; give --input %s=FILE", name)
		} else if _, err := os.Stat(path); err != nil {
			c.fail("workload.inputs."+name, "%v", err)
		}
	}
}

func (c *checker) load(l Load) {
	if l.Users < 1 {
		c.fail("load.users", "%d is below 1", l.Users)
	}
	c.oneOf("load.order", l.Order, "file", "shuffle")
	if l.Trajectories > 0 && l.Repeats > 0 {
		c.fail("load.repeats", "%d and load.trajectories %d both say how much to play; give one of them", l.Repeats, l.Trajectories)
	}
	if l.Warmup.Trajectories < 0 {
		c.fail("load.warmup.trajectories", "%d is negative", l.Warmup.Trajectories)
	}
	if l.Warmup.Trajectories > 0 && l.Warmup.Duration > 0 {
		c.fail("load.warmup", "give trajectories or duration, not both")
	}
	c.arrivals(l)
	c.reach(l)
}

// layer checks a group of request parameters.
func (c *checker) layer(key string, params map[string]any) {
	raw, err := JSON(params)
	if err == nil {
		err = chat.CheckLayer(chat.Layer{Name: key, Params: raw})
	}
	if err != nil {
		c.errs = append(c.errs, err)
	}
}

func (c *checker) rest(r Run) {
	c.oneOf("history", r.History, "recorded", "live")
	c.oneOf("thinking", r.Thinking, "keep", "strip")
	c.oneOf("tool_results", r.ToolResults, "apart", "merged")
	c.lengths(r)
	c.counters(r)
	c.oneOf("salt", r.Salt, "none", "mlperf", "seeded")
	c.oneOf("window.kind", r.Window.Kind, "first-idle", "steady", "trim", "all")
	if r.MaxTokens < 1 {
		c.fail("max_tokens", "%d is below 1", r.MaxTokens)
	}
	c.layer("params", r.Params)
	c.layer("override", r.Override)
	if r.Seed != "" {
		if _, err := strconv.ParseUint(r.Seed, 10, 64); err != nil {
			c.fail("seed", "%q is no unsigned 64-bit number", r.Seed)
		}
	}
	if r.Seeds.Sets != "" && r.Seeds.Cohort == "" {
		c.fail("seeds.sets", "needs a cohort to choose by; give --cohort, e.g. --cohort 2026-12-C0")
	}
	for key, text := range map[string]string{"max_failed": r.MaxFailed, "window.trim": r.Window.Trim, "honesty.share_of_ttft": r.Honesty.ShareOfTTFT} {
		if _, err := stats.ParseShare(text); err != nil {
			c.fail(key, "%q %v", text, err)
		}
	}
	if _, err := Bytes(r.Limits.Memory); err != nil {
		c.fail("limits.memory", "%v", err)
	}
	if r.Judging.Workers < 1 || r.Judging.Workers > 64 {
		c.fail("judging.workers", "%d is not in 1..64", r.Judging.Workers)
	}
	c.judgeInputs(r)
	if r.Judging.EvaluationLimit <= 0 {
		c.fail("judging.evaluation_limit", "%v is not above 0", r.Judging.EvaluationLimit)
	}
	slices.SortFunc(c.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
}
