package toolcalls

import (
	"bytes"
	"slices"
	"strings"

	"paceline/sdk"
	"paceline/workloads/checks/settings"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"max_invalid":{"type":"number","minimum":0,"maximum":1,"default":0,"description":"largest share of turns with calls that may be invalid"},` +
	`"errors":{"type":"array","items":{"type":"string"},"description":"classes of faults that make a turn invalid; all by default, others are warnings"},` +
	`"min_precision":{"type":"number","minimum":0,"maximum":1,"description":"least precision of calling a tool, against the recorded answers"},` +
	`"min_recall":{"type":"number","minimum":0,"maximum":1,"description":"least recall of the same"},` +
	`"report_only":{"type":"boolean","default":false,"description":"tell everything and pass always"}}}`

// Component describes the validator for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "tool-calls",
		Summary:      "tool calls held against the tools that the request offered, and against the recorded answers",
		ConfigSchema: []byte(configSchema),
		Unit:         sdk.UnitTurn,
		Needs:        []sdk.Need{sdk.NeedAnswer, sdk.NeedRecorded, sdk.NeedTruth, sdk.NeedTools, sdk.NeedParams},
		Validator:    func(o *sdk.Opening) (sdk.Validator, error) { return open(o) },
	}
}

// validator is one configuration. Shares are in micro-units, nil where there is no bound.
type validator struct {
	maxInvalid              uint64
	minPrecision, minRecall *uint64
	errors                  [classCount]bool
	reportOnly              bool

	offered []byte // tools of the last sample, as they came
	tools   *tools // the same, read
}

func open(o *sdk.Opening) (*validator, error) {
	config := settings.Read(o.Config, "max_invalid", "errors", "min_precision", "min_recall", "report_only")
	v := &validator{reportOnly: config.Flag("report_only")}
	if n, set := config.Micro("max_invalid", 1); set {
		v.maxInvalid = uint64(n)
	}
	bound := func(key string) *uint64 {
		n, set := config.Micro(key, 1)
		if !set {
			return nil
		}
		share := uint64(n)
		return &share
	}
	v.minPrecision, v.minRecall = bound("min_precision"), bound("min_recall")
	chosen, set := config.Words("errors", classes[:]...)
	for i, name := range classes {
		v.errors[i] = !set || slices.Contains(chosen, name)
	}
	if err := config.Err(); err != nil {
		return nil, err
	}
	return v, nil
}

// Check implements sdk.Validator.
func (v *validator) Check(samples []sdk.Sample) ([]sdk.Finding, []byte, error) {
	var a account
	var findings []sdk.Finding
	for i := range samples {
		s := &samples[i]
		if s.Outcome != "ok" || s.Answer == nil || s.Phase == "warmup" {
			continue
		}
		if !bytes.Equal(s.Tools, v.offered) || v.tools == nil {
			v.offered, v.tools = bytes.Clone(s.Tools), readTools(bytes.Clone(s.Tools))
		}
		t := judgeTurn(s, v.tools)
		a.add(s, &t, v)
		findings = append(findings, v.findings(s, &t)...)
	}
	return findings, a.append(nil), nil
}

// mostFindings bounds the findings of one turn; all faults are counted.
const mostFindings = 32

func (v *validator) findings(s *sdk.Sample, t *turn) []sdk.Finding {
	var list []sdk.Finding
	for _, f := range t.faults[:min(len(t.faults), mostFindings)] {
		severity := sdk.SeverityWarning
		if v.errors[f.class] && !v.reportOnly {
			severity = sdk.SeverityError
		}
		list = append(list, sdk.Finding{
			Severity: severity, Code: classes[f.class], Message: strings.ToValidUTF8(f.message, "\uFFFD"),
			Trajectory: s.Trajectory, Repeat: s.Repeat, Turn: s.Turn, Detail: f.detail(),
		})
	}
	return list
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
	out := &sdk.ConcludeCheckResponse{Values: v.values(a), Findings: summary(a)}
	out.Passed, out.Reason = v.judge(a)
	return out, nil
}
