// Command faulty is a native plugin that fails where and how its configuration says, for the tests of the host.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"paceline/sdk"
	"paceline/sdk/native"
)

var plugin = sdk.Plugin{Name: "faulty", Version: "1.0.0", Components: []sdk.Component{
	{Name: "work", Workload: func(o *sdk.Opening) (sdk.Workload, error) {
		f, err := open(o)
		return work{f}, err
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

func main() {
	native.Serve(&plugin)
	if stubborn {
		time.Sleep(time.Hour)
	}
}

// stubborn: the process stays when it is asked to end.
var stubborn bool

// stderr is the descriptor itself; once the plugin is served, the variable is another.
var stderr = os.Stderr

// fault is the configuration. What fails, fails for the second trajectory alone.
type fault struct {
	At  string // the call that fails
	How string
	log sdk.Logger
}

const culprit = "bad-1"

func open(o *sdk.Opening) (fault, error) {
	f := fault{log: o.Log}
	if len(o.Config) > 0 {
		if err := json.Unmarshal(o.Config, &f); err != nil {
			return f, err
		}
	}
	return f, f.meet("open", culprit)
}

// tooMuch is more than a reply may have.
const tooMuch = 65 << 20

func (f *fault) meet(at, id string) error {
	if f.At != at || id != culprit {
		return nil
	}
	line := strings.Repeat("x", 1000)
	switch f.How {
	case "panic":
		panic("it is broken")
	case "exit":
		os.Exit(3)
	case "hang":
		select {}
	case "flood":
		for range 10_000 {
			f.log.Infof("%s", line)
			fmt.Fprintln(stderr, line)
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		stubborn = true
	case "fork":
		cmd := exec.Command("sh", "-c", `(trap "" TERM INT HUP; setsid sleep 600 </dev/null >/dev/null 2>&1 &) & sleep 600`)
		return cmd.Start()
	case "status":
		return sdk.Errorf(sdk.CodeInternal, "no")
	}
	return nil
}

func (f *fault) oversized(at, id string) bool {
	return f.At == at && id == culprit && f.How == "oversized"
}

// work plans three trajectories of two turns.
type work struct{ fault }

func (work) Info() sdk.WorkloadInfo { return sdk.WorkloadInfo{Trajectories: 3, Fixed: true} }

func (w work) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	id := []string{"good-0", culprit, "good-2"}[index]
	if err := w.meet("plan", id); err != nil {
		return nil, err
	}
	t := &sdk.Trajectory{Id: id, Turns: []sdk.Turn{turn(0, id), turn(1, id)}}
	if w.oversized("plan", id) {
		t.Truth = []byte(`"` + strings.Repeat("x", tooMuch) + `"`)
	}
	return t, nil
}

func turn(index uint32, text string) sdk.Turn {
	return sdk.Turn{Index: index, MaxTokens: 4, Append: []sdk.Message{{Json: []byte(`{"role":"user","content":"` + text + `"}`)}}}
}

// judge is what both judges share.
type judge struct{ fault }

func (j judge) account(at string, samples []sdk.Sample) ([]byte, error) {
	for i := range samples {
		if err := j.meet(at, samples[i].Trajectory); err != nil {
			return nil, err
		}
		if j.oversized(at, samples[i].Trajectory) {
			return make([]byte, tooMuch), nil
		}
	}
	return []byte("a"), nil
}

func (j judge) Fold(_, batch []byte) ([]byte, error) { return batch, nil }

type check struct{ judge }

func (c check) Check(samples []sdk.Sample) ([]sdk.Finding, []byte, error) {
	account, err := c.account("check", samples)
	return nil, account, err
}

func (check) Conclude(*sdk.ConcludeRequest) (*sdk.ConcludeCheckResponse, error) {
	return &sdk.ConcludeCheckResponse{Passed: true}, nil
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
	return &sdk.ConcludeScoreResponse{Score: &sdk.Value{Name: "right", Micro: 1_000_000}, HigherIsBetter: true, Passed: true, Complete: true, Scored: 6}, nil
}
