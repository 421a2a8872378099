package standin_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/mlperf/standin"
	"paceline/workloads/mlperf/dataset"
)

// latency is how long each answer takes.
const latency = 40 * time.Millisecond

// pass is what a pass over a data set must come to.
type pass struct {
	whole, window int           // turns of the run, and those sent while the window was open
	closed        time.Duration // when the window closes
	end           time.Duration // when the last answer is there
}

// byHand plays trajectories, each a list of delays, with users who take the next one in order as soon as they are free. It
// knows nothing of the runner: time goes on by delays and answers alone.
func byHand(trajectories [][]time.Duration, users int) pass {
	free := make([]time.Duration, users)
	var sent, ends []time.Duration
	var p pass
	var last time.Duration // start of the last trajectory
	for _, delays := range trajectories {
		first := 0
		for u := range free {
			if free[u] < free[first] {
				first = u
			}
		}
		now := free[first]
		last = max(last, now)
		for _, d := range delays {
			now += d
			sent = append(sent, now)
			now += latency
		}
		free[first] = now
		ends = append(ends, now)
	}
	p.closed = 1<<63 - 1
	for _, end := range ends {
		p.end = max(p.end, end)
		if end > last { // nothing is left to start: the first user to find that out closes the window
			p.closed = min(p.closed, end)
		}
	}
	p.whole = len(sent)
	for _, at := range sent {
		if at < p.closed {
			p.window++
		}
	}
	return p
}

// source plays the turns and delays of a stand-in; its words are left out, nothing here depends on them.
type source []*trajectory.Trajectory

func (s source) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	return s[index], nil
}

func read(t *testing.T, o standin.Options) (source, [][]time.Duration) {
	t.Helper()
	var b bytes.Buffer
	if _, err := standin.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	src := bytes.NewReader(b.Bytes())
	index, err := dataset.Scan(src, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	var list source
	var all [][]time.Duration
	for i, e := range index.Entries {
		rows, err := dataset.Rows(src, e)
		if err != nil {
			t.Fatal(err)
		}
		plan := &trajectory.Trajectory{ID: e.ID, Index: uint64(i), Domain: "coding"}
		var delays []time.Duration
		for _, row := range rows {
			if !row.IsClient() {
				plan.Turns[len(plan.Turns)-1].Recorded = &trajectory.Message{JSON: []byte(`{"role":"assistant","content":"so"}`)}
				continue
			}
			ns, _ := row.DelayNS()
			delays = append(delays, time.Duration(ns))
			plan.Turns = append(plan.Turns, trajectory.Turn{
				Index: uint32(len(plan.Turns)), Delay: time.Duration(ns), Append: []trajectory.Message{{JSON: []byte(`{"role":"user","content":"and"}`)}},
			})
		}
		plan.Turns[len(plan.Turns)-1].Final = true
		list, all = append(list, plan), append(all, delays)
	}
	return list, all
}

// TestPass plays a stand-in in virtual time with few users, many, and more than there are trajectories: what the runner counts
// is what the calculation by hand gives. It is a smaller one unless PACELINE_WHOLE_STANDIN is set (.ci/standin).
func TestPass(t *testing.T) {
	o, levels := standin.Options{Seed: 11, Trajectories: 40}, []int{8, 24, 46}
	if os.Getenv("PACELINE_WHOLE_STANDIN") != "" {
		o.Trajectories, levels = 0, []int{8, 64, 700}
	}
	list, delays := read(t, o)
	for _, users := range levels {
		want := byHand(delays, users)
		got := play(t, list, users)
		if got != want {
			t.Errorf("%d users: played %+v, by hand %+v", users, got, want)
		}
		if want.whole == want.window || want.window == 0 {
			t.Errorf("%d users: %+v says nothing about the window", users, want)
		}
		t.Logf("%d users: %d of %d turns in the window, which closes after %v of %v", users, got.window, got.whole, got.closed, got.end)
	}
}

func play(t *testing.T, list source, users int) pass {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	synctest.Test(t, func(t *testing.T) { playInBubble(t, dir, list, users) })
	reports, err := session.Judge(t.Context(), dir, &session.Judges{})
	if err != nil {
		t.Fatal(err)
	}
	m := reports.Result.Metrics
	if m.Failures.OK != m.Failures.Planned || m.MLPerf.OK != m.MLPerf.Issued {
		t.Errorf("%d of %d turns are ok", m.Failures.OK, m.Failures.Planned)
	}
	measured := time.Duration(m.Windows[len(m.Windows)-1].CloseNS-m.Window.OpenNS) - 1 // the last event lies inside
	return pass{whole: m.Failures.Planned, window: m.MLPerf.Issued, closed: time.Duration(m.Window.CloseNS - m.Window.OpenNS), end: measured}
}

func playInBubble(t *testing.T, dir string, list source, users int) {
	network := coretest.NewNetwork()
	l, err := network.Listen("engine:8000")
	if err != nil {
		t.Fatal(err)
	}
	target := coretest.Serve(l, &coretest.Script{Replies: []coretest.Reply{{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "text/event-stream"}}, End: coretest.EndKeepAlive,
		Body: []coretest.Step{{At: latency, Data: []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")}},
	}}})
	defer target.Stop()
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	played, err := session.Play(t.Context(), planOf(t, dir, client.Info(), len(list), users), &session.Parts{
		Source: list, Issuer: client, Prober: session.EndpointProber{Client: client}, Epoch: epoch,
	})
	if err != nil || played.Lost > 0 || !played.Result.Valid() {
		t.Fatal(err, played)
	}
}

func planOf(t *testing.T, dir string, info endpoint.Info, trajectories, users int) *session.Plan {
	t.Helper()
	scheme, err := chat.SaltSchemeByName("none")
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Appendf(nil, `{"target":{"model":"m","stream":true},"load":{"users":%d,"delays":true,"order":"file"},"history":"recorded","thinking":"keep",`+
		`"window":{"kind":"first-idle","trim":"20%%"},"max_failed":"0%%","honesty":{"max_schedule_error_ns":1000000,"share_of_ttft":"1%%"}}`, users)
	return &session.Plan{
		Dir: dir, Lock: []byte("{}\n"),
		Config: journal.RunConfig{
			Run: "20260829-101500-pass", Config: config, Seed: "1", Salt: journal.Salt{Scheme: "none"}, Lock: journal.LockState{State: "pinned"},
			Endpoint: info.URL, Proxy: info.Proxy, Workload: journal.Workload{Name: "std/mlperf/agentic", Trajectories: uint64(trajectories), Fixed: true},
		},
		Sched: sched.Config{
			Workload: "std/mlperf/agentic", Info: trajectory.Info{Trajectories: uint64(trajectories), Fixed: true}, Users: load.Constant(users),
			Salt: scheme, RoutingHeaders: []string{"X-Session-ID"}, Wire: chat.Wire{Model: "m", Stream: true},
		},
	}
}
