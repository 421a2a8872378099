package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"paceline/core/coretest"
	"paceline/core/sim"
)

// commands are what scripts have beside the commands of testscript.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":      cmdExits,      // exits CODE PROGRAM ARGS...: runs it and checks its exit code
	"start":      cmdStart,      // start NAME PROGRAM ARGS...: runs it in the background
	"signal":     cmdSignal,     // signal NAME INT|TERM|KILL
	"finish":     cmdFinish,     // finish NAME CODE: waits for it; its outputs become stdout and stderr; -1: killed
	"noworkers":  cmdNoWorkers,  // noworkers NAME: no plugin worker of that program is left
	"sim":        cmdSim,        // sim [key=value]...: starts a simulated engine, sets URL
	"endpoint":   cmdEndpoint,   // endpoint [models=a,b] [tls=own|expired] CASE|FILE [KEY]: starts a scripted endpoint, sets URL
	"listening":  cmdListening,  // listening NAME: waits until that program says where it listens, sets URL
	"withuser":   cmdWithUser,   // withuser: puts a user and the key of case 38 into URL
	"guest":      cmdGuest,      // guest FILE workload|scorer|counter METHOD WAY: writes a plugin that fails
	"example":    cmdExample,    // example NAME wasm|native: builds an example of the SDK as NAME.wasm, or as NAME with its manifest
	"clean":      cmdClean,      // clean DIR: no file of the run folder holds the key of case 38
	"seedof":     cmdSeedOf,     // seedof DIR: sets SEED to the run's seed
	"samebodies": cmdSameBodies, // [!] samebodies A B N: the N requests from A on have the bodies of those from B on
	"case":       cmdCase,       // case NUMBER [DIR]: writes the case's files into DIR, its number by default
	"talk":       cmdTalk,       // talk FILE CONVERSATIONS TURNS: writes a data set
	"requests":   cmdRequests,   // requests N: that many requests came to the scripted endpoint
	"wire":       cmdWire,       // wire golden FILE | wire rules DATASET TRAJECTORIES plain|salted PARAMS: requests are the reference client's
	"cut":        cmdCut,        // cut FILE CONVERSATIONS: writes conversations of a real data set, or of a stand-in
	"heard":      cmdHeard,      // heard FILE: writes all requests that came to it, heads and bodies
	"await":      cmdAwait,      // await requests N | await samples DIR N | await workers NAME N
	"json":       cmdJSON,       // [!] json FILE PATH VALUE: VALUE is JSON, >N, <N or any
	"strict":     cmdStrict,     // strict FILE...: JSON without NaN or infinities
	"records":    cmdRecords,    // records DIR N KEY=VALUE...: so many records of the journal have these values
	"sameplan":   cmdSamePlan,   // sameplan DIR DIR: same plans, run files and reports but for names and times
	"sameturns":  cmdSameTurns,  // sameturns N DIR DIR: N turns each, equal in all but their times
	"samesteps":  cmdSameSteps,  // samesteps DIR DIR: same plans, live steps and scores
	"evaluator":  cmdEvaluator,  // evaluator FILE PACKAGE: builds a native plugin of the SDK
	"expand":     cmdExpand,     // expand FILE...: puts the script's variables into files
	"unpacked":   cmdUnpacked,   // unpacked FILE: a compressed file becomes stdout
	"ungrant":    cmdUngrant,    // ungrant LOCK: takes the capabilities of native plugins out of a lock
	"relaygone":  cmdRelayGone,  // relaygone LEAK DIR: nothing is left of a relay
	"narrow":     cmdNarrow,     // narrow FILE: no line is wider than 80 columns
	"registry":   cmdRegistry,   // registry: starts an OCI registry, sets REGISTRY; started again it stops the one before
	"flipbyte":   cmdFlipByte,   // flipbyte FILE OFFSET: changes one byte
	"figure":     cmdFigure,     // figure FILE: changes a figure of a package
	"flips":      cmdFlips,      // flips FOLDER PROGRAM ARGS...: with one byte of any file there changed, it exits 3 with two digests
}

// world is what one script has started.
type world struct {
	testing.TB
	endpoint *coretest.Endpoint
	registry *httptest.Server
	running  map[string]*running
}

type worldKey struct{}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

func want(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) >= 2, "exits CODE PROGRAM ARGS...")
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if code != number(ts, args[0]) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func cmdSim(ts *testscript.TestScript, neg bool, args []string) {
	c := sim.Config{Model: "sim", Seed: 1, TimeScale: 0.02, AnswerTokens: 12}
	for _, a := range args {
		key, value, _ := strings.Cut(a, "=")
		var err error
		switch key {
		case "model":
			c.Model = value
		case "key":
			c.APIKey = value
		case "scale":
			c.TimeScale, err = strconv.ParseFloat(value, 64)
		case "tokens":
			c.AnswerTokens, err = strconv.Atoi(value)
		case "context":
			c.MaxContext, err = strconv.Atoi(value)
		case "answers":
			texts, answers := map[string]string{}, map[string]sim.Answer{}
			ts.Check(json.Unmarshal([]byte(ts.ReadFile(value)), &texts))
			for question, text := range texts {
				answers[question] = sim.Answer{Content: text}
			}
			c.Answer = sim.AnswerByUser(answers)
		case "nousage":
			c.NoUsage = true
		case "fault":
			var f sim.Fault
			f, err = sim.ParseFault(value)
			c.Faults = append(c.Faults, f)
		default:
			ts.Fatalf("sim: unknown %s", a)
		}
		ts.Check(err)
	}
	s, err := sim.New(c)
	ts.Check(err)
	l := coretest.Loopback(worldOf(ts))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(ctx, l) }()
	ts.Defer(func() { cancel(); <-done })
	ts.Setenv("URL", "http://"+l.Addr().String()+"/v1")
}

// cmdEndpoint starts a scripted endpoint, of a case or of a server.json of the script's own.
func cmdEndpoint(ts *testscript.TestScript, neg bool, args []string) {
	models, certificate := []string{"sim"}, ""
	for len(args) > 0 && strings.Contains(args[0], "=") {
		name, value, _ := strings.Cut(args[0], "=")
		switch name {
		case "models":
			models = slices.DeleteFunc(strings.Split(value, ","), func(s string) bool { return s == "" })
		case "tls":
			certificate = value
		}
		args = args[1:]
	}
	want(ts, !neg && len(args) >= 1, "endpoint [models=a,b] [tls=own|expired] CASE|FILE [KEY]")
	key := "replies"
	if len(args) > 1 {
		key = args[1]
	}
	var script *coretest.Script
	if strings.HasSuffix(args[0], ".json") {
		path := ts.MkAbs(args[0])
		var err error
		script, err = coretest.ParseScript([]byte(ts.ReadFile(args[0])), key, func(name string) ([]byte, error) {
			return os.ReadFile(filepath.Join(filepath.Dir(path), name))
		})
		ts.Check(err)
	} else {
		script = coretest.LoadCase(worldOf(ts), args[0]).ScriptOf(worldOf(ts), key)
	}
	script.Models = models
	l, scheme := coretest.Loopback(worldOf(ts)), "http://"
	address := l.Addr().String()
	if certificate != "" {
		l, scheme = withTLS(ts, l, certificate == "expired"), "https://"
	}
	e := coretest.Serve(l, script)
	ts.Defer(e.Stop)
	worldOf(ts).endpoint = e
	ts.Setenv("BASE", scheme+address)
	ts.Setenv("URL", scheme+address+"/v1")
}

func endpointOf(ts *testscript.TestScript) *coretest.Endpoint {
	e := worldOf(ts).endpoint
	if e == nil {
		ts.Fatalf("no endpoint was started")
	}
	return e
}

func cmdCase(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) >= 1, "case NUMBER [DIR]")
	dir := args[len(args)-1]
	ts.Check(os.CopyFS(ts.MkAbs(dir), coretest.LoadCase(worldOf(ts), args[0]).FS))
}

// cmdTalk writes a data set: conversations t1, t2, ... of so many client turns.
func cmdTalk(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 3, "talk FILE CONVERSATIONS TURNS")
	var b []byte
	for c := range number(ts, args[1]) {
		for turn := range number(ts, args[2]) {
			if turn > 0 {
				b = fmt.Appendf(b, "{\"conversation_id\":\"t%d\",\"turn\":%d,\"role\":\"assistant\",\"content\":\"yes\"}\n", c+1, 2*turn)
			}
			b = fmt.Appendf(b, "{\"conversation_id\":\"t%d\",\"turn\":%d,\"role\":\"user\",\"content\":\"go on\"}\n", c+1, 2*turn+1)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "requests N")
	if n := len(endpointOf(ts).Requests()); n != number(ts, args[0]) {
		ts.Fatalf("%d requests came, want %s", n, args[0])
	}
}

func cmdHeard(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "heard FILE")
	var b []byte
	for _, r := range endpointOf(ts).Requests() {
		b = append(append(append(b, r.Head...), r.Body...), '\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}
