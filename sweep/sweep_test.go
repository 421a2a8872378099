package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/stats"
	"paceline/sweep/cache"
)

func planOf(users ...int) *Plan {
	p := &Plan{Schema: PlanSchema, Run: "bench.yaml", Between: "none", Axes: PlainAxes}
	for _, n := range users {
		p.Points = append(p.Points, PlannedPoint{Concurrency: n})
	}
	return p
}

// player plays points without a target. what says how each ends: done, failed, broken, interrupted, killed; done otherwise.
type player struct {
	t      *testing.T
	what   map[int]string
	played []string
	stop   context.CancelCauseFunc
}

var errKilled = errors.New("killed")

func (p *player) Play(_ context.Context, x *PlannedPoint, dir string) Played {
	p.played = append(p.played, filepath.Base(dir))
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, journal.RunFile), []byte("{}"), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	r := resultOf(x.Concurrency)
	switch p.what[x.Concurrency] {
	case "failed":
		r.Status, r.Reason = report.Failed, "no turn succeeded"
	case "broken":
		return Played{Broken: "the target is down"}
	case "interrupted":
		r.Status = report.Interrupted
		p.stop(context.Canceled)
	case "killed":
		panic(errKilled)
	}
	var b bytes.Buffer
	if err := errors.Join(report.WriteJSON(&b, r), os.WriteFile(filepath.Join(dir, reportFile), b.Bytes(), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	return Played{Report: r}
}

func resultOf(users int) *report.Result {
	r := &report.Result{Schema: report.Schema, Run: fmt.Sprint("run-", users), Status: report.Complete, Metrics: &metrics.Metrics{}}
	r.Metrics.Honesty.State = metrics.Honest
	r.Metrics.PerUser.Plain.Value = stats.Of(200 / float64(users))
	r.Metrics.Throughput.System.Value = stats.Of(200)
	r.Metrics.MLPerf.DurationS.Value = stats.Of(100)
	return r
}

// emptier says what the cache before a point is like.
type emptier struct {
	state  cache.State
	before []string
	err    map[int]error
}

func (e *emptier) Empty(_ context.Context, p *PlannedPoint, before string) (*cache.Verdict, error) {
	e.before = append(e.before, filepath.Base(before))
	if before == "" {
		return &cache.Verdict{State: cache.FirstPoint}, e.err[p.Concurrency]
	}
	return &cache.Verdict{State: e.state, Reason: "as told"}, e.err[p.Concurrency]
}

// run plays a sweep until it ends or its player is killed.
func run(t *testing.T, dir string, s *State, p *player, e *emptier) (err error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	p.t, p.stop = t, cancel
	defer func() {
		if r := recover(); r != nil {
			err = errKilled
		}
	}()
	return (&Sweep{Dir: dir, State: s, Player: p, Emptier: e}).Run(ctx)
}

func states(t *testing.T, dir string) string {
	t.Helper()
	s, err := ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, p := range s.Points {
		list = append(list, fmt.Sprintf("%s:%s", p.Folder, p.State))
	}
	return strings.Join(list, " ")
}

var oneRun = digest.Of([]byte("run"))

// TestKilledInThirdPoint kills the runner in the third of four points, resumes, and finds what it found before.
func TestKilledInThirdPoint(t *testing.T) {
	dir, plan := t.TempDir(), planOf(1, 4, 16, 64)
	e := &emptier{state: cache.Empty}
	if err := run(t, dir, NewState(journal.Build{}, plan, oneRun, nil), &player{what: map[int]string{4: "failed", 16: "killed"}}, e); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if got := states(t, dir); got != "c1:done c4:failed c16:running c64:pending" {
		t.Fatal(got)
	}
	s, err := ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(dir, plan, oneRun); err != nil {
		t.Fatal(err)
	}
	p := &player{}
	if err := run(t, dir, s, p, e); err != nil {
		t.Fatal(err)
	}
	if got := states(t, dir); got != "c1:done c4-2:done c16-2:done c64:done" {
		t.Error(got)
	}
	if got := fmt.Sprint(p.played, e.before); got != "[c4-2 c16-2 c64] [. c1 c4 c16 c4-2 c16-2]" {
		t.Errorf("played, and came before: %s", got)
	}
	if a := s.Points[2].Attempts; len(a) != 2 || a[0].State != Incomplete || a[0].Folder != "c16" || a[1].State != Done {
		t.Errorf("attempts: %+v", a)
	}
	first, err := WriteReport(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := WriteReport(dir, again)
	if err != nil || !bytes.Equal(first.JSON, second.JSON) || !bytes.Equal(first.Text, second.Text) {
		t.Errorf("another report: %v\n%s", err, second.Text)
	}
}

func TestResumeRefuses(t *testing.T) {
	for want, change := range map[string]func(dir string, p *Plan, run *digest.SHA256){
		"the plan is not the one": func(_ string, p *Plan, _ *digest.SHA256) { p.Points[0].Repeats = 2 },
		"the run is not the one":  func(_ string, _ *Plan, run *digest.SHA256) { run[0]++ },
		"has changed since its point was done": func(dir string, _ *Plan, _ *digest.SHA256) {
			_ = os.WriteFile(filepath.Join(dir, "c1", reportFile), nil, 0o600)
		},
		"no such file": func(dir string, _ *Plan, _ *digest.SHA256) { _ = os.Remove(filepath.Join(dir, "c1", reportFile)) },
	} {
		dir, plan, sum := t.TempDir(), planOf(1, 4), oneRun
		s := NewState(journal.Build{}, plan, sum, nil)
		if err := run(t, dir, s, &player{}, &emptier{}); err != nil {
			t.Fatal(err)
		}
		changed := planOf(1, 4)
		change(dir, changed, &sum)
		if err := s.Resume(dir, changed, sum); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// TestGoesOn plays on past a point that failed, stops where it is interrupted, and tells what did not pass.
func TestGoesOn(t *testing.T) {
	dir, plan := t.TempDir(), planOf(1, 2, 4, 8, 16)
	plan.Points[0].MinSeconds, plan.Points[2].MinSeconds = 100, 101
	s := NewState(journal.Build{}, plan, oneRun, []string{"all of it"})
	e := &emptier{state: cache.CarriedOver, err: map[int]error{2: errors.New("empty the prefix cache: status 404")}}
	if err := run(t, dir, s, &player{what: map[int]string{8: "interrupted"}}, e); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := states(t, dir); got != "c1:done c2:failed c4:done c8:incomplete c16:pending" {
		t.Error(got)
	}
	r, err := WriteReport(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Summary{Planned: 5, Done: 2, Passed: 1, Failed: 1, Incomplete: 1, Pending: 1}); r.Report.Summary != want {
		t.Errorf("got %+v", r.Report.Summary)
	}
	if got := strings.Join(s.Points[2].Facts.Failed, " "); got != "duration cache_carried_over" {
		t.Error(got)
	}
	if c := s.Points[2].CacheCarriedOver; c == nil || !*c {
		t.Error("what was carried over is not told")
	}
	want, err := os.ReadFile("testdata/report.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.Text, want) {
		t.Errorf("got\n%s", r.Text)
	}
}

func TestStateIsStrict(t *testing.T) {
	dir := t.TempDir()
	s := NewState(journal.Build{}, planOf(1, 4), oneRun, nil)
	for want, change := range map[string]func(){
		"":                             func() {},
		"is no folder of the sweep's":  func() { s.Points[0].Folder = "../../etc" },
		"points[1] has 5 users":        func() { s.Points[0].Folder, s.Points[1].Concurrency = "c1", 5 },
		"1 points and its plan 2":      func() { s.Points = s.Points[:1] },
		`schema "sweep/v2" is not kno`: func() { s.Schema = "sweep/v2" },
	} {
		s = NewState(journal.Build{}, planOf(1, 4), oneRun, nil)
		change()
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadState(dir); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestHold(t *testing.T) {
	dir := t.TempDir()
	release, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(dir); err == nil || !strings.Contains(err.Error(), "another runner") {
		t.Skipf("this file system has no locks: %v", err)
	}
	release()
	if release, err = Hold(dir); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestParsePlan(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"sweep-plan/v1","between_points":"cmd ./x","axes":{"x":"mlperf.e2e_avg_interactivity","y":"mlperf.system_tps"},"points":[{"concurrency":1}]}`: "",
		`{"schema":"sweep-plan/v1","between_points":"none","axes":{"x":"a","y":"mlperf.system_tps"},"points":[{"concurrency":1}]}`:                               `axes.x: schemas/metrics/v1 has no figure "a"`,
		`{"schema":"sweep-plan/v1","between_points":"reboot","points":[{"concurrency":0},{"concurrency":2},{"concurrency":2}]}`:                                  "points[2].concurrency: 2 is there already, as points[1]",
		`{"schema":"sweep-plan/v1","between_points":"restart","points":[]}`:                                                                                      `restart needs a command`,
		`{"schema":"sweep-plan/v1","between_points":"vllm now","points":[]}`:                                                                                     `vllm takes no command`,
		`{"schema":"sweep-plan/v1","between_points":"none","regions":[{"name":"low","first":0,"last":3}],"points":[]}`:                                           "regions[0]: 0 to 3 is not in 1..1000000",
		`{"schema":"sweep-plan/v1","between_points":"none","regions":[{"first":1,"last":3}],"points":[]}`:                                                        "regions[0].name: is missing",
		`{"schema":"sweep-plan/v1","point":[]}`: `unknown field "point"`,
	} {
		if _, err := ParsePlan([]byte(text)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestExpect(t *testing.T) {
	pass := Pass{Turns: 30335, Trajectories: 613}
	list := []Measured{{64, 16_000_000}, {1, 550_000}}
	for users, want := range map[int]int64{1: 550_000, 2: 795_238, 64: 16_000_000, 1024: 16_000_000} {
		if got := Rate(list, users); got != want {
			t.Errorf("%d users: %d, want %d", users, got, want)
		}
	}
	one := []Measured{{1, 550_000}}
	if got := fmt.Sprint(Rate(one, 8), Rate(nil, 8)); got != "4400000 0" {
		t.Error(got)
	}
	p := planOf(1, 64, 1024)
	for i, least := range []int64{600, 2400, 2400} {
		p.Points[i].MinSeconds = least
	}
	p.Expect("a test", pass, list, nil)
	// A pass takes 1895 s with 64 users: two make the window long enough, and with more users than trajectories three.
	if got := fmt.Sprint(p.Points, p.Expected.Seconds); got != "[{1  false false 1 600 55154} {64  false false 2 2400 3790} {1024  false false 3 2400 5685}] 64629" {
		t.Error(got)
	}
}

func TestWriteYAML(t *testing.T) {
	p := planOf(1, 64)
	p.Set, p.Rules = []string{"load.delays=false"}, &Rules{"mlperf", json.RawMessage(`{"c_max":64}`)}
	p.Points[1] = PlannedPoint{Concurrency: 64, Region: "high_concurrency", Spare: true, Accuracy: true, Repeats: 2, MinSeconds: 2400, Expected: 3790}
	p.Expected = &Expected{Basis: "--tps 210", Seconds: 3790}
	var b bytes.Buffer
	if err := p.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/plan.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got\n%s", &b)
	}
}
