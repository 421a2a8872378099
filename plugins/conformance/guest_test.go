package conformance

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	g "paceline/plugins/guesttest"
	pb "paceline/schemas/gen/pluginv1"
)

// A canned guest is assembled, not compiled: each method has one answer, or the answer is chosen by a few bytes of the
// request. At one place it fails. It has a workload of three trajectories of two turns, a validator and a scorer.

// canned says how a canned guest differs from the good one.
type canned struct {
	live    bool
	fail    []byte                      // code that fails; nil: the guest answers as answers says
	where   place                       // of the failure
	answers map[pb.Method]proto.Message // in place of the good ones, where the place is
	init    bool                        // fail in the start function instead
	strict  bool                        // refuse what no run asks for, as the test kit does
	tells   func(*pb.DescribeResponse)  // edits what it says of itself
	from    int32                       // fail from so many calls of one instance on; 0: always
}

// place is a method, and what the request holds where it fails; 4 bytes, or empty: always.
type place struct {
	name   string
	method pb.Method
	only   string
}

// bad is the id of the trajectory that those places mean that fail for one unit only. It has 4 bytes.
const bad = "bad!"

// trajectories of the workload, in order.
var trajectories = []string{"good-0", bad, "good-2"}

// Numbers of imports and, behind alloc, free and invoke, of further functions.
const (
	callLog  = 0
	callExit = 1
	contains = 5
	recurse  = 6
	flood    = 7
	spend    = 8
	depth    = 60 // functions from spend on; deepen stands behind them
)

func wasmImports() []g.Import {
	return []g.Import{
		{Module: "paceline_v1", Name: "log", Params: g.I32 + g.I32 + g.I32},
		{Module: "wasi_snapshot_preview1", Name: "proc_exit", Params: g.I32},
	}
}

func wasmFuncs() []g.Func {
	lessU := []byte{0x49}
	funcs := []g.Func{
		{ // contains(ptr, len, word): are the 4 bytes of word in there?
			Params: g.I32 + g.I32 + g.I32, Results: g.I32,
			Body: g.Code(g.Forever(
				g.Get(1), g.Const(4), lessU, g.If(g.Const(0), g.Return()),
				g.Get(0), g.Load32(), g.Get(2), g.Eq(), g.If(g.Const(1), g.Return()),
				g.Get(0), g.Const(1), g.Add(), g.Set(0), g.Get(1), g.Const(1), g.Sub(), g.Set(1),
			), g.Unreachable()),
		},
		{Body: g.Call(recurse)},
		{ // flood logs 3,000 lines of 1,000 bytes
			Locals: g.I32,
			Body: g.Code(g.Forever(
				g.Get(0), g.Const(3000), g.Eq(), g.If(g.Return()),
				g.Const(1), g.Const(linesAt), g.Const(1000), g.Call(callLog),
				g.Get(0), g.Const(1), g.Add(), g.Set(0),
			)),
		},
	}
	// From spend on, each function calls the next one twice: 2^60 calls and no loop.
	for k := range depth {
		f := g.Func{}
		if k < depth-1 {
			f.Body = g.Code(g.Call(spend+k+1), g.Call(spend+k+1))
		}
		funcs = append(funcs, f)
	}
	// deepen(n) calls itself n times, which the compiled code can and the interpreter cannot.
	deepen := g.Func{Params: g.I32, Body: g.Code(g.Get(0), g.Eqz(), g.If(g.Return()), g.Get(0), g.Const(1), g.Sub(), g.Call(spend+depth))}
	return append(funcs, deepen)
}

// Where things lie in the memory of a canned guest.
const (
	linesAt   = 512 << 10 // a line to be logged
	scratchAt = 600 << 10 // malformed replies
)

// word is 4 bytes as the guest compares them.
func word(s string) int32 { return int32(binary.LittleEndian.Uint32([]byte(s))) }

// builder lays out a canned guest's replies.
type builder struct {
	t    *testing.T
	data []g.Data
	next int32
}

// reply puts a message into the memory and gives the code that returns it.
func (b *builder) reply(m proto.Message) []byte {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.bytes(append([]byte{0}, raw...))
}

func (b *builder) bytes(reply []byte) []byte {
	at := b.next
	b.data = append(b.data, g.Data{At: at, Bytes: reply})
	if b.next += int32(len(reply)); b.next > linesAt {
		b.t.Fatal("the replies of a canned guest are too long")
	}
	return g.Code(g.Const64(int64(at)<<32|int64(len(reply))), g.Return())
}

// status gives the code that returns a status.
func (b *builder) status(code byte) []byte { return b.bytes([]byte{1, code, 'n', 'o'}) }

// strictness is what a careful plugin refuses: components and trajectories that there are not, and methods of other kinds. The
// global 1 holds which component is open.
func (b *builder) strictness(live bool) []byte {
	const openOne = 1
	opens := func(text string, number int32) []byte { return when(has(text), g.Const(number), g.SetGlobal(openOne)) }
	other := func(number int32, methods ...pb.Method) (code []byte) {
		for _, m := range methods {
			code = g.Code(code, when(isMethod(m), g.GetGlobal(openOne), g.Const(number), g.Eq(), g.Eqz(), g.If(b.status(12))))
		}
		return code
	}
	return g.Code(
		when(isMethod(pb.Method_METHOD_OPEN), opens("work", 1), opens("chec", 2), opens("scor", 3),
			g.GetGlobal(openOne), g.Eqz(), g.If(b.status(5))),
		other(1, pb.Method_METHOD_PLAN, pb.Method_METHOD_NEXT),
		other(2, pb.Method_METHOD_PREFLIGHT, pb.Method_METHOD_CHECK, pb.Method_METHOD_FOLD_CHECK, pb.Method_METHOD_CONCLUDE_CHECK),
		other(3, pb.Method_METHOD_SCORE, pb.Method_METHOD_FOLD_SCORE, pb.Method_METHOD_CONCLUDE_SCORE),
		when(isMethod(pb.Method_METHOD_COUNT), b.status(12)),
		// A request for a later pass over index 0 begins with the repeat.
		when(isMethod(pb.Method_METHOD_PLAN),
			when(isByte(0, 0x10), b.reply(&pb.PlanResponse{Trajectory: planned(0, live)})),
			when(isByte(0, 0x08), g.Get(1), g.Const(1), g.Add(), g.Load8(), g.Const(2), g.GtU(), g.If(b.status(11)))),
	)
}

// when runs code where the value on the stack, made by condition, is not 0.
func when(condition []byte, code ...[]byte) []byte { return g.Code(condition, g.If(code...)) }

func isMethod(m pb.Method) []byte { return g.Code(g.Get(0), g.Const(int32(m)), g.Eq()) }

func isByte(offset, value int32) []byte {
	return g.Code(g.Get(1), g.Const(offset), g.Add(), g.Load8(), g.Const(value), g.Eq())
}

func has(text string) []byte {
	return g.Code(g.Get(1), g.Get(2), g.Const(word(text)), g.Call(contains))
}

// file assembles the guest into a file of the test.
func (c *canned) file(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "canned.wasm")
	if err := os.WriteFile(name, c.module(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (c *canned) module(t *testing.T) []byte {
	b := &builder{t: t, next: g.ReplyAt}
	var invoke []byte
	add := func(code ...[]byte) { invoke = append(invoke, g.Code(code...)...) }
	failure := c.fail
	if m := c.answers[c.where.method]; m != nil {
		failure = b.reply(m)
	}
	if c.from > 0 {
		failure = g.Code(g.GetGlobal(0), g.Const(1), g.Add(), g.SetGlobal(0), g.GetGlobal(0), g.Const(c.from-1), g.GtU(), g.If(failure))
	}
	if failure != nil && !c.init {
		if c.where.only != "" {
			failure = when(has(c.where.only), failure)
		}
		add(when(isMethod(c.where.method), failure))
	}
	told := description()
	if c.tells != nil {
		c.tells(told)
	}
	add(when(isMethod(pb.Method_METHOD_DESCRIBE), b.reply(told)))
	if c.strict {
		add(b.strictness(c.live))
	}
	add(when(isMethod(pb.Method_METHOD_OPEN), b.reply(&pb.OpenResponse{Workload: &pb.WorkloadInfo{Trajectories: 3, Fixed: true, Live: c.live}})))
	add(when(isMethod(pb.Method_METHOD_CHECK_INPUTS), b.reply(&pb.CheckInputsResponse{Done: true, Items: 3})))
	// A request for index 0 begins with its seed, another one with the index.
	add(when(isMethod(pb.Method_METHOD_PLAN),
		when(isByte(0, 0x1a), b.reply(&pb.PlanResponse{Trajectory: planned(0, c.live)})),
		when(isByte(1, 1), b.reply(&pb.PlanResponse{Trajectory: planned(1, c.live)})),
		b.reply(&pb.PlanResponse{Trajectory: planned(2, c.live)})))
	// A state has 4 bytes, and the number of the turn stands behind it unless it is 0.
	add(when(isMethod(pb.Method_METHOD_NEXT),
		when(isByte(6, 0x10), b.reply(&pb.NextResponse{State: []byte("over"), End: &pb.End{Outcome: "solved"}})),
		when(has(bad), b.reply(&pb.NextResponse{State: []byte(bad), Turns: []*pb.Turn{turn(1, bad)}})),
		b.reply(&pb.NextResponse{State: []byte("good"), Turns: []*pb.Turn{turn(1, "good")}})))
	add(when(isMethod(pb.Method_METHOD_CHECK), b.reply(&pb.CheckResponse{Account: []byte("a")})))
	add(when(isMethod(pb.Method_METHOD_SCORE), b.reply(&pb.ScoreResponse{Account: []byte("a")})))
	add(when(isMethod(pb.Method_METHOD_FOLD_CHECK), b.reply(&pb.FoldResponse{Account: []byte("a")})))
	add(when(isMethod(pb.Method_METHOD_FOLD_SCORE), b.reply(&pb.FoldResponse{Account: []byte("a")})))
	add(when(isMethod(pb.Method_METHOD_CONCLUDE_CHECK), b.reply(&pb.ConcludeCheckResponse{Passed: true})))
	add(when(isMethod(pb.Method_METHOD_CONCLUDE_SCORE), b.reply(&pb.ConcludeScoreResponse{
		Score: &pb.Value{Name: "right", Micro: 1_000_000}, HigherIsBetter: true, Passed: true, Complete: true, Scored: 3})))
	add(b.reply(&pb.PreflightResponse{}))
	add(g.Unreachable())
	b.data = append(b.data, g.Data{At: linesAt, Bytes: bytes.Repeat([]byte("x"), 1000)})
	guest := g.Guest{Imports: wasmImports(), Funcs: wasmFuncs(), Globals: []int32{0, 0}, Invoke: invoke, Data: b.data, Manifest: manifest}
	if c.init {
		guest.Funcs = append([]g.Func{}, guest.Funcs...)
		guest.Mutate = func(m *g.Module) {
			m.Funcs = append(m.Funcs, g.Func{Export: "_initialize", Body: c.fail})
		}
	}
	return guest.Bytes()
}

const manifest = `{"schema":"paceline/manifest/v1","name":"faulty","version":"1.0.0","contract":1,"license":"Apache-2.0","components":[` +
	`{"kind":"workload","name":"work","purity":"wasi_deterministic"},` +
	`{"kind":"validator","name":"check","purity":"wasi_deterministic"},` +
	`{"kind":"scorer","name":"score","purity":"wasi_deterministic"}]}`

func description() *pb.DescribeResponse {
	component := func(kind pb.Kind, name string) *pb.Component {
		return &pb.Component{Kind: kind, Name: name, Purity: pb.Purity_PURITY_WASI_DETERMINISTIC, Unit: pb.Unit_UNIT_CONVERSATION}
	}
	return &pb.DescribeResponse{Name: "faulty", Version: "1.0.0", ContractVersion: 1, Components: []*pb.Component{
		component(pb.Kind_KIND_WORKLOAD, "work"), component(pb.Kind_KIND_VALIDATOR, "check"), component(pb.Kind_KIND_SCORER, "score"),
	}}
}

// planned is a trajectory of two turns; of a live workload the second one comes from Next.
func planned(index int, live bool) *pb.Trajectory {
	id := trajectories[index]
	t := &pb.Trajectory{Id: id, Turns: []*pb.Turn{turn(0, id)}}
	if live {
		t.State = []byte(id[:4])
	} else {
		t.Turns = append(t.Turns, turn(1, id))
	}
	return t
}

func turn(index uint32, text string) *pb.Turn {
	return &pb.Turn{Index: index, MaxTokens: 4, Append: []*pb.Message{{Body: &pb.Message_Json{Json: []byte(`{"role":"user","content":"` + text + `"}`)}}},
		Recorded: &pb.Message{Body: &pb.Message_Json{Json: []byte(`{"role":"assistant","content":"so"}`)}}}
}
