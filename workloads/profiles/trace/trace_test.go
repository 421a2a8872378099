package trace

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/profiles/builtin"
)

var plugin = sdk.Plugin{Name: "profiles", Version: "0.1.0", Components: []sdk.Component{Component()}}

func opened(t *testing.T, config string) *sdktest.Component {
	t.Helper()
	return sdktest.Open(t, &plugin, "trace", sdktest.Options{Config: config})
}

var seed = []byte("0123456789abcdef0123456789abcdef")

func plan(t *testing.T, c *sdktest.Component, index uint64) *sdk.Trajectory {
	t.Helper()
	p, err := c.Plan(index, 0, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tokens adds up the filler of messages.
func tokens(list []sdk.Message) int {
	n := 0
	for _, m := range list {
		for _, p := range m.Composed.Pieces {
			n += int(p.Filler.Tokens)
		}
	}
	return n
}

func TestSchemaKnowsTheProfiles(t *testing.T) {
	var schema struct {
		Properties struct {
			Profile struct{ Enum []string }
		}
	}
	if err := json.Unmarshal([]byte(configSchema), &schema); err != nil || !slices.Equal(schema.Properties.Profile.Enum, builtin.Names) {
		t.Errorf("the schema has %v, there are %v; %v", schema.Properties.Profile.Enum, builtin.Names, err)
	}
}

func TestEveryProfilePlans(t *testing.T) {
	for _, name := range builtin.Names {
		c := opened(t, `{"profile":"`+name+`"}`)
		info := c.Opened.Workload
		if info.Trajectories != 0 || info.Fixed || info.Provenance == "" || len(c.Opened.Losses) != 1 || !strings.HasPrefix(c.Opened.Losses[0], "real traces: "+name) {
			t.Errorf("%s: %+v, %q", name, info, c.Opened.Losses)
		}
		p := plan(t, c, 7)
		if p.Id != name+"-000007" || p.Domain != name || len(p.Labels) != 1 {
			t.Errorf("%s: id %s, domain %s, labels %v", name, p.Id, p.Domain, p.Labels)
		}
		for i, turn := range p.Turns {
			if turn.Index != uint32(i) || turn.ExactTokens == 0 || turn.MaxTokens != turn.ExactTokens || turn.Final != (i == len(p.Turns)-1) || tokens(turn.Append) == 0 && name == "coding" {
				t.Errorf("%s: turn %d is %+v", name, i, turn)
			}
		}
		if p.Turns[0].DelayNs != 0 || len(p.Turns) > 1 && p.Turns[1].DelayNs == 0 {
			t.Errorf("%s: delays of %d and %d", name, p.Turns[0].DelayNs, p.Turns[1].DelayNs)
		}
		if again := plan(t, opened(t, `{"profile":"`+name+`"}`), 7); string(again.Marshal()) != string(p.Marshal()) {
			t.Errorf("%s: another instance plans something else", name)
		}
	}
}

func TestDefined(t *testing.T) {
	c := opened(t, `{"count":3,"define":{"name":"mine","provenance":"recorded","turns":2,"shared":[{"key":"system","tokens":50}],"input":100,"assistant":[{"from":0,"zipf":{"exponent":0,"from":7,"count":1}}],"tool":20,"wait":0.25,"final":9}}`)
	if info := c.Opened.Workload; info.Trajectories != 3 || info.Provenance != "recorded" || len(c.Opened.Losses) != 0 {
		t.Errorf("%+v %q", info, c.Opened.Losses)
	}
	p := plan(t, c, 2)
	if len(p.Turns) != 3 || tokens(p.Turns[0].Append) != 150 || tokens(p.Turns[1].Append) != 20 || p.Turns[2].DelayNs != 250_000_000 || p.Turns[1].ExactTokens != 7 || p.Turns[2].ExactTokens != 9 {
		t.Errorf("%+v", p)
	}
	first := p.Turns[0].Append
	if len(first) != 2 || first[0].Composed.Role != "system" || first[0].Composed.Pieces[0].Filler.Scope != sdk.ScopeWorkload ||
		first[1].Composed.Role != "user" || first[1].Composed.Pieces[0].Filler.Scope != sdk.ScopeTrajectory {
		t.Errorf("%+v", first)
	}
	if _, err := c.Plan(3, 0, seed); sdktest.Code(err) != sdk.CodeOutOfRange {
		t.Errorf("beyond the end: %v", err)
	}
	if _, err := c.Plan(0, 0, nil); sdktest.Code(err) != sdk.CodeInvalidArgument {
		t.Errorf("without a seed: %v", err)
	}
}

func TestMean(t *testing.T) {
	c := opened(t, `{"mode":"mean","count":2}`)
	if info := c.Opened.Workload; !info.Fixed || info.Provenance != "estimated" || len(c.Opened.Losses) != 2 || !strings.Contains(c.Opened.Losses[1], "mode mean") {
		t.Errorf("%+v %q", info, c.Opened.Losses)
	}
	one, two := plan(t, c, 0), plan(t, c, 1)
	if one.Id != "coding-mean-000000" || len(one.Turns) != len(two.Turns) || one.Turns[3].ExactTokens != two.Turns[9].ExactTokens || one.Labels[0] != (sdk.Label{Key: "mode", Value: "mean"}) {
		t.Errorf("%+v", one)
	}
}

func TestRefused(t *testing.T) {
	for config, want := range map[string]string{
		`{"profile":"coding2"}`:            "/profile",
		`{"profile":"coding","define":{}}`: "/define",
		`{"define":{"name":"x"}}`:          "/define/turns",
		`{"define":7}`:                     "/define",
		`{"mode":"median"}`:                "/mode",
		`{"count":0}`:                      "/count",
		`{"seed":1}`:                       "/seed",
	} {
		if _, err := sdktest.TryOpen(t, &plugin, "trace", sdktest.Options{Config: config}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", config, err)
		}
	}
}
