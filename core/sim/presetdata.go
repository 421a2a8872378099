package sim

import "time"

// h100 is one accelerator with the engine's default model: its costs are the defaults of Cost.
func h100() Preset {
	return Preset{
		Name:    "h100-30b-a3b",
		Summary: "a mixture of experts of 30 billion parameters, 3 billion active, weights in FP8, on one H100 SXM",
		Config: Config{
			Cost: Cost{
				Base: 4 * time.Millisecond, PrefillToken: 20 * time.Microsecond, PrefillPair: 2 * time.Nanosecond,
				DecodeSequence: 60 * time.Microsecond, ContextToken: 40 * time.Nanosecond,
			},
			StepTokens: 8192, MaxBatch: 256, MaxContext: 262_144, BlockTokens: 16, KVTokens: 400_000,
		},
		reasons: []string{
			"48 layers of about 10 kernels of 5 us are 2.4 ms; what each step reads whatever its batch, some 2 GB of attention, norms and output layer at 2.5 TB/s, is 0.8 ms; scheduler and sampler 0.8 ms",
			"2 x 3.3 GFLOP of active weights at 330 TFLOP/s, a sixth of the 1,979 that the card has in FP8: the products of 128 small experts do not fill it",
			"attention: 48 layers x 32 heads x 128 x 4 FLOP = 0.79 MFLOP per pair at 400 TFLOP/s, 40 % of the 989 that the card has in BF16",
			"experts: a token reads 8 of 128 in 48 layers, 1.8 GB, but tokens of a batch share them: 0.15 GB at 2.5 TB/s each, so that 64 sequences read 10 GB, a third of all experts. Routers with no favourites would read more",
			"48 layers x 4 heads of keys and of values x 128 x 2 bytes = 98,304 bytes at 2.5 TB/s, three quarters of the card's 3.35",
			"what vLLM gives a server on such a card",
			"sequences in a batch: above every number of users here",
			"the model's own",
			"vLLM's default",
			"92 % of 80 GB, less 30 GB of weights and 4 GB of activations and graphs: 39 GB of 98,304 bytes",
		},
	}
}

// b200x8 is a bigger deployment, of the kind for which Applied Compute published what a mean trace hides.
func b200x8() Preset {
	return Preset{
		Name:    "b200x8-671b-a37b",
		Summary: "a mixture of experts of 671 billion parameters, 37 billion active, latent attention, weights in FP8, on eight B200 as one tensor-parallel group",
		Config: Config{
			Cost: Cost{
				Base: 9 * time.Millisecond, PrefillToken: 5 * time.Microsecond, PrefillPair: 1 * time.Nanosecond,
				DecodeSequence: 280 * time.Microsecond, ContextToken: 15 * time.Nanosecond,
			},
			StepTokens: 8192, MaxBatch: 256, MaxContext: 163_840, BlockTokens: 64, KVTokens: 940_032,
		},
		reasons: []string{
			"61 layers with two exchanges between the cards of 25 us and a dozen kernels of 5 us are 6.7 ms; the 17 GB that are no routed experts, at 60 % of 64 TB/s, 0.4 ms; scheduler and sampler 2 ms",
			"2 x 37 GFLOP at 14.4 PFLOP/s, 40 % of the 36 that eight cards have in FP8",
			"attention: 61 layers x 128 heads x (192 + 128) x 2 FLOP = 5.0 MFLOP per pair, and 2.05 GFLOP per token of context and chunk to unfold the latent, 3.4 MFLOP per pair in a chunk of 600; at 45 % of the 18 PFLOP/s in BF16",
			"experts: 48 tokens that choose 8 of 256 evenly read 78 % of 654 GB, at 60 % of 64 TB/s 13.3 ms or 277 us for each; and 5 us of arithmetic",
			"61 layers x 576 x 2 bytes = 70,272 bytes, which each card reads for itself, at 60 % of its 8 TB/s",
			"what vLLM gives a server on such cards",
			"sequences in a batch: above every number of users here",
			"the model's own",
			"what kernels for latent attention want",
			"each card holds all latents: 90 % of 180 GB, less 84 GB of weights and 12 GB of activations and graphs: 66 GB of 70,272 bytes",
		},
	}
}
