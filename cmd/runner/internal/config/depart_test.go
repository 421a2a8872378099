package config

import (
	"errors"
	"strings"
	"testing"

	"paceline/plugins/lock"
)

const ruled = `{"workload":{"name":"tasks","config":{"first":12}},"target":{"turn_timeout":"24h","stream":true},"load":{"delays":true,"duration":"0s"},` +
	`"params":{"temperature":1.0,"chat_template_kwargs":{"keep":true}},"scorers":{"answers":{"min_percent":50}}}`

func overPreset(t *testing.T, rules *lock.Rules, set ...string) Resolved {
	t.Helper()
	lowest, preset, err := Preset(codeqa, &lock.Preset{Name: "quick", Run: []byte(ruled), Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	above, err := Set("--set", set)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(lowest, above)
	if err != nil {
		t.Fatal(err)
	}
	r.Preset = preset
	if err := r.Depart(lowest); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDepartures: each set value is a departure where it is another one, however it is written, and nothing else is.
func TestDepartures(t *testing.T) {
	rules := &lock.Rules{Of: "x", Status: lock.Unpublished, Reason: "y", Missing: []string{"max_tokens"}}
	for set, want := range map[string]string{
		"load.users=9":                              "",
		"load.repeats=3":                            "",
		"scorers.std/codeqa/answers.more=1":         "",
		"params.temperature=1":                      "",
		"target.turn_timeout=1440m":                 "",
		"params.temperature=0.5":                    `params.temperature 1 0.5 --set`,
		"params.min_p=0":                            `params.min_p null 0 --set`,
		"params.chat_template_kwargs.more=1":        `params.chat_template_kwargs.more null 1 --set`,
		"params.chat_template_kwargs=null":          `params.chat_template_kwargs.keep true null --set`,
		"workload.config.delay=1":                   `workload.config.delay null 1 --set`,
		"workload.config.first=3":                   `workload.config.first 12 3 --set`,
		"target.turn_timeout=1s":                    `target.turn_timeout "24h0m0s" "1s" --set`,
		"load.duration=2m":                          `load.duration "0s" "2m0s" --set`,
		"load.delays=false":                         `load.delays true false --set`,
		"scorers.std/codeqa/answers.min_percent=49": `scorers.std/codeqa/answers.min_percent 50 49 --set`,
		"tool_results=apart":                        "",
		"tool_results=merged":                       `tool_results "apart" "merged" --set`,
		"max_tokens=7":                              `max_tokens null 7 --set`,
	} {
		given := []string{set}
		if !strings.HasPrefix(set, "max_tokens") {
			given = append(given, "max_tokens=9")
		}
		var got []string
		for _, d := range overPreset(t, rules, given...).Preset.Departures {
			if text := d.Key + " " + string(d.Preset) + " " + string(d.Run) + " " + d.Origin; text != "max_tokens null 9 --set" {
				got = append(got, text)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}

func TestMissingValues(t *testing.T) {
	rules := &lock.Rules{Of: "x", Status: lock.Unpublished, Reason: "nobody told", Missing: []string{"max_tokens", "override", "params.top_k"}}
	for set, want := range map[string]string{
		"load.users=1": "max_tokens and override and params.top_k|--set max_tokens=VALUE --set override.NAME=VALUE --set params.top_k=VALUE",
		"max_tokens=3": "override and params.top_k|--set override.NAME=VALUE --set params.top_k=VALUE", "params.top_k=3": "max_tokens and override|--set max_tokens=VALUE",
		"override.x=1": "max_tokens and params.top_k|--set max_tokens=VALUE",
	} {
		r := overPreset(t, rules, set)
		missing, ok := errors.AsType[*MissingError](r.CheckRules())
		keys, ways, _ := strings.Cut(want, "|")
		if !ok || !strings.Contains(missing.Error(), "no value for "+keys+" (nobody told)") || !strings.Contains(missing.Hint(), ways) {
			t.Errorf("%s: %v", set, r.CheckRules())
		}
	}
	all := overPreset(t, rules, "max_tokens=3", "params.top_k=1", "override={}")
	if err := all.CheckRules(); err != nil {
		t.Error(err)
	}
	none := overPreset(t, nil)
	if err := none.CheckRules(); err != nil {
		t.Error(err)
	}
}
