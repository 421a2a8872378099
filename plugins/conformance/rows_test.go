package conformance

import (
	"google.golang.org/protobuf/proto"

	g "paceline/plugins/guesttest"
	pb "paceline/schemas/gen/pluginv1"
)

// row is one line of the table: a guest that fails in one way at one place, and what must come of it.
type row struct {
	failure  string
	place    place
	guest    *canned  // nil: the compiled one
	settings []string // beside the limits
	kind     string   // of the failure as judgements keep it; "once": a fresh instance mends it; empty: no failure after all
	says     string   // what the message must hold beside the component's name
	code     int      // the exit code where it is not the place's own
}

// rows are all lines, by place.
func rows() (all []row) {
	for _, p := range places() {
		for _, f := range failures() {
			all = append(all, row{failure: f.name, place: p, kind: f.kind, says: f.limit, settings: f.more,
				guest: &canned{live: p == atNext, fail: f.code, where: p}})
		}
		all = append(all, broken(p)...)
		all = append(all, compiled(p)...)
	}
	return all
}

// broken are answers that are well formed and break a rule of the contract.
func broken(p place) (all []row) {
	add := func(failure, says string, code int, answer proto.Message) {
		c := canned{live: p == atNext, where: p, answers: map[pb.Method]proto.Message{p.method: answer}}
		all = append(all, row{failure: failure, place: p, guest: &c, kind: "malformed", says: says, code: code})
	}
	switch p {
	case atDescribe:
		other := description()
		other.Version = "2.0.0"
		add("another version than the manifest's", "version is 1.0.0 in the manifest and 2.0.0 in the description", 0, other)
		all = append(all, row{failure: "endless loop in _initialize", place: p, kind: "timeout", says: "limit of 300ms of CPU time",
			guest: &canned{init: true, fail: g.Code(g.Forever(), g.Unreachable())}})
	case atOpen:
		add("nothing about the workload", "workload is missing", 0, &pb.OpenResponse{})
		add("defaults that are no JSON object", "workload.defaults.params is no JSON object", 0,
			&pb.OpenResponse{Workload: &pb.WorkloadInfo{Defaults: &pb.Defaults{Params: []byte("[]")}}})
		add("faults of the configuration", "/color: is no color (bad-color); expected: red", 0, &pb.OpenResponse{Faults: []*pb.Fault{
			{Pointer: "/color", Code: "bad-color", Message: "is no color", Expected: "red"}}})
	case atInputs:
		add("a step that does not go on", "its cursor does not go on", 0, &pb.CheckInputsResponse{})
		add("faults of the input", "the line is empty (empty-line)", 0, &pb.CheckInputsResponse{Done: true, Faults: []*pb.Fault{
			{Input: "text", Line: 3, Code: "empty-line", Message: "the line is empty"}}})
	case atPlan:
		all = append(all, brokenPlans(p)...)
	case atNext:
		add("neither turns nor an end", "neither turns nor an end", 0, &pb.NextResponse{State: []byte(bad)})
		add("a turn that is there already", "have the same index 0", 0, &pb.NextResponse{State: []byte(bad), Turns: []*pb.Turn{turn(0, bad)}})
		add("a turn that waits for one that is not there", "it waits for turn 9", 0, &pb.NextResponse{State: []byte(bad), Turns: []*pb.Turn{edited(func(t *pb.Turn) {
			t.After = &pb.After{Turns: []uint32{9}}
		})}})
		add("a state that is too large", "262144 are allowed", 0, &pb.NextResponse{State: make([]byte, 256<<10+1)})
	case atCheck:
		finding := func(f *pb.Finding) proto.Message {
			return &pb.CheckResponse{Findings: []*pb.Finding{f}, Account: []byte("a")}
		}
		info := pb.Finding_SEVERITY_INFO
		add("a finding about another unit", "not in the batch", 0, finding(&pb.Finding{Severity: info, Code: "odd", Trajectory: "good-9"}))
		add("a finding of unknown severity", "findings[0].severity", 0, finding(&pb.Finding{Severity: 9, Code: "odd"}))
		add("a finding whose detail is no JSON", "findings[0].detail is no JSON", 0, finding(&pb.Finding{Severity: info, Code: "odd", Detail: []byte("{")}))
	case atScore:
		item := func(i *pb.ItemScore) proto.Message {
			return &pb.ScoreResponse{Items: []*pb.ItemScore{i}, Account: []byte("a")}
		}
		nine := uint32(9)
		add("a score of another unit", "not in the batch", 0, item(&pb.ItemScore{Trajectory: "good-9", Scored: true}))
		add("a score of a turn that is not there", "turn 9, which is not in the batch", 0, item(&pb.ItemScore{Trajectory: bad, Turn: &nine}))
		add("a score whose detail is no JSON", "items[0].detail is no JSON", 0, item(&pb.ItemScore{Trajectory: bad, Detail: []byte("{")}))
	}
	return all
}

// brokenPlans are trajectories that are none, and those that this runner does not play: they are refused before anything is
// sent.
func brokenPlans(p place) (all []row) {
	add := func(failure, says string, code int, edit func(*pb.Trajectory)) {
		t := planned(1, false)
		edit(t)
		c := canned{where: p, answers: map[pb.Method]proto.Message{p.method: &pb.PlanResponse{Trajectory: t}}}
		all = append(all, row{failure: failure, place: p, guest: &c, kind: "malformed", says: says, code: code})
	}
	const refused = 3
	add("two turns of the same index", "turns 0 and 1 of its list have the same index 0", 0, func(t *pb.Trajectory) { t.Turns[1].Index = 0 })
	add("no turns", "it has no turns", 0, func(t *pb.Trajectory) { t.Turns = nil })
	add("no id", "its id is empty", 0, func(t *pb.Trajectory) { t.Id = "" })
	add("a message that is no JSON", "it is no chat message", 0, func(t *pb.Trajectory) { t.Turns[0].Append[0].Body = &pb.Message_Json{Json: []byte("{")} })
	add("labels out of order", "its labels are not sorted by key", 0, func(t *pb.Trajectory) { t.Labels = []*pb.Label{{Key: "b"}, {Key: "a"}} })
	add("turns that wait for each other", "2 turns wait for each other", 0, func(t *pb.Trajectory) { t.Turns[0].After = &pb.After{Turns: []uint32{1}} })
	add("a fork of nothing that is there", "it forks from turn 9", 0, func(t *pb.Trajectory) {
		nine := uint32(9)
		t.Turns[1].Branch, t.Turns[1].ForkOf = 1, &nine
	})
	add("a parameter that the runner owns", "stream", refused, func(t *pb.Trajectory) { t.Turns[1].Params = []byte(`{"stream":false}`) })
	return all
}

func edited(edit func(*pb.Turn)) *pb.Turn {
	t := turn(1, bad)
	edit(t)
	return t
}

// compiled are failures of a guest of the Go SDK.
func compiled(p place) (all []row) {
	at := map[place]struct{ component, call, only string }{
		atOpen: {"workload.config", "open", ""}, atPlan: {"workload.config", "plan", bad}, atNext: {"workload.config", "next", bad},
		atScore: {"scorers." + pluginName + "/score", "score", bad}, atFold: {"scorers." + pluginName + "/score", "fold", ""},
		atConclude: {"scorers." + pluginName + "/score", "conclude", ""},
	}
	where, ok := at[p]
	if !ok {
		return nil
	}
	add := func(failure, how, kind, says string, more ...string) {
		settings := []string{where.component + ".at=" + where.call, where.component + ".how=" + how, where.component + ".only=" + where.only}
		if p == atNext {
			settings = append(settings, "workload.config.live=true")
		}
		settings = append(settings, more...)
		all = append(all, row{failure: "Go: " + failure, place: p, settings: settings, kind: kind, says: says})
	}
	if p == atOpen || p == atPlan || p == atScore {
		add("access outside of the memory", "trap", "trap", "out of bounds memory access")
		add("exit with code 0", "exit 0", "exit", "(code 0)")
		add("exit with code 3", "exit 3", "exit", "(code 3)")
		add("endless loop", "loop", "timeout", "CPU time")
		add("deep recursion", "recursion", "memory", "memory limit of 256 MiB", patient...)
		add("memory growth", "memory", "memory", "memory limit of 256 MiB")
		add("log flood", "flood", "", "")
		add("oversized reply", "oversized", "oversized_reply", "67108864 bytes are allowed")
		add("the plugin's own error", "status", "status", "status 13: no")
	}
	add("panic", "panic", "trap", "panic: it is broken")
	switch p {
	case atPlan:
		each := where.component + ".only=" // whichever is planned first
		add("plans that fail unless they are an instance's first", "once", "once", "", each)
		add("plans that depend on earlier calls", "unsteady", "unsteady", "is not deterministic: trajectory ", each)
	case atNext:
		add("a step that depends on earlier calls", "unsteady", "unsteady", "is not deterministic: the step after turn 0 of trajectory ")
	case atScore:
		add("an account that is too large", "big account", "malformed", "1048576 are allowed")
	case atFold:
		add("an account that is too large", "big account", "malformed", "1048576 are allowed")
	}
	return all
}
