package report

import (
	"strings"
	"testing"

	"paceline/core/journal"
	"paceline/core/sample"
)

func moment(n int) sample.Offset { return sample.Offset(n) * 1e6 }

// branched is a live conversation that broke off: its first turn was answered and stepped, one branch failed, one was cut by
// the death of the runner, and one was not sent.
func branched() *journal.Run {
	id := sample.ID{Workload: "w", Trajectory: "t"}
	run := &journal.Run{Conversations: []sample.Conversation{
		{ID: sample.ID{Workload: "w", Trajectory: "plain"}, Start: 0, End: moment(5000), State: sample.Complete},
		{ID: id, Start: 0, End: sample.Unset, State: sample.Interrupted},
	}}
	turn := func(n, branch uint32, outcome sample.Outcome, due, sent, first, done int) *sample.Sample {
		s := sample.Sample{ID: id}
		s.Turn, s.Branch, s.Outcome, s.Timing = n, branch, outcome, sample.NoTiming()
		for _, x := range []struct {
			at *sample.Offset
			ms int
		}{{&s.Timing.Due, due}, {&s.Timing.Sent, sent}, {&s.Timing.FirstToken, first}, {&s.Timing.Done, done}} {
			if x.ms >= 0 {
				*x.at = moment(x.ms)
			}
		}
		run.Samples = append(run.Samples, s)
		return &run.Samples[len(run.Samples)-1]
	}
	s := turn(0, 0, sample.OK, 0, 0, 100, 200)
	s.Timing.NextStart, s.Timing.NextDone = moment(200), moment(300)
	turn(1, 1, sample.Reset, 300, 350, -1, 600).Waits = []uint32{0}
	turn(2, 2, sample.Unfinished, -1, 400, -1, -1).Waits = []uint32{0}
	turn(3, 0, sample.NotSent, -1, -1, -1, -1).Cause = sample.CausePriorFailure
	return run
}

func TestTimelineOfABrokenConversation(t *testing.T) {
	list := Timelines(branched(), Wanted{})
	if len(list) != 1 || list[0].Conversation.Trajectory != "t" {
		t.Fatalf("%d timelines; the one that branches is wanted, though another lasted longer", len(list))
	}
	var b strings.Builder
	if err := WriteTimeline(&b, &list[0]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"t of w, repeat 0, user 0: unfinished", "600.0 ms",
		"*    0   main      0.0    200.0  ------=======+++++++\n",
		"*    1      1    350.0    250.0                      ...----------------- reset\n",
		"     2      2    400.0        -                            -------------- unfinished\n",
		"     3   main  not_sent: prior_failure\n",
		"Critical path: turns 0, 1; 450.0 ms of it in flight.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > width+12 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestTimelinePage(t *testing.T) {
	run := branched()
	for i := range run.Conversations {
		run.Conversations[i].Workload = "<w>"
	}
	for i := range run.Samples {
		run.Samples[i].Workload = "<w>"
	}
	var b strings.Builder
	if err := WriteTimelineHTML(&b, Timelines(run, Wanted{Trajectory: "t"})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h2>t of &lt;w&gt;, repeat 0, user 0: unfinished</h2>",
		`<tr class="critical"><td>0</td><td>main</td><td>0.0</td><td>200.0</td><td>ok</td>`,
		`<i class="wait" style="left:0.00%;width:16.66%"></i><i class="tokens" style="left:16.66%;width:16.66%"></i><i class="step" style="left:33.33%;width:16.66%"></i>`,
		"<td>not_sent: prior_failure</td>", "<li>Critical path: turns 0, 1;",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestTimelinesWanted(t *testing.T) {
	run := branched()
	one := uint32(1)
	for _, tt := range []struct {
		want Wanted
		n    int
	}{
		{Wanted{Trajectory: "plain"}, 1}, {Wanted{Trajectory: "plain", Workload: "v"}, 0}, {Wanted{Trajectory: "t", Repeat: &one}, 0},
		{Wanted{Workload: "v"}, 0},
	} {
		if n := len(Timelines(run, tt.want)); n != tt.n {
			t.Errorf("%+v: %d, want %d", tt.want, n, tt.n)
		}
	}
	empty := &Timeline{Conversation: sample.Conversation{Start: sample.Unset, End: sample.Unset}}
	if err := WriteTimeline(&strings.Builder{}, empty); err != nil {
		t.Error(err)
	}
}

// TestReportOfBranches makes one conversation a fan of three: turns 1 to 3 wait for turn 0, turn 4 for them.
func TestReportOfBranches(t *testing.T) {
	in := small()
	for i := range in.Run.Samples[:5] {
		s := &in.Run.Samples[i]
		switch s.Turn {
		case 1, 2, 3:
			s.Branch, s.Waits = s.Turn, []uint32{0}
		case 4:
			s.Waits = []uint32{0, 1, 2, 3}
		}
	}
	doc, text, _ := both(t, in)
	checkSchema(t, doc)
	for _, want := range []string{"BRANCHES (of 1 of those trajectories, with 1 fan)", "fan-out to fan-in ms", "fastest to slowest  ", "requests in the mean, 2 at most"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
