package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault makes some requests go wrong. It hits a request if its Requests, When
// or Rate says so.
type Fault struct {
	// Name is one of [FaultNames].
	Name string
	// Rate is the share of requests, 0 to 1, drawn from the seed and the prompt:
	// the same prompt always fares the same.
	Rate float64
	// Requests are numbers in order of arrival, from 1.
	Requests []int
	// When decides by content. It is called from several goroutines.
	When func(*Request) bool
	// After is the number of tokens before a fault in the middle of an answer;
	// 0 means half of them.
	After int
	// Delay is how long "slow" waits before the first byte, at time scale 1;
	// 0 means 2 s.
	Delay time.Duration
}

// faultNames maps each name to what it does.
var faultNames = map[string]string{
	"status-429":      "answers 429 with Retry-After: 1",
	"status-500":      "answers 500",
	"status-503":      "answers 503",
	"reset":           "resets the connection before any byte",
	"reset-midstream": "resets the connection in the middle of the answer",
	"truncated":       "ends the body cleanly in the middle of the answer",
	"no-done":         "leaves out the end mark of the stream",
	"hang":            "sends nothing more from the middle of the answer on",
	"hang-early":      "never sends a byte",
	"error-event":     "sends an error in the middle of a 200 answer and ends it",
	"html":            "answers 200 with an HTML page",
	"empty-body":      "answers 200 with nothing",
	"silent-overflow": "answers a stream whose prompt does not fit with 200 and nothing",
	"malformed-event": "puts an event that is no JSON into the middle of the stream",
	"slow":            "holds the first byte back",
	"crlf":            "ends the stream's lines with CR LF",
	"early-role":      "sends the role chunk at once, long before the first token",
	"no-usage":        "leaves usage out",
}

// failure is what faults that are errors say.
const failure = "simulated engine failure"

// FaultNames returns every name of a fault, sorted.
func FaultNames() []string {
	names := make([]string, 0, len(faultNames))
	for name := range faultNames {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// FaultHelp says in a few words what the fault of that name does, or "".
func FaultHelp(name string) string { return faultNames[name] }

// ParseFault reads NAME=RATE, as a command line gives it.
func ParseFault(text string) (Fault, error) {
	name, share, found := strings.Cut(text, "=")
	if !found {
		return Fault{}, fmt.Errorf("fault %q is not NAME=RATE", text)
	}
	rate, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %s: rate %q is no number", name, share)
	}
	f := Fault{Name: name, Rate: rate}
	return f, f.check()
}

func (f Fault) check() error {
	if faultNames[f.Name] == "" {
		return fmt.Errorf("fault %q is not known, it must be one of %s", f.Name, strings.Join(FaultNames(), ", "))
	}
	if !(f.Rate >= 0 && f.Rate <= 1) { // also false for NaN
		return fmt.Errorf("fault %s: rate %v is not between 0 and 1", f.Name, f.Rate)
	}
	if f.After < 0 || f.Delay < 0 {
		return fmt.Errorf("fault %s: after and delay must not be below 0", f.Name)
	}
	return nil
}

// fault returns the first fault that hits r; its Name is empty if none does.
func (c Config) fault(r *Request) Fault {
	for _, f := range c.Faults {
		if slices.Contains(f.Requests, r.Number) || f.When != nil && f.When(r) || f.draw(c.Seed, r.identity) {
			return f
		}
	}
	return Fault{}
}

func (f Fault) draw(seed, identity uint64) bool {
	const steps = 1 << 53
	drawn := digest(mix(seed, identity), f.Name) >> 11
	return float64(drawn) < f.Rate*steps
}

// inMiddle reports whether the fault stops or disturbs an answer half way.
func (f Fault) inMiddle() bool {
	switch f.Name {
	case "reset-midstream", "truncated", "hang", "error-event", "malformed-event":
		return true
	}
	return false
}

// position returns the number of tokens before the fault.
func (f Fault) position(length int) int {
	if f.After > 0 {
		return min(f.After, length)
	}
	return max(1, length/2)
}
