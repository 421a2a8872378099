package session_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
)

// targetVariable is the environment variable that has the base URL of a real engine for TestGoldenTracesAtTarget.
const targetVariable = "PACELINE_LENGTHS_TARGET"

// tooLate is how much longer than planned a wait may be: an engine on the same few cores keeps the client from them. The table
// tells how much it was.
const tooLate = 10 * time.Second

// TestGoldenTracesAtTarget plays those golden traces that are short at a real engine, by hand or by .ci/vllm-lengths. What comes
// is compared by the engine's own usage, turn by turn.
func TestGoldenTracesAtTarget(t *testing.T) {
	url := os.Getenv(targetVariable)
	if url == "" {
		t.Skipf("%s has no URL of an engine", targetVariable)
	}
	var short []int
	var golden []goldenTrace
	for i, g := range goldenTraces {
		if g.requests <= 12 {
			short, golden = append(short, i), append(golden, g)
		}
	}
	list := published(t)
	for _, tt := range []struct {
		name    string
		mode    filler.Mode
		history chat.HistoryRule
		counted bool
		params  string
		percent float64
	}{
		{"exact, live history", filler.Exact, chat.Live, false, "", 0},
		{"text, recorded history", filler.Text, chat.Recorded, false, "", 0.5},
		{"text, live history", filler.Text, chat.Live, true, "", 0.5},
		{"text, live history, not counted", filler.Text, chat.Live, false, "", 2}, // only what the newest answer may come to; the report tells
		{"text, live history, greedy", filler.Text, chat.Live, true, `{"temperature":0}`, 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s source
			for _, i := range short {
				s = append(s, list[i].Trajectory(fmt.Sprint("line ", goldenTraces[i].line)))
			}
			run, lengths := atTarget(t, url, tt.mode, tt.history, tt.counted, tt.params, sourceOf(s...))
			t.Logf("%+v, tokenizer %+v", lengths, lengths.Tokenizer)
			var counted, within, turns int
			var most, sum float64
			var late, connecting time.Duration
			var came []row
			for _, i := range short {
				name := fmt.Sprint("line ", goldenTraces[i].line)
				samples := samplesOf(run, name)
				came = append(came, checkTrace(t, name, &list[i], samples, tt.percent, tooLate))
				for k := range samples {
					u := samples[k].Answer.Usage
					want := samples[k].Planned.Prompt
					off := 100 * math.Abs(float64(u.PromptTokens)-float64(want)) / float64(want)
					turns, sum, most = turns+1, sum+off, max(most, off)
					if off <= 0.5 {
						within++
					}
					if samples[k].Followed().Counted {
						counted++
					}
					at := &samples[k].Timing
					late = max(late, time.Duration(at.Sent-at.Due))
					if at.ConnectDone.Set() {
						connecting = max(connecting, time.Duration(at.ConnectDone-at.ConnectStart))
					}
					t.Logf("%s, turn %d: prompt %d (planned %d, off %.2f %%), answer %d (planned %d), %+v, sent %v after it was due", name, k, u.PromptTokens,
						want, off, u.CompletionTokens, samples[k].Planned.Output, samples[k].Followed(), time.Duration(at.Sent-at.Due))
				}
			}
			rows(t, tt.name, golden, came)
			t.Logf("%s: %d of %d contexts within 0.5 %%, off by %.2f %% in the mean and %.2f %% at most; %d answers counted; sent at most %v after due, connecting took at most %v",
				tt.name, within, turns, sum/float64(turns), most, counted, late, connecting)
		})
	}
}

// atTarget plays trajectories at a real engine as `runner run` does.
func atTarget(t *testing.T, url string, mode filler.Mode, history chat.HistoryRule, counted bool, params string, list source) (*journal.Run, filler.Lengths) {
	t.Helper()
	epoch := time.Now()
	config := endpoint.Config{URL: url}
	if mode == filler.Exact {
		config.API = chat.APICompletions
	}
	client, err := endpoint.New(config, epoch)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	reply, err := client.Get(t.Context(), "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	names, err := endpoint.ModelNames(reply)
	if err != nil {
		t.Fatal(err)
	}
	kind := engine.OfModels(reply.Body)
	wire := chat.Wire{Model: names[0], Stream: true, IncludeUsage: true, MaxTokensKey: "max_tokens", API: config.API}
	ask := session.LengthProber{Client: client, Mode: mode, Engine: kind, Wire: wire, Params: []chat.Layer{{Name: "the run", Params: json.RawMessage(params)}}}
	parts := &session.Parts{Source: list, Issuer: client, Epoch: epoch}
	if counted {
		own, err := client.By(config.API)
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		ask.Tokenizer = session.Tokenizer{Asked: own, Kind: kind, Model: names[0]}
		parts.Tokenizer = ask.Tokenizer
	}
	lengths, err := filler.Calibrate(t.Context(), root, mode, history == chat.Live, ask)
	if err != nil {
		t.Fatal(err)
	}
	if counted && (lengths.Tokenizer == nil || !lengths.Tokenizer.Used) {
		t.Errorf("the tokenizer is not used: %+v", lengths.Tokenizer)
	}
	_, forced := kind.ForceLength(1)
	lengths.Engine, lengths.Forced = kind, forced
	salt, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	c := sched.Config{
		Workload: workload, Info: trajectory.Info{Trajectories: uint64(len(list)), Fixed: true}, History: history, Users: load.Constant(len(list)),
		Seed: root, Salt: salt, Wire: wire, Lengths: lengths, Params: json.RawMessage(params),
	}
	if mode == filler.Exact {
		c.Switches = kind.TellTokens()
	}
	dir := filepath.Join(t.TempDir(), "run")
	plan := &session.Plan{Dir: dir, Sched: c, Lock: []byte("{}\n"), Config: journal.RunConfig{Run: "lengths", Config: []byte("{}"), Seed: "42", Lengths: &lengths}}
	if _, err := session.Play(t.Context(), plan, parts); err != nil {
		t.Fatal(err)
	}
	run, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run, lengths
}
