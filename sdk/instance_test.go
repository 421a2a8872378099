package sdk_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/contract"
	"paceline/sdk/sdktest"
)

// judge is a validator and a scorer that tells how many samples it saw, and a counter that counts turns.
type judge struct{}

func (judge) Check(samples []sdk.Sample) ([]sdk.Finding, []byte, error) {
	return []sdk.Finding{{Code: fmt.Sprintf("%d-samples", len(samples))}}, []byte{byte(len(samples))}, nil
}

func (judge) Fold(account, batch []byte) ([]byte, error) {
	return append(account, batch...), nil
}

func (judge) Conclude(r *sdk.ConcludeRequest) (*sdk.ConcludeCheckResponse, error) {
	if len(r.Account) == 0 {
		return nil, nil
	}
	return &sdk.ConcludeCheckResponse{Passed: true, Reason: fmt.Sprint(r.Account)}, nil
}

func (judge) Preflight(facts []sdk.Fact, _ []byte) ([]sdk.Finding, error) {
	if len(facts) == 0 {
		panic("no facts")
	}
	return nil, sdk.Errorf(sdk.CodeUnavailable, "fact %s: %w", facts[0].Probe, io.ErrNoProgress)
}

func (judge) Count(samples []sdk.Sample) ([]sdk.TokenCount, error) {
	return make([]sdk.TokenCount, len(samples)/2), nil
}

// live is a workload with one turn a letter of its state.
type live struct{ log sdk.Logger }

func (live) Info() sdk.WorkloadInfo { return sdk.WorkloadInfo{Live: true} }

func (live) Plan(index uint64, repeat uint32, seed []byte) (*sdk.Trajectory, error) {
	if index == 9 {
		return nil, nil
	}
	return &sdk.Trajectory{Id: fmt.Sprintf("%d-%d-%x", index, repeat, seed), State: []byte("ab")}, nil
}

func (l live) Next(state []byte, turn uint32, answer *sdk.Answer) (*sdk.NextResponse, error) {
	l.log.Infof("turn %d: %s", turn, answer.Outcome)
	if len(state) == 0 {
		return &sdk.NextResponse{End: &sdk.End{Outcome: "solved"}}, nil
	}
	return &sdk.NextResponse{State: state[1:], Turns: []sdk.Turn{{Index: turn + 1}}}, nil
}

func (live) CheckInputs(cursor []byte, _ uint32) (*sdk.CheckInputsResponse, error) {
	if len(cursor) == 2 {
		return &sdk.CheckInputsResponse{Done: true, Items: 3}, nil
	}
	return &sdk.CheckInputsResponse{Cursor: append(cursor, 'x'), Faults: []sdk.Fault{{Code: "odd"}}}, nil
}

var plugin = sdk.Plugin{Name: "all", Version: "1.2.3", Components: []sdk.Component{
	{Name: "live", Workload: func(o *sdk.Opening) (sdk.Workload, error) {
		o.Prepare, o.Losses = append(o.Prepared, 'p'), []string{"colour"}
		return live{o.Log}, nil
	}},
	{Name: "judge", Validator: func(*sdk.Opening) (sdk.Validator, error) { return judge{}, nil }},
	{Name: "count", Counter: func(*sdk.Opening) (sdk.Counter, error) { return judge{}, nil }},
	{Name: "broken", Scorer: func(*sdk.Opening) (sdk.Scorer, error) { return nil, nil }},
	{Name: "faulty", Scorer: func(*sdk.Opening) (sdk.Scorer, error) {
		return nil, fmt.Errorf("read configuration: %w", sdk.Faults{{Code: "a", Pointer: "/x", Message: "wrong"}, {Code: "b"}})
	}},
}}

func TestLiveWorkload(t *testing.T) {
	c := sdktest.Open(t, &plugin, "live", sdktest.Options{Prepared: []byte("q")})
	if string(c.Opened.Prepared) != "qp" || len(c.Opened.Losses) != 1 || !c.Opened.Workload.Live {
		t.Errorf("opened as %+v", &c.Opened)
	}
	trajectory, err := c.Plan(4, 2, []byte{0xab})
	if err != nil || trajectory.Id != "4-2-ab" {
		t.Fatalf("got %+v, %v", trajectory, err)
	}
	state, turns := trajectory.State, 0
	for {
		next, err := c.Next(state, uint32(turns), &sdk.Answer{Outcome: "ok"})
		if err != nil {
			t.Fatal(err)
		}
		if next.End != nil {
			break
		}
		state, turns = next.State, turns+len(next.Turns)
	}
	if turns != 2 || strings.Join(c.Logs.Lines, ";") != "1 turn 0: ok;1 turn 1: ok;1 turn 2: ok" {
		t.Errorf("%d turns, log %q", turns, c.Logs.Lines)
	}
	faults, items, err := c.CheckInputs()
	if err != nil || len(faults) != 2 || items != 3 {
		t.Errorf("%d faults, %d items, error %v", len(faults), items, err)
	}
}

func TestStatuses(t *testing.T) {
	open := func(name string) *sdktest.Component { return sdktest.Open(t, &plugin, name, sdktest.Options{}) }
	workload, validator, counter := open("live"), open("judge"), open("count")
	fact := []sdk.Fact{{Probe: "version"}}
	for name, c := range map[string]struct {
		call func() (any, error)
		code sdk.Code
		text string
	}{
		"code of the author": {func() (any, error) { return validator.Preflight(fact, nil) }, sdk.CodeUnavailable, "fact version: multiple Read"},
		"not of this kind":   {func() (any, error) { return workload.Score() }, sdk.CodeUnimplemented, "method 48"},
		"no such upgrade":    {func() (any, error) { return validator.Next(nil, 0, nil) }, sdk.CodeUnimplemented, "method 17"},
		"no inputs to check": {func() (any, error) { _, _, err := validator.CheckInputs(); return nil, err }, sdk.CodeUnimplemented, "method 3"},
		"no trajectory":      {func() (any, error) { return workload.Plan(9, 0, nil) }, sdk.CodeInternal, "neither"},
		"no conclusion":      {func() (any, error) { return validator.ConcludeCheck(sdk.ConcludeRequest{}) }, sdk.CodeInternal, "neither"},
		"too few counts":     {func() (any, error) { return counter.Count(make([]sdk.Sample, 4)...) }, sdk.CodeInternal, "2 counts for 4"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.call()
			if sdktest.Code(err) != c.code || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want code %d and %q", err, c.code, c.text)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	for name, want := range map[string]sdk.Code{"missing": sdk.CodeNotFound, "broken": sdk.CodeInternal} {
		if _, err := sdktest.TryOpen(t, &plugin, name, sdktest.Options{}); sdktest.Code(err) != want {
			t.Errorf("%s: got %v, want code %d", name, err, want)
		}
	}
	_, err := sdktest.TryOpen(t, &plugin, "faulty", sdktest.Options{})
	if faults, ok := errors.AsType[sdk.Faults](err); !ok || len(faults) != 2 || err.Error() != "/x: wrong (and 1 more faults)" {
		t.Errorf("got %v, want both faults", err)
	}
}

func TestOpenIsOnceAndFirst(t *testing.T) {
	i := sdk.NewInstance(&plugin, nil)
	for step, c := range []struct {
		method contract.Method
		body   []byte
		want   byte
	}{
		{contract.MethodPlan, nil, byte(sdk.CodeFailedPrecondition)},
		{contract.MethodOpen, []byte{0x0a, 9}, byte(sdk.CodeInvalidArgument)},
		{contract.MethodOpen, (&contract.OpenRequest{Component: "judge"}).Marshal(), 0},
		{contract.MethodOpen, (&contract.OpenRequest{Component: "judge"}).Marshal(), byte(sdk.CodeFailedPrecondition)},
		{99, nil, byte(sdk.CodeUnimplemented)},
	} {
		reply := i.Invoke(c.method, c.body)
		if got := append(reply, 0)[min(1, len(reply))]; reply[0] != min(c.want, 1) || c.want != 0 && got != c.want {
			t.Errorf("step %d: reply %q, want code %d", step, reply, c.want)
		}
	}
}

func TestBatchInSeveralRequests(t *testing.T) {
	c := sdktest.Open(t, &plugin, "judge", sdktest.Options{})
	for range 2 {
		r, err := c.Check(sdk.Sample{Turn: 1}, sdk.Sample{Turn: 2, More: true})
		if err != nil || r.Findings != nil || r.Account != nil {
			t.Fatalf("a batch that goes on is answered %+v, %v", r, err)
		}
	}
	r, err := c.Check(sdk.Sample{Turn: 3})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Code != "5-samples" {
		t.Fatalf("got %+v, %v; want five samples", r, err)
	}
	if r, err = c.Check(sdk.Sample{}); err != nil || r.Findings[0].Code != "1-samples" {
		t.Fatalf("got %+v, %v; want a new batch", r, err)
	}
}

func TestPanicPasses(t *testing.T) {
	c := sdktest.Open(t, &plugin, "judge", sdktest.Options{})
	defer func() {
		if recover() == nil {
			t.Error("the panic was caught: the host could not know that the instance is broken")
		}
	}()
	_, _ = c.Preflight(nil, nil)
}

func TestPluginCheck(t *testing.T) {
	err := (&sdk.Plugin{Name: "Bad", Version: "1", Components: []sdk.Component{{Name: "9x"}, {Name: "9x"}}}).Check()
	for _, want := range []string{`plugin name "Bad"`, `version "1"`, `name "9x"`, "defined twice", "exactly one"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	if err := plugin.Check(); err != nil {
		t.Error(err)
	}
}

func TestStatusTextIsCut(t *testing.T) {
	long := sdk.Plugin{Name: "long", Version: "1.0.0", Components: []sdk.Component{{Name: "long",
		Counter: func(*sdk.Opening) (sdk.Counter, error) { return nil, errors.New(strings.Repeat("é", 3000)) }}}}
	reply := sdk.NewInstance(&long, nil).Invoke(contract.MethodOpen, (&contract.OpenRequest{Component: "long"}).Marshal())
	if len(reply) != 2+4096 || reply[1] != byte(sdk.CodeUnknown) {
		t.Errorf("reply of %d bytes, code %d", len(reply), reply[1])
	}
	if _, err := sdk.ParseReply(reply); err.Error() != strings.Repeat("é", 2048) {
		t.Error("text is not cut between characters")
	}
}

func TestParseReply(t *testing.T) {
	for _, reply := range []string{"", "\x01", "\x01\x00x", "\x01\x11x", "\x02", "\x01\x02" + strings.Repeat("x", 4097)} {
		if _, err := sdk.ParseReply([]byte(reply)); err == nil || err.Error() != "malformed reply" {
			t.Errorf("%.10q: got %v, want malformed", reply, err)
		}
	}
}

func FuzzInvoke(f *testing.F) {
	f.Add(uint8(33), (&contract.CheckRequest{Samples: []contract.Sample{{Turn: 1}}}).Marshal())
	f.Add(uint8(17), (&contract.NextRequest{State: []byte("a")}).Marshal())
	f.Fuzz(func(t *testing.T, method uint8, body []byte) {
		if method == uint8(contract.MethodPreflight) {
			return // it panics on purpose
		}
		for _, name := range []string{"live", "judge", "count"} {
			i := sdk.NewInstance(&plugin, nil)
			i.Invoke(contract.MethodOpen, (&contract.OpenRequest{Component: name}).Marshal())
			if _, err := sdk.ParseReply(i.Invoke(contract.Method(method), body)); err != nil && err.Error() == "malformed reply" {
				t.Fatalf("malformed reply to method %d", method)
			}
		}
	})
}
