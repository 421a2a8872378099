package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/load"
)

// Place is one of several targets: where it is, and what it has of its own. All else is as target says, for each of them.
type Place struct {
	Name         string            `koanf:"name" json:"name"` // default: host and port
	URL          string            `koanf:"url" json:"url"`
	Weight       *int64            `koanf:"weight" json:"weight"`
	Accelerators int               `koanf:"accelerators" json:"accelerators,omitempty"`
	APIKey       string            `koanf:"api_key" json:"-"`
	APIKeyEnv    string            `koanf:"api_key_env" json:"api_key_env,omitempty"`
	APIKeyFile   string            `koanf:"api_key_file" json:"-"`
	Headers      map[string]string `koanf:"headers" json:"-"` // beside those of target
	Engine       string            `koanf:"engine" json:"engine,omitempty"`
	Metrics      string            `koanf:"metrics" json:"metrics,omitempty"`
}

// Several reports whether the run has several targets.
func (r *Run) Several() bool { return len(r.Targets) > 0 }

// At is the target at a place, whole.
func (r *Run) At(p *Place) Target {
	t := r.Target
	t.URL = p.URL
	if p.APIKey+p.APIKeyEnv+p.APIKeyFile != "" {
		t.APIKey, t.APIKeyEnv, t.APIKeyFile = p.APIKey, p.APIKeyEnv, p.APIKeyFile
	}
	if len(p.Headers) > 0 {
		t.Headers = map[string]string{}
		for _, own := range []map[string]string{r.Target.Headers, p.Headers} {
			for name, value := range own {
				t.Headers[name] = value
			}
		}
	}
	t.Engine, t.Metrics = cmp.Or(p.Engine, t.Engine), cmp.Or(p.Metrics, t.Metrics)
	if p.Accelerators > 0 {
		t.Accelerators = p.Accelerators
	}
	return t
}

// unknownPlaces is unknown for the keys of each of targets.
func unknownPlaces(l Layer) []error {
	value, there := l.Values["targets"]
	if !there {
		return nil
	}
	const want = "want a list, e.g. [{url: http://a:8000/v1}, {url: http://b:8000/v1, weight: 2}]"
	list, ok := value.([]any)
	if !ok {
		return []error{fmt.Errorf("%s: targets: %s", l.where("targets"), want)}
	}
	known := map[string]bool{}
	for f := range reflect.TypeFor[Place]().Fields() {
		known[f.Tag.Get("koanf")] = true
	}
	var errs []error
	for i, entry := range list {
		keys, ok := entry.(map[string]any)
		if !ok {
			errs = append(errs, fmt.Errorf("%s: targets[%d]: %s", l.where("targets"), i, want))
		}
		for _, k := range sortedKeys(keys) {
			if _, broken := keys[k].(float64); broken && (k == "weight" || k == "accelerators") { // the decoder would cut it
				errs = append(errs, fmt.Errorf("%s: targets[%d].%s: %v is no whole number", l.where("targets"), i, k, keys[k]))
			}
			if !known[k] {
				errs = append(errs, fmt.Errorf("%s: targets[%d].%s: unknown key%s", l.where("targets"), i, k, nearest(k, sortedKeys(known))))
			}
		}
	}
	return errs
}

// settle keeps of one target and several ones what the highest layer says that has either of them.
func settle(layers []Layer) []Layer {
	out := slices.Clone(layers)
	decided := ""
	for i := range slices.Backward(out) {
		target, _ := out[i].Values["target"].(map[string]any)
		_, one := target["url"]
		_, several := out[i].Values["targets"]
		switch {
		case !one && !several:
		case decided == "" && one != several:
			decided = "target"
			if several {
				decided = "targets"
			}
		case decided == "": // both in one layer: Check tells
			return out
		case one && decided == "targets":
			out[i].Values = without(out[i].Values, "target", without(target, "url", nil))
		case several && decided == "target":
			out[i].Values = without(out[i].Values, "targets", nil)
		}
	}
	return out
}

// without is a copy of a group with another value for a key, or none.
func without(m map[string]any, key string, value map[string]any) map[string]any {
	c := map[string]any{}
	for k, v := range m {
		if k != key {
			c[k] = v
		}
	}
	if value != nil {
		c[key] = value
	}
	return c
}

// fillTargets writes out what the entries of targets leave to their defaults.
func (r *Run) fillTargets() {
	sum, told := 0, 0
	for i := range r.Targets {
		p := &r.Targets[i]
		if p.Weight == nil {
			one := int64(1)
			p.Weight = &one
		}
		if p.Accelerators > 0 {
			told++
		}
		sum += p.Accelerators
	}
	nameTargets(r.Targets)
	if r.Target.Accelerators == 0 && told > 0 && told == len(r.Targets) {
		r.Target.Accelerators = sum
	}
}

// nameTargets names those without a name after their host and port, and after their path too where several share those.
func nameTargets(list []Place) {
	hosts := map[string]int{}
	named := func(p *Place) (host, path string) {
		u, err := url.Parse(p.URL)
		if err != nil {
			return "", "" // Check tells
		}
		return u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	}
	for i := range list {
		host, _ := named(&list[i])
		hosts[host]++
	}
	for i := range list {
		if host, path := named(&list[i]); list[i].Name == "" {
			list[i].Name = host
			if hosts[host] > 1 {
				list[i].Name = host + path
			}
		}
	}
}

// targets checks several targets.
func (c *checker) targets(r Run) {
	if !r.Several() {
		if r.Target.URL == "" {
			c.fail("target.url", "is missing; give --target, e.g. --target http://127.0.0.1:8000/v1")
		}
		return
	}
	if r.Target.URL != "" {
		c.fail("targets", "stands beside target.url; give one of them")
	}
	if n := len(r.Targets); n < 2 || n > load.MaxTargets {
		c.fail("targets", "has %d entries; want 2 to %d, and target.url for a single target", n, load.MaxTargets)
	}
	if m := r.Target.Metrics; m != "" && m != NoMetrics {
		c.fail("target.metrics", "of which target is it? give targets[].metrics, or none")
	}
	names, urls := map[string]int{}, map[string]int{}
	for i := range r.Targets {
		c.place(r, i, names, urls)
	}
	c.accelerators(r)
}

// place checks one of several targets. No text quotes a URL: it may hold a password.
func (c *checker) place(r Run, i int, names, urls map[string]int) {
	p := &r.Targets[i]
	fail := func(key, format string, args ...any) {
		text := fmt.Sprintf("targets[%d].%s: %s", i, key, fmt.Sprintf(format, args...))
		if o, ok := c.origins["targets"]; ok {
			text = o + ": " + text
		}
		c.errs = append(c.errs, errors.New(text))
	}
	t, err := endpoint.ParseTarget(p.URL, r.Target.Path, chat.API(r.Target.API))
	if err != nil {
		fail("url", "%v", err)
	} else if at, twice := urls[t.URL()]; twice {
		fail("url", "is that of targets[%d]; a larger weight gives one target more conversations", at)
	} else {
		urls[t.URL()] = i
	}
	if at, twice := names[p.Name]; twice && err == nil {
		fail("name", "%q is that of targets[%d] too; name them", p.Name, at)
	}
	names[p.Name] = i
	if !fitForTarget(p.Name) && err == nil {
		fail("name", "%q wants letters, digits and . _ - / : [ ] alone, at most 128", p.Name)
	}
	if w := *p.Weight; w < 1 || w > load.MaxTargetWeight {
		fail("weight", "%d is not in 1..%d", w, load.MaxTargetWeight)
	}
	if p.Accelerators < 0 {
		fail("accelerators", "%d is negative", p.Accelerators)
	}
	if _, err := engine.ParseKind(p.Engine); err != nil {
		fail("engine", "%v", err)
	}
	if !fitForMetrics(p.Metrics) {
		fail("metrics", "want the URL of a metrics page, e.g. http://127.0.0.1:8000/metrics, or none")
	}
	for _, name := range sortedKeys(p.Headers) {
		if strings.ContainsAny(name, "\r\n: ") || strings.ContainsAny(p.Headers[name], "\r\n") {
			fail("headers", "%q is no header that can be sent", name)
		}
	}
}

// accelerators are told of all targets together, or of each one.
func (c *checker) accelerators(r Run) {
	sum, told := 0, 0
	for i := range r.Targets {
		if n := r.Targets[i].Accelerators; n > 0 {
			sum, told = sum+n, told+1
		}
	}
	switch {
	case told == 0:
	case told < len(r.Targets):
		c.fail("targets", "%d of %d entries tell their accelerators: give them for each, or target.accelerators of all together", told, len(r.Targets))
	case r.Target.Accelerators != sum:
		c.fail("target.accelerators", "%d are told of all targets together, and %d of each for itself", r.Target.Accelerators, sum)
	}
}

// fitForTarget accepts names that are safe in files and on terminals; hosts with their ports are among them.
func fitForTarget(name string) bool {
	return fitForName(strings.NewReplacer(":", "", "[", "", "]", "", "%", "").Replace(name)) && len(name) <= 128
}
