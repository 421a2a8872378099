package until

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Objective is one bound on a figure of a point.
type Objective struct {
	Text  string  // as it was written
	Path  string  // of the figure, in schemas/metrics/v1
	Least bool    // the figure is to be at least Limit; else at most
	Limit float64 // in the figure's unit
}

// names are short names of figures: the list that they lead to, or the figure itself where no quantile is asked for.
var names = map[string]struct {
	path string
	dist bool
	ms   bool
}{
	"ttft": {"turns.ttft_ms", true, true}, "ttft_answer": {"turns.ttft_answer_ms", true, true}, "latency": {"turns.latency_ms", true, true},
	"tpot": {"turns.tpot_ms", true, true}, "itl": {"turns.itl_ms", true, true}, "response_time": {"turns.response_time_ms", true, true},
	"service_time": {"turns.service_time_ms", true, true}, "interactivity": {"turns.interactivity_tokens_per_second", true, false},
	"trajectory_latency": {"trajectories.latency_ms", true, true}, "ttfat": {"trajectories.ttfat_ms", true, true},
	"goodput":            {"goodput.turns.share.value", false, false},
	"trajectory_goodput": {"goodput.trajectories.share.value", false, false},
	"failure_rate":       {"failures.failure_rate.value", false, false},
	"user_throughput":    {"per_user.output_tokens_per_second.value", false, false},
	"throughput":         {"throughput.output_tokens_per_second.value", false, false},
	"hit_rate":           {"cache.measured_hit_rate.value", false, false},
}

// quantiles are what may stand behind the name of a list of values.
var quantiles = map[string]bool{"mean": true, "min": true, "p50": true, "p90": true, "p95": true, "p99": true, "p99_9": true, "max": true}

var boundForm = regexp.MustCompile(`^([a-z0-9_.]+)\s*(<=|>=|<|>)\s*([0-9.]+)\s*(us|ms|s|m|%)?$`)

// Parse reads objectives joined by && or commas, e.g. "ttft.p90<500ms && failure_rate<=1%". known says whether
// schemas/metrics/v1 has a figure of a path.
func Parse(text string, known func(path string) bool) ([]Objective, error) {
	var list []Objective
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "&&", ","), ",") {
		o, err := parse(strings.TrimSpace(part), known)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func parse(text string, known func(string) bool) (Objective, error) {
	o := Objective{Text: text}
	m := boundForm.FindStringSubmatch(text)
	if m == nil {
		return o, fmt.Errorf("%q: want FIGURE<VALUE, e.g. ttft.p90<500ms, goodput>=95%% or turns.tpot_ms.p99<=40", text)
	}
	v, err := strconv.ParseFloat(m[3], 64)
	if err != nil || v == 0 {
		return o, fmt.Errorf("%q: %s is no bound above 0", text, m[3])
	}
	o.Path, o.Least = m[1], m[2][0] == '>'
	ms := strings.Contains(o.Path, "_ms")
	if name, quantile, _ := strings.Cut(m[1], "."); names[name].path != "" {
		n := names[name]
		if n.dist != (quantile != "") || n.dist && !quantiles[quantile] {
			return o, fmt.Errorf("%q: want %s", text, wanted(name, n.dist))
		}
		if o.Path, ms = n.path, n.ms; n.dist {
			o.Path += "." + quantile
		}
	}
	if !known(o.Path) {
		return o, fmt.Errorf("%q: there is no figure %s; docs/sweep.md lists the names, schemas/metrics/v1 every path", text, m[1])
	}
	o.Limit, err = inUnit(v, m[4], ms)
	if err != nil {
		return o, fmt.Errorf("%q: %w", text, err)
	}
	return o, nil
}

func wanted(name string, dist bool) string {
	if dist {
		return name + ".QUANTILE, with one of mean, min, p50, p90, p95, p99, p99_9, max"
	}
	return name + " alone"
}

// inUnit gives a bound in milliseconds where the figure is a time, else as a number.
func inUnit(v float64, unit string, ms bool) (float64, error) {
	if unit == "%" || unit == "" {
		if ms {
			return 0, fmt.Errorf("a time needs a unit: us, ms, s or m")
		}
		if unit == "%" {
			v /= 100
		}
		return v, nil
	}
	if !ms {
		return 0, fmt.Errorf("the figure is no time, so %q is no unit of it", unit)
	}
	per := map[string]time.Duration{"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute}[unit]
	return v * float64(per) / float64(time.Millisecond), nil
}

// Load is the worst of the objectives at a point: measured over allowed. A figure that is not there keeps nothing.
func Load(list []Objective, figure func(path string) (float64, bool)) float64 {
	worst := 0.0
	for _, o := range list {
		v, ok := figure(o.Path)
		load := v / o.Limit
		if o.Least {
			load = o.Limit / v
		}
		if !ok || math.IsNaN(load) || load < 0 {
			load = math.Inf(1)
		}
		worst = max(worst, load)
	}
	return worst
}
