// Package sim is a simulated inference engine behind OpenAI's and Anthropic's APIs.
// It computes when a real engine would have answered, and answers then, with
// seeded texts that mean nothing. It serves `runner sim`, the demo, and tests in
// virtual time.
//
// # What it serves
//
// POST /v1/chat/completions, /v1/responses and /v1/messages (streamed or whole,
// tools, reasoning), /v1/completions (a text or token ids, no tools), GET
// /v1/models, GET /version, GET /health, GET /metrics (Prometheus text, names as vLLM's,
// those of speculative decoding where [Config.DraftTokens] is set),
// POST /tokenize and /reset_prefix_cache (vLLM's) and GET or POST /flush_cache (SGLang's, which
// refuses while requests run). Of the vLLM extensions it knows min_tokens, ignore_eos,
// return_token_ids, and enable_thinking and preserve_thinking of chat_template_kwargs. Its transport is a small HTTP/1.1 server
// of its own: one write per step and stream, and faults that are exact.
//
// # Tokens
//
// A token is the shortest run of whole UTF-8 characters with at least 4 bytes, or
// what is left of a text. A prompt is: for tools, a mark and the bytes of the
// tools field; for each message a mark for its role, the tokens of its text, and
// for each of its tool calls a token for the head (the name) and the tokens of
// the arguments; at the end the mark of the answer. Reasoning of earlier turns is
// left out, as chat templates do, unless preserve_thinking asks for it. An answer is counted in the same way, so a
// history that repeats it byte for byte is found in the prefix cache.
//
// Tokens are the same by every API: system blocks, items and results of tools are
// messages, and so is what stands behind a tag of the runner's template for prompts
// of completions. A prompt of token ids has the ids as its tokens; any other prompt
// of completions is its text alone.
//
// # Steps
//
// One loop batches continuously. A step takes every running sequence in the order
// of its start, then waiting ones in the order of arrival while the batch (MaxBatch),
// the tokens of the step (StepTokens) and the KV cache (KVTokens) have room; the
// head of the queue blocks those behind it. A sequence whose context is not yet
// computed takes as many tokens as the step has left (chunked prefill); the step
// that computes the last one also gives the first token of the answer. Each
// later step gives it TokensPerChunk tokens. With
//
//	n_i  tokens that sequence i prefills in this step
//	c_i  tokens of sequence i that were computed or cached before this step
//	b    sequences that decode in this step
//	C    the sum of their contexts in tokens
//
// a step lasts
//
//	Base + PrefillToken*sum(n_i) + PrefillPair*sum(n_i*(c_i + n_i/2)) + DecodeSequence*b + ContextToken*C
//
// times TimeScale. The defaults (see [Cost]) resemble a mixture-of-experts model
// with 30 billion parameters, 3 billion of them active, in FP8 on one H100: about
// 240 tokens/s for one short stream, 7,700 tokens/s for 64 of them.
//
// # KV cache
//
// Blocks of BlockTokens tokens. A prompt's blocks are taken when it starts, an
// answer's one after another. Whole computed blocks are known by a chained hash of
// all tokens up to their end and stay, least recently used first out, after their
// sequence ended; a later prompt skips the prefill of the blocks that it shares,
// always computing at least its last token, and reports them as cached_tokens.
// When a running sequence finds no block, the one that started last is preempted:
// it gives up its blocks and starts again at the head of the queue.
//
// # Replay
//
// [Replay] plays agent runs of known lengths to the same engine without a server, a client or a clock, hundreds of times as fast. [Preset]
// has the costs and sizes of deployments.
//
// # Answers
//
// Text, kind and length depend on the seed and the prompt only, not on arrival,
// streaming or load. The length is 3/10 of the mean plus an exponential tail
// around the other 7/10, at most eight means, cut by max_tokens. If tools are
// offered, nine of ten answers end in a tool call whose arguments fit the tool's
// schema, with a shell command where it takes one. [Config.Answer] replaces all this.
package sim
