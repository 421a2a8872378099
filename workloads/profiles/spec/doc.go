// Package spec is the schema of profiles that users define: how long an agent's runs are, as distributions of their parts.
//
//	name: my-agent
//	provenance: estimated                  # exact, estimated, provisional or recorded
//	source: 612 sessions of May, by the gateway's log
//	turns: {lognormal: {median: 13, sigma: 0.87}, min: 1, max: 200}
//	shared: [{key: system, tokens: 8000}, {key: repo, tokens: 2000, pool: 100, zipf: 0.6}]
//	input: {normal: {mean: 1200, sd: 300}, min: 100}
//	assistant: [{from: 0, quantiles: {at: [0, 50, 99, 100], values: [50, 125, 309, 508]}, scale: log}, {from: 1, ...}]
//	tool: {mixture: [{weight: 7, lognormal: {mean: 300, sd: 500}, max: 20000}, {weight: 3, zipf: {exponent: 1.1, from: 1, count: 5000}}]}
//	wait: {lognormal: {median: 0.43, sigma: 1.5}, max: 60}
//	final: 400
//	effect: {assistant: 0.2, wait: 0.28}   # share of the variance that is the trace's own
//	lengths: [{to: 7, tool: ...}, {to: 26, tool: ...}]   # other tables for traces of at most so many turns
//	end: {context: 200000, chance: 0.02, scaling: 1.5}   # a trace ends before its context is longer, or by chance
//
// Tokens are whole numbers, waits seconds. A profile is read from JSON (YAML is for people; the host turns it into JSON) and
// drawn in integers only.
package spec
