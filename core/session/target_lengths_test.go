package session_test

import (
	"fmt"
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

// TestGoldenTracesAtTarget plays those golden traces that are short at a real engine, by hand or by .ci/vllm-lengths. What comes
// is compared by the engine's own usage, turn by turn.
func TestGoldenTracesAtTarget(t *testing.T) {
	url := os.Getenv(targetVariable)
	if url == "" {
		t.Skipf("%s has no URL of an engine", targetVariable)
	}
	var short []int
	for i, g := range goldenTraces {
		if g.requests <= 12 {
			short = append(short, i)
		}
	}
	list := published(t)
	for _, tt := range []struct {
		mode    filler.Mode
		history chat.HistoryRule
		percent float64
	}{
		{filler.Exact, chat.Live, 0},
		{filler.Text, chat.Recorded, 0.5},
		{filler.Text, chat.Live, 1.5}, // random weights write what is tokenized otherwise when it comes back; the report tells
	} {
		t.Run(fmt.Sprintf("%s, %s history", tt.mode, tt.history), func(t *testing.T) {
			var s source
			for _, i := range short {
				s = append(s, list[i].Trajectory(fmt.Sprint("line ", goldenTraces[i].line)))
			}
			run, lengths := atTarget(t, url, tt.mode, tt.history, sourceOf(s...))
			t.Logf("%+v", lengths)
			for _, i := range short {
				name := fmt.Sprint("line ", goldenTraces[i].line)
				samples := samplesOf(run, name)
				prompts, output, wait := checkTrace(t, name, &list[i], samples, tt.percent, time.Second)
				for k := range samples {
					u := samples[k].Answer.Usage
					t.Logf("%s, turn %d: prompt %d (planned %d), answer %d (planned %d)", name, k, u.PromptTokens, samples[k].Planned.Prompt, u.CompletionTokens, samples[k].Planned.Output)
				}
				t.Logf("%s: %d requests, prompts %d (%d), output %d (%d), waits %v (%v)", name, len(samples), prompts, goldenTraces[i].prompts, output, goldenTraces[i].output, wait, goldenTraces[i].wait)
			}
		})
	}
}

// atTarget plays trajectories at a real engine as `runner run` does.
func atTarget(t *testing.T, url string, mode filler.Mode, history chat.HistoryRule, list source) (*journal.Run, filler.Lengths) {
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
	lengths, err := filler.Calibrate(t.Context(), root, mode, history == chat.Live, session.LengthProber{Client: client, Mode: mode, Engine: kind, Wire: wire})
	if err != nil {
		t.Fatal(err)
	}
	_, forced := kind.ForceLength(1)
	lengths.Engine, lengths.Forced = kind, forced
	salt, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	c := sched.Config{
		Workload: workload, Info: trajectory.Info{Trajectories: uint64(len(list)), Fixed: true}, History: history, Users: load.Constant(len(list)),
		Seed: root, Salt: salt, Wire: wire, Lengths: lengths,
	}
	if mode == filler.Exact {
		c.Switches = kind.TellTokens()
	}
	dir := filepath.Join(t.TempDir(), "run")
	plan := &session.Plan{Dir: dir, Sched: c, Lock: []byte("{}\n"), Config: journal.RunConfig{Run: "lengths", Config: []byte("{}"), Seed: "42", Lengths: &lengths}}
	if _, err := session.Play(t.Context(), plan, &session.Parts{Source: list, Issuer: client, Epoch: epoch}); err != nil {
		t.Fatal(err)
	}
	run, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run, lengths
}
