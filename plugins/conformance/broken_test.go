package conformance

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	g "paceline/plugins/guesttest"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// brokenGuest is a guest that breaks one rule, and the check that must find it first.
type brokenGuest struct {
	name  string
	guest canned
	finds string // component/check
	says  string // a part of what it tells
}

// later lets a guest fail from the nth call of one instance on.
func later(n int32, c canned) canned {
	c.from = n
	return c
}

func fails(where place, only string, code []byte) canned {
	where.only = only
	return canned{strict: true, where: where, fail: code}
}

func answers(where place, only string, m proto.Message) canned {
	where.only = only
	return canned{strict: true, where: where, answers: map[pb.Method]proto.Message{where.method: m}}
}

func tells(c canned, edit func(*pb.DescribeResponse)) canned {
	c.tells = edit
	return c
}

func lives(c canned) canned {
	c.live = true
	return c
}

// wants makes the judges ask for answers.
func wants(d *pb.DescribeResponse) {
	for _, c := range d.GetComponents()[1:] {
		c.Needs = []pb.Need{pb.Need_NEED_ANSWER}
	}
}

func brokenGuests() []brokenGuest {
	trap, hang := g.Unreachable(), g.Code(g.Forever(), g.Unreachable())
	remark := &pb.Finding{Severity: pb.Finding_SEVERITY_INFO, Code: "odd"}
	return append(brokenWorkloads(), []brokenGuest{
		{"a description that is not the manifest's", tells(canned{strict: true}, func(d *pb.DescribeResponse) { d.Version = "2.0.0" }), "/describe", "2.0.0 in the description"},
		{"a description that traps", fails(atDescribe, "", trap), "/describe", "trapped"},
		{"a description that hangs", fails(atDescribe, "", hang), "/describe", "CPU time"},
		{"a description that minds fields of the future", fails(atDescribe, "from", trap), "/describe-again", "fields of the future"},
		{"opening what is not there", canned{}, "/unknown-component", "a refusal"},
		{"an Open that traps", fails(atOpen, "work", trap), "work/open", "trapped"},
		{"an Open that minds fields of the future", fails(atOpen, "from", trap), "work/open-again", "trapped"},
		{"a schema that is none", tells(canned{strict: true}, func(d *pb.DescribeResponse) { d.Components[0].ConfigSchema = []byte(`[]`) }), "work/configuration-schema", "JSON Schema"},
		{"a schema that is not kept", tells(canned{strict: true}, func(d *pb.DescribeResponse) {
			d.Components[0].ConfigSchema = []byte(`{"type":"object","additionalProperties":false,"properties":{}}`)
		}), "work/bad-configuration", "expected faults"},
		{"a log flood", fails(atOpen, "work", g.Call(flood)), "work/log", "above it"},
		{"methods of other kinds", canned{strict: true, where: place{method: pb.Method_METHOD_COUNT}, fail: trap}, "work/other-methods", "UNIMPLEMENTED"},

		{"a finding about a stranger", answers(atCheck, "", &pb.CheckResponse{Findings: []*pb.Finding{{Severity: 1, Code: "odd", Trajectory: "nobody"}}}), "check/batch", "nobody"},
		{"a finding whose detail is no JSON", answers(atCheck, "", &pb.CheckResponse{Findings: []*pb.Finding{{Severity: 1, Code: "odd", Detail: []byte("{")}}}), "check/batch", "no JSON"},
		{"items that depend on the batch", answers(atCheck, "", &pb.CheckResponse{Findings: []*pb.Finding{remark}}), "check/batch-sizes", "in batches of 1 units"},
		{"a batch that is answered before it is whole", tells(canned{strict: true}, wants), "check/batch-messages", "before the batch was whole"},
		{"a conclusion that needs samples", fails(atVerdict, "", when(isByte(0, 0x12), trap)), "check/no-samples", "trapped"},
		{"a trap at cut UTF-8", tells(fails(atScore, "caf\xc3", trap), func(d *pb.DescribeResponse) { d.Components[2].Needs = []pb.Need{pb.Need_NEED_ANSWER} }), "score/batch-messages", "before"},
		{"a trap at a foreign account", fails(atFold, "\x00\x00\x00\x00", trap), "score/foreign-account", "an account of 1 MiB"},
		{"a preflight that traps at HTML", tells(fails(atPref, "<htm", trap), func(d *pb.DescribeResponse) {
			d.Components[1].Probes = []*pb.Probe{{Id: "check.v", When: pb.Probe_WHEN_BEFORE, GetPath: "/version"}}
		}), "check/preflight", "<html>"},
	}...)
}

func brokenWorkloads() []brokenGuest {
	trap := g.Unreachable()
	short := &pb.PlanResponse{Trajectory: planned(0, false)}
	noTurns := &pb.PlanResponse{Trajectory: &pb.Trajectory{Id: "x"}}
	return []brokenGuest{
		{"a plan that traps", fails(atPlan, "", trap), "work/plan", "trapped"},
		{"a plan without turns", answers(atPlan, "", noTurns), "work/plan", "no turns"},
		{"two trajectories of one id", answers(atPlan, "\x08\x01\x1a\x20", short), "work/plan", "unique"},
		{"a plan that takes all memory", fails(atPlan, "", g.Code(g.Forever(g.Const(64), g.MemoryGrow(), g.Const(-1), g.Eq(), g.If(trap)))), "work/plan", "memory limit"},
		{"plans that depend on earlier calls", later(5, answers(atPlans, "", short)), "work/plan-again", "the same trajectory"},
		{"plans that fail after some calls", later(5, fails(atPlans, "", trap)), "work/plan-again", "at the first try"},
		{"a plan for every index", canned{strict: true, where: atPlans, fail: when(isByte(1, 3), g.Code(g.Const64(g.ReplyAt<<32|1), g.Return()))}, "work/plan-out-of-range", "a status"},
		{"a plan that minds fields of the future", fails(atPlan, "from", trap), "work/unknown-fields", "trapped"},
		{"a plan that only the compiler can make", fails(atPlans, "", g.Code(g.Const(20000), g.Call(spend+depth))), "work/interpreter", "trapped"},
		{"a step that ends nothing", lives(answers(atNext, "", &pb.NextResponse{State: []byte("good")})), "work/next", "neither"},
		{"a state that is too large", lives(answers(atNext, "", &pb.NextResponse{State: make([]byte, 256<<10+1)})), "work/next", "262144 are allowed"},
		{"steps that depend on earlier calls", lives(later(5, answers(atNext, "", &pb.NextResponse{State: []byte("over"), End: &pb.End{Outcome: "tired"}}))), "work/next-again", "the same step"},
		{"a step that traps at cut UTF-8", lives(fails(atNext, "caf\xc3", trap)), "work/next-hostile-answers", "cut UTF-8"},
		{"a step that traps at a foreign state", lives(fails(atNext, "\xff\xfe\x00\x01", trap)), "work/next-state", "no meaning"},
	}
}

// smallLimits are for guests that hang.
var smallLimits = lock.Limits{Open: time.Second, Plan: 500 * time.Millisecond, Next: 500 * time.Millisecond, Batch: 500 * time.Millisecond, Memory: 64 << 20}

// TestBrokenGuests: each broken rule is found by the check that is there for it, and every check after it still says something.
func TestBrokenGuests(t *testing.T) {
	whole(t)
	for _, b := range brokenGuests() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			r := hold(t, Options{Name: "test/broken", Load: wasm("test/broken", b.guest.module(t)), Host: host.Options{NoCache: true}, Limits: smallLimits})
			for _, one := range r.Results {
				if one.State != Failed {
					continue
				}
				if got := one.Component + "/" + one.Check; got != b.finds {
					t.Errorf("%s failed first, want %s", got, b.finds)
				}
				if !strings.Contains(one.Text, b.says) {
					t.Errorf("it says %q, which lacks %q", one.Text, b.says)
				}
				return
			}
			t.Errorf("no check failed, want %s", b.finds)
		})
	}
}

// TestGoodGuest passes every check that applies to it, so that what the broken ones fail at is what they break.
func TestGoodGuest(t *testing.T) {
	whole(t)
	for name, live := range map[string]bool{"planned": false, "live": true} {
		t.Run(name, func(t *testing.T) {
			c := canned{strict: true, live: live}
			r := hold(t, Options{Name: "test/good", Load: wasm("test/good", c.module(t)), Host: host.Options{NoCache: true}, Limits: smallLimits})
			if n := r.Count(Failed); n > 0 || r.Count(OK) < 30 {
				t.Errorf("%d checks failed, %d were ok", n, r.Count(OK))
			}
		})
	}
}
