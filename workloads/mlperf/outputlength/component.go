package outputlength

import (
	"paceline/sdk"
	"paceline/workloads/options"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"min":{"type":"number","minimum":0,"description":"least mean of output tokens per turn"},` +
	`"max":{"type":"number","minimum":0,"description":"largest mean of output tokens per turn"},` +
	`"turns":{"enum":["full_run","window"],"default":"full_run","description":"the turns that count: all that were measured, or only those sent inside the window"},` +
	`"source":{"enum":["any","counter","usage"],"default":"any","description":"where a turn's count comes from; any: the counter where one counted it, else the server's usage"}}}`

// most is the largest bound in tokens.
const most = 1_000_000_000

// Component describes the validator for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "output-length",
		Summary:      "mean output tokens per turn between two bounds",
		ConfigSchema: []byte(configSchema),
		Unit:         sdk.UnitTurn,
		Needs:        []sdk.Need{sdk.NeedAnswer},
		Validator:    func(o *sdk.Opening) (sdk.Validator, error) { return open(o) },
	}
}

// validator is one configuration. Bounds are micro-tokens, nil where there is none.
type validator struct {
	least, largest *int64
	window         bool
	source         string
}

// Values of the option source.
const (
	sourceAny     = "any"
	sourceCounter = "counter"
	sourceUsage   = "usage"
)

func open(o *sdk.Opening) (*validator, error) {
	config := options.Read(o.Config, "min", "max", "turns", "source")
	v := &validator{}
	if n, set := config.Micro("min", most); set {
		v.least = &n
	}
	if n, set := config.Micro("max", most); set {
		v.largest = &n
	}
	if v.least != nil && v.largest != nil && *v.least > *v.largest {
		config.Fault("/min", "bounds-contradict", "min at most max", "min is above max")
	}
	v.window = config.Choice("turns", "full_run", "window") == "window"
	v.source = config.Choice("source", sourceAny, sourceCounter, sourceUsage)
	if err := config.Err(); err != nil {
		return nil, err
	}
	return v, nil
}

// Check implements sdk.Validator. It has no findings: a mean is of the whole run.
func (v *validator) Check(samples []sdk.Sample) ([]sdk.Finding, []byte, error) {
	var a account
	for i := range samples {
		v.add(&a, &samples[i])
	}
	return nil, a.append(nil), nil
}

// add counts one turn. Turns without an answer have no length and do not count; neither do empty answers, which the
// reference drops too.
func (v *validator) add(a *account, s *sdk.Sample) {
	if s.Outcome != "ok" || s.Phase == "warmup" || v.window && !s.InWindow {
		return
	}
	tokens, counter, ok := v.tokens(s)
	switch {
	case !ok:
		a.uncounted++
	case tokens == 0:
		a.empty++
	default:
		a.turns++
		a.tokens += tokens
		if counter {
			a.byCounter++
		}
	}
}

// tokens gives a turn's output tokens, and whether they come from the counter.
func (v *validator) tokens(s *sdk.Sample) (n uint64, counter, ok bool) {
	if v.source != sourceUsage && s.Counted != nil && s.Counted.Output != nil {
		return *s.Counted.Output, true, true
	}
	if v.source != sourceCounter && s.Answer != nil && s.Answer.Usage != nil && s.Answer.Usage.Reported {
		return s.Answer.Usage.CompletionTokens, false, true
	}
	return 0, false, false
}

// Fold implements sdk.Folder.
func (v *validator) Fold(running, batch []byte) ([]byte, error) {
	a, err := decodeAccount(running)
	if err != nil {
		return nil, err
	}
	b, err := decodeAccount(batch)
	if err != nil {
		return nil, err
	}
	a.fold(b)
	return a.append(nil), nil
}

// Conclude implements sdk.Validator.
func (v *validator) Conclude(run *sdk.ConcludeRequest) (*sdk.ConcludeCheckResponse, error) {
	a, err := decodeAccount(run.Account)
	if err != nil {
		return nil, err
	}
	out := &sdk.ConcludeCheckResponse{Values: v.values(a)}
	out.Passed, out.Reason = v.judge(a)
	return out, nil
}
