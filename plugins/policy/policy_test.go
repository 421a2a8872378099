package policy_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"paceline/plugins/lock"
	"paceline/plugins/policy"
	"paceline/plugins/sign"
)

var now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

func key(n byte) sign.Key { return sign.Key{n} }

func by(n byte, until time.Time) sign.Signer { return sign.Signer{Key: key(n), ValidUntil: until} }

func sample() *policy.Policy {
	return &policy.Policy{
		Schema: policy.Schema,
		Keys:   map[string]string{"acme": key(1).String(), "audit": key(2).String(), "second": key(3).String()},
		Rules: []policy.Rule{
			{Source: "std"},
			{Source: "oci://r.example/acme/heavy", Native: true, Capabilities: []lock.Capability{"network", "inputs"}, AllOf: []string{"acme"}},
			{Source: "oci://r.example/acme", AllOf: []string{"acme"}, AnyOf: &policy.AnyOf{Minimum: 1, Keys: []string{"audit", "second"}}},
			{Source: "oci://other.example"},
		},
	}
}

func TestCheck(t *testing.T) {
	later, before := now.AddDate(1, 0, 0), now.AddDate(-1, 0, 0)
	const acme = "oci://r.example/acme/search:1@sha256:00"
	for name, c := range map[string]struct {
		plugin policy.Plugin
		want   string // empty: allowed
	}{
		"shipped":         {policy.Plugin{Source: "std"}, ""},
		"with inputs":     {policy.Plugin{Source: "std", Granted: []lock.Capability{"inputs"}}, ""},
		"a file":          {policy.Plugin{Source: "file"}, "no rule allows this source"},
		"not quite std":   {policy.Plugin{Source: "stdx"}, "no rule"},
		"both signed":     {policy.Plugin{Source: acme, Signers: []sign.Signer{by(1, later), by(3, later)}}, ""},
		"unsigned":        {policy.Plugin{Source: acme}, "not signed by acme (ed25519:01"},
		"one of two":      {policy.Plugin{Source: acme, Signers: []sign.Signer{by(1, later)}}, "signed by 0 of audit, second, and 1 are needed"},
		"the wrong one":   {policy.Plugin{Source: acme, Signers: []sign.Signer{by(2, later), by(9, later)}}, "not signed by acme"},
		"expired":         {policy.Plugin{Source: acme, Signers: []sign.Signer{by(1, before), by(2, later)}}, "the signature of acme expired at 2026-01-01T00:00:00Z"},
		"expired any":     {policy.Plugin{Source: acme, Signers: []sign.Signer{by(1, later), by(2, before)}}, "signed by 0"},
		"native":          {policy.Plugin{Source: acme, Native: true, Signers: []sign.Signer{by(1, later), by(2, later)}}, "native plugins"},
		"capability":      {policy.Plugin{Source: "std", Granted: []lock.Capability{"network"}}, "the capability network"},
		"native, allowed": {policy.Plugin{Source: "oci://r.example/acme/heavy@sha256:00", Native: true, Granted: []lock.Capability{"network"}, Signers: []sign.Signer{by(1, later)}}, ""},
		"a longer name":   {policy.Plugin{Source: "oci://r.example/acmes/x:1"}, "no rule"},
		"another port":    {policy.Plugin{Source: "oci://other.example:5000/x:1"}, "no rule"},
		"another host":    {policy.Plugin{Source: "oci://other.example.evil/x:1"}, "no rule"},
		"that host":       {policy.Plugin{Source: "oci://other.example/x:1"}, ""},
		"two reasons":     {policy.Plugin{Source: acme, Native: true}, "not allowed; not signed by acme"},
	} {
		t.Run(name, func(t *testing.T) {
			err := sample().Check(c.plugin, now)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, ok := errors.AsType[*policy.RefusedError](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	if list := sample().Faults(); len(list) > 0 {
		t.Fatal(list)
	}
	for name, c := range map[string]struct {
		change     func(p *policy.Policy)
		path, text string
	}{
		"schema":     {func(p *policy.Policy) { p.Schema = "paceline/policy/v2" }, "schema", "supported paceline/policy/v1"},
		"key":        {func(p *policy.Policy) { p.Keys["acme"] = "ed25519:12" }, "keys.acme", "no public key"},
		"no rules":   {func(p *policy.Policy) { p.Rules = nil }, "plugins", "no rule"},
		"source":     {func(p *policy.Policy) { p.Rules[0].Source = "https://x/" }, "plugins[0].source", "none of"},
		"unknown":    {func(p *policy.Policy) { p.Rules[2].AllOf = []string{"acme", "nobody"} }, "plugins[2].all_of[1]", "no key"},
		"twice":      {func(p *policy.Policy) { p.Rules[2].AnyOf.Keys = []string{"audit", "audit"} }, "plugins[2].any_of.keys[1]", "twice"},
		"minimum":    {func(p *policy.Policy) { p.Rules[2].AnyOf.Minimum = 3 }, "plugins[2].any_of.minimum", "1..2"},
		"no minimum": {func(p *policy.Policy) { p.Rules[2].AnyOf.Minimum = 0 }, "plugins[2].any_of.minimum", "1..2"},
		"capability": {func(p *policy.Policy) { p.Rules[1].Capabilities[0] = "magic" }, "plugins[1].capabilities[0]", "magic"},
	} {
		t.Run(name, func(t *testing.T) {
			p := sample()
			c.change(p)
			list := p.Faults()
			if len(list) != 1 || list[0].Path != c.path || !strings.Contains(list[0].Text, c.text) {
				t.Errorf("got %v", list)
			}
		})
	}
}
