package profile

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"paceline/mlperf/rules"
	"paceline/mlperf/standin"
)

func held(t *testing.T, text []byte) *Report {
	t.Helper()
	c, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return Hold(c)
}

func differing(r *Report) (list []string) {
	for _, f := range r.Figures {
		if !f.OK {
			list = append(list, f.Name)
		}
	}
	return list
}

// TestStandIn: a whole stand-in fits but for its digest, and says so; without the row that says so it is nothing.
func TestStandIn(t *testing.T) {
	var b bytes.Buffer
	if _, err := standin.Write(&b, standin.Options{Seed: 9}); err != nil {
		t.Fatal(err)
	}
	r := held(t, b.Bytes())
	if r.Kind != StandIn || r.Fits || r.Seed != "9" || !slices.Equal(differing(r), []string{"sha256"}) || !strings.Contains(r.Means(), "never for a submission") {
		t.Errorf("%+v", r)
	}
	if len(r.Delays) != 9 || r.Delays[0].Name != "min" || r.Delays[7].Name != "p99.9" || r.Delayed != rules.ClientTurns-rules.Trajectories {
		t.Errorf("%d delays: %+v", r.Delayed, r.Delays)
	}
	_, rest, _ := bytes.Cut(b.Bytes(), []byte("\n"))
	if r := held(t, rest); r.Kind != Other || !slices.Equal(differing(r), []string{"sha256"}) {
		t.Errorf("%+v", r)
	}
}

func TestKinds(t *testing.T) {
	var b bytes.Buffer
	if _, err := standin.Write(&b, standin.Options{Trajectories: 3}); err != nil {
		t.Fatal(err)
	}
	if r := held(t, b.Bytes()); r.Kind != Reduced || r.Fits {
		t.Errorf("%+v", r)
	}
	fits := Counts{
		SHA256: rules.DatasetSHA256, Coding: rules.CodingTrajectories, Workflow: rules.WorkflowTrajectories, ClientTurns: rules.ClientTurns,
		AssistantTurns: rules.AssistantTurns, OpenEnds: 7,
	}
	if r := Hold(&fits); r.Kind != Official || !r.Fits {
		t.Errorf("%+v", r)
	}
	for name, change := range map[string]func(c *Counts){
		"coding": func(c *Counts) { c.Coding-- }, "client_turns": func(c *Counts) { c.ClientTurns++ },
		"end_on_a_client_turn": func(c *Counts) { c.OpenEnds = 6 }, "without_a_system_message": func(c *Counts) { c.NoSystem = 1 },
	} {
		c := fits
		change(&c)
		if r := Hold(&c); r.Kind != Other || r.Fits || !slices.Contains(differing(r), name) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestRead(t *testing.T) {
	const file = "\ufeff" + `{"conversation_id":"sim_1","turn":1,"role":"user","content":"x"}` + "\r\n\n" +
		`{"conversation_id":"sim_1","turn":2,"role":"assistant","content":"y","system":"late"}` + "\n" +
		`{"conversation_id":"c","turn":1,"role":"user","content":"x","delay_seconds":0.5}` + "\n" +
		`{"conversation_id":"c","turn":2,"role":"assistant","content":"y"}` + "\n" +
		`{"conversation_id":"c","turn":3,"role":"user","content":"x","delay_seconds":0.25}`
	c, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if c.Workflow != 1 || c.Coding != 1 || c.ClientTurns != 3 || c.AssistantTurns != 2 || c.OpenEnds != 1 || c.NoSystem != 1 || c.Bytes != int64(len(file)) {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.Delays, []int64{250_000_000, 500_000_000}) || c.StandIn != nil || len(c.SHA256) != 64 {
		t.Errorf("%+v", c)
	}
}
