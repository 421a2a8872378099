package identity

import (
	"slices"
	"strings"

	"paceline/sdk"
	"paceline/workloads/checks/canon"
	"paceline/workloads/checks/settings"
	"paceline/workloads/rawjson"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"expect":{"type":"object","description":"what the target must tell before the load, by name: models, version, model, system_fingerprint, prompt_tokens, server_info.KEY, props.KEY, header.NAME"},` +
	`"ignore":{"type":"array","items":{"type":"string"},"description":"names that may differ between before and after; a name with .* at its end stands for all below it"},` +
	`"headers":{"type":"array","items":{"type":"string"},"default":["server","x-powered-by","openai-version"],"description":"response headers that are compared"},` +
	`"preserve_thinking":{"type":"boolean","default":false,"description":"the chat template must keep the thinking of earlier answers"}}}`

// Component describes the validator for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "identity",
		Summary:      "the target tells the expected things before the run, and the same ones after it",
		ConfigSchema: []byte(configSchema),
		Unit:         sdk.UnitTurn,
		Probes:       probes(),
		Validator:    func(o *sdk.Opening) (sdk.Validator, error) { return open(o) },
	}
}

// validator is one configuration.
type validator struct {
	expect   []seen // sorted by name
	ignore   []string
	watched  []string // headers in lower case
	thinking bool
}

// plain are the names of what is told that have no parts; prefixes are those of the others.
var (
	plain    = []string{models, version, "model", "system_fingerprint", "prompt_tokens", thinkingKept + ".prompt_tokens", thinkingPlain + ".prompt_tokens"}
	prefixes = []string{models + ".", serverInfo + ".", props + ".", "header."}
)

func open(o *sdk.Opening) (*validator, error) {
	config := settings.Read(o.Config, "expect", "ignore", "headers", "preserve_thinking")
	v := &validator{watched: []string{"server", "x-powered-by", "openai-version"}, thinking: config.Flag("preserve_thinking")}
	if list, set := config.Words("headers"); set {
		v.watched = nil
		for _, name := range list {
			v.watched = append(v.watched, strings.ToLower(name))
		}
	}
	v.ignore, _ = config.Words("ignore")
	config.Object("expect", func(name string, value rawjson.Value) {
		if header, ok := strings.CutPrefix(name, "header."); ok {
			name = "header." + strings.ToLower(header)
			v.watched = append(v.watched, strings.ToLower(header))
		}
		known := slices.Contains(plain, name) || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) && name != p })
		switch {
		case !known:
			config.Fault(settings.Pointer("expect", name), "unknown-name", strings.Join(plain[:5], ", ")+", server_info.KEY, props.KEY, header.NAME",
				"nothing that a target tells is called %q", name)
		case value.Missing():
			config.Fault(settings.Pointer("expect", name), "option-type", "the value that the target tells", "%s is null", name)
		}
		v.expect = append(v.expect, seen{name, string(canon.Append(nil, value))})
	})
	slices.SortStableFunc(v.expect, func(a, b seen) int { return strings.Compare(a.name, b.name) })
	if err := config.Err(); err != nil {
		return nil, err
	}
	return v, nil
}

// Preflight implements sdk.Preflighter: what was expected must be told before the load.
func (v *validator) Preflight(facts []sdk.Fact, _ []byte) ([]sdk.Finding, error) {
	before := v.lookAt(facts, false)
	return append(v.unmet(before), before.silent()...), nil
}

// Check implements sdk.Validator. Answers say nothing about who gave them.
func (v *validator) Check([]sdk.Sample) ([]sdk.Finding, []byte, error) { return nil, nil, nil }

// Fold implements sdk.Folder.
func (v *validator) Fold(_, _ []byte) ([]byte, error) { return nil, nil }

// Conclude implements sdk.Validator.
func (v *validator) Conclude(run *sdk.ConcludeRequest) (*sdk.ConcludeCheckResponse, error) {
	return v.judge(v.lookAt(run.Facts, false), v.lookAt(run.Facts, true)), nil
}
