// Command faulty is a plugin that fails where and how its configuration says. It is what a Go guest does; the guests that the
// tests assemble do the rest.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"paceline/sdk"
)

var plugin = sdk.Plugin{Name: "faulty", Version: "1.0.0", Components: []sdk.Component{
	{Name: "work", Workload: func(o *sdk.Opening) (sdk.Workload, error) {
		f, err := open(o)
		if err != nil {
			return nil, err
		}
		if f.Live {
			return &agent{work{fault: f}}, nil
		}
		return &work{fault: f}, nil
	}},
	{Name: "check", Unit: sdk.UnitConversation, Validator: func(o *sdk.Opening) (sdk.Validator, error) {
		f, err := open(o)
		return check{judge{f}}, err
	}},
	{Name: "score", Unit: sdk.UnitConversation, Scorer: func(o *sdk.Opening) (sdk.Scorer, error) {
		f, err := open(o)
		return score{judge{f}}, err
	}},
}}

func init() { sdk.Serve(&plugin) }

func main() {}

// fault is the configuration.
type fault struct {
	At   string // the call that fails
	How  string
	Only string // the trajectory that it fails for; empty: always
	Live bool

	log sdk.Logger
}

func open(o *sdk.Opening) (fault, error) {
	f := fault{log: o.Log}
	if len(o.Config) > 0 {
		if err := json.Unmarshal(o.Config, &f); err != nil {
			return f, err
		}
	}
	if f.At == "open" && f.How == "oversized" {
		o.Prepare = make([]byte, tooMuch)
	}
	return f, f.meet("open", f.Only)
}

// tooMuch is more than a reply may have.
const tooMuch = 65 << 20

// is reports whether this is the call that is to fail in this way.
func (f *fault) is(at, id, how string) bool {
	return f.At == at && f.How == how && (f.Only == "" || f.Only == id)
}

// meet fails in the ways that need nothing of the reply.
func (f *fault) meet(at, id string) error {
	if !f.is(at, id, f.How) {
		return nil
	}
	switch f.How {
	case "trap":
		*(*byte)(unsafe.Add(unsafe.Pointer(&sink), 0xf0000000)) = 1 // beyond the memory
	case "panic":
		panic("it is broken")
	case "exit 0":
		os.Exit(0)
	case "exit 3":
		os.Exit(3)
	case "loop":
		for i := 0; ; i++ {
			sink = i
		}
	case "recursion":
		sink = deep(1)
	case "memory":
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "flood":
		line := strings.Repeat("x", 1000)
		for range 3000 {
			f.log.Infof("%s", line)
		}
	case "status":
		return sdk.Errorf(sdk.CodeInternal, "no")
	}
	return nil
}

// sink and kept keep the compiler from leaving work out.
var (
	sink int
	kept [][]byte
)

func deep(n int) int {
	var room [128]byte
	room[n%128] = byte(n)
	return deep(n+1) + int(room[n%64])
}

// work plans three trajectories of two turns.
type work struct {
	fault
	calls int
}

func (w *work) Info() sdk.WorkloadInfo { return sdk.WorkloadInfo{Trajectories: 3, Fixed: true} }

// CheckInputs has no input to check.
func (w *work) CheckInputs([]byte, uint32) (*sdk.CheckInputsResponse, error) {
	return &sdk.CheckInputsResponse{Done: true, Items: 3}, w.meet("check-inputs", "")
}

func (w *work) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	id := []string{"good-0", "bad!", "good-2"}[index]
	if err := w.meet("plan", id); err != nil {
		return nil, err
	}
	t := &sdk.Trajectory{Id: id, Turns: []sdk.Turn{turn(0, id), turn(1, id)}, State: []byte(id)}
	if w.Live {
		t.Turns = t.Turns[:1]
	}
	switch w.calls++; {
	case w.is("plan", id, "unsteady"):
		t.Domain = fmt.Sprint("call-", w.calls)
	case w.is("plan", id, "oversized"):
		t.Truth = []byte(`"` + strings.Repeat("x", tooMuch) + `"`)
	case w.is("plan", id, "once") && w.calls > 1:
		panic("not a second time")
	}
	return t, nil
}

func turn(index uint32, text string) sdk.Turn {
	return sdk.Turn{Index: index, MaxTokens: 4, Append: []sdk.Message{{Json: []byte(`{"role":"user","content":"` + text + `"}`)}}}
}

// agent is work whose second turn comes from Next.
type agent struct{ work }

func (a *agent) Info() sdk.WorkloadInfo {
	info := a.work.Info()
	info.Live = true
	return info
}

func (a *agent) Next(state []byte, turns uint32, _ *sdk.Answer) (*sdk.NextResponse, error) {
	id := string(state)
	if err := a.meet("next", id); err != nil {
		return nil, err
	}
	if turns > 0 {
		return &sdk.NextResponse{State: state, End: &sdk.End{Outcome: "solved"}}, nil
	}
	next := turn(1, id)
	if a.calls++; a.is("next", id, "unsteady") {
		next.DelayNs = uint64(a.calls)
	}
	return &sdk.NextResponse{State: state, Turns: []sdk.Turn{next}}, nil
}

// judge is what both judges share.
type judge struct{ fault }

func (j *judge) account(at string, samples []sdk.Sample) ([]byte, error) {
	for i := range samples {
		id := samples[i].Trajectory
		switch {
		case j.is(at, id, "oversized"):
			return make([]byte, tooMuch), nil
		case j.is(at, id, "big account"):
			return make([]byte, 1<<20+1), nil
		}
		if err := j.meet(at, id); err != nil {
			return nil, err
		}
	}
	return []byte("a"), nil
}

func (j judge) Fold(_, batch []byte) ([]byte, error) {
	if j.is("fold", "", "big account") {
		return make([]byte, 1<<20+1), nil
	}
	return batch, j.meet("fold", "")
}

type check struct{ judge }

func (c check) Preflight([]sdk.Fact, []byte) ([]sdk.Finding, error) {
	return nil, c.meet("preflight", "")
}

func (c check) Check(samples []sdk.Sample) ([]sdk.Finding, []byte, error) {
	account, err := c.account("check", samples)
	return nil, account, err
}

func (c check) Conclude(*sdk.ConcludeRequest) (*sdk.ConcludeCheckResponse, error) {
	return &sdk.ConcludeCheckResponse{Passed: true}, c.meet("conclude", "")
}

type score struct{ judge }

func (s score) Score(samples []sdk.Sample) ([]sdk.ItemScore, []byte, error) {
	account, err := s.account("score", samples)
	var items []sdk.ItemScore
	for i := range samples {
		items = append(items, sdk.ItemScore{Trajectory: samples[i].Trajectory, Turn: &samples[i].Turn, Scored: true, Micro: 1_000_000})
	}
	return items, account, err
}

func (s score) Conclude(*sdk.ConcludeRequest) (*sdk.ConcludeScoreResponse, error) {
	return &sdk.ConcludeScoreResponse{Score: &sdk.Value{Name: "right", Micro: 1_000_000}, HigherIsBetter: true, Passed: true, Complete: true, Scored: 6},
		s.meet("conclude", "")
}
