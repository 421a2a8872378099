package cli

import (
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/policy"
	"paceline/core/sim"
)

func (a *app) simCommand() *cobra.Command {
	var c sim.Config
	var listen string
	var faults []string
	var quiet bool
	var scripted, preset string
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Serve a simulated engine",
		Long: "Serves an OpenAI-compatible engine that computes when a real one would have answered. Its answers are seeded\n" +
			"and mean nothing. It ends with Ctrl-C.\n\nPresets: " + simPresetNames() + ". Other flags replace their\n" +
			"numbers; `runner sim presets` tells where those come from.\n\nFaults: " + strings.Join(sim.FaultNames(), ", ") + ".",
		Example: "  runner sim --listen 127.0.0.1:8000 --model sim\n" +
			"  runner sim --listen 127.0.0.1:0 --time-scale 0.1 --fault status-500=0.01\n" +
			"  runner sim --preset b200x8-671b-a37b --kv-tokens 500000\n" +
			"  runner sim --policy codeqa:100",
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, text := range faults {
				f, err := sim.ParseFault(text)
				if err != nil {
					return fail(exitUsage, err)
				}
				c.Faults = append(c.Faults, f)
			}
			if preset != "" {
				p, err := sim.FindPreset(preset)
				if err != nil {
					return fail(exitUsage, err)
				}
				c = p.Over(c)
			}
			if scripted != "" {
				answer, err := policy.Parse(scripted, c.Seed)
				if err != nil {
					return fail(exitUsage, err)
				}
				c.Answer = answer
			}
			s, err := sim.New(c)
			if err != nil {
				return fail(exitUsage, err)
			}
			l, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", listen)
			if err != nil {
				return failHint(exitUsage, err, "choose another port, or 0 for any free one: --listen 127.0.0.1:0")
			}
			if !quiet {
				fmt.Fprintf(a.Stdout, "simulated engine %s at http://%s/v1\n", c.Model, l.Addr())
			}
			return s.Serve(cmd.Context(), l)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&listen, "listen", "127.0.0.1:8000", "`address` to listen on")
	fl.StringVar(&preset, "preset", "", "speed and sizes of a deployment, by `name` (default h100-30b-a3b's speed)")
	fl.StringVar(&c.Model, "model", "sim", "served `name` of the model")
	fl.StringVar(&c.Version, "engine-version", "", "what /version tells (default sim-1)")
	fl.Uint64Var(&c.Seed, "seed", 0, "seed of answers and faults")
	fl.Float64Var(&c.TimeScale, "time-scale", 1, "multiplies every duration: 0.1 is ten times as fast")
	fl.IntVar(&c.MaxContext, "max-context", 0, "longest prompt plus answer in tokens (default 131072)")
	fl.IntVar(&c.MaxBatch, "max-batch", 0, "sequences that run together (default 256)")
	fl.IntVar(&c.KVTokens, "kv-tokens", 0, "size of the KV cache in tokens (default 400000)")
	fl.BoolVar(&c.NoPrefixCache, "no-prefix-cache", false, "compute every prompt whole")
	fl.IntVar(&c.AnswerTokens, "answer-tokens", 0, "mean length of answers (default 350)")
	fl.IntVar(&c.ReasoningTokens, "reasoning-tokens", 0, "mean length of reasoning (default none)")
	fl.IntVar(&c.TokensPerChunk, "tokens-per-chunk", 0, "tokens of one decode step (default 1)")
	fl.IntVar(&c.DraftTokens, "draft-tokens", 0, "draft so many tokens at a time, as speculative decoding does, and tell so at /metrics (default none)")
	fl.BoolVar(&c.Resample, "resample", false, "draw another answer each time the same prompt comes, as sampling without a seed does")
	fl.StringVar(&c.ResponseCache, "response-cache", "", "answer a prompt that came before with the stored answer: instant or delayed")
	fl.BoolVar(&c.NoUsage, "no-usage", false, "leave token counts out")
	fl.StringVar(&scripted, "policy", "", "`name:what` of scripted answers: codeqa:50 solves half of the tasks of std/codeqa, smalltasks:50 half of those of the plugin smalltasks, replies:FILE answers by a file, recorded:FILE[:TOKENS] as the answers of a data set's turns were recorded, lengthened to so many tokens (default 383)")
	fl.StringArrayVar(&faults, "fault", nil, "`name=rate`, e.g. status-500=0.01; may be repeated")
	fl.BoolVar(&quiet, "quiet", false, "do not say where it listens")
	cmd.AddCommand(a.simPresetsCommand())
	return cmd
}
