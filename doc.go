// Package paceline is the root of a benchmark runner for agentic LLM inference. It holds no code: it is the map.
//
//	core/        the measuring machine; knows no plugin transport, no configuration format, no command line
//	  digest seed exposition                  the lowest: digests, derived seeds, the text of metrics pages
//	  chat engine load stats verdict          values and pure functions
//	  trajectory, then sample                 what is planned, what was measured
//	  filler                                  prompts out of lengths: text and token ids, calibrated
//	  endpoint journal sched                  the target's client, the files of a run, the scheduler
//	  metrics judge                           samples in, numbers and judgements out
//	  relay                                   lets an evaluation ask the target, after the run
//	  survey                                  asks the target which engine it is, before the run
//	  report, then session                    the report; one run from plan to report
//	  audit                                   two passes of the same requests against each other
//	  sim coretest                            the simulated engine; fakes for tests
//	plugins/     the host side of extension: wire, host, wasmworker, native, lock, store, and how plugins travel: artifact,
//	             registry, sign, policy;
//	             build, scaffold and conformance make, write and test plugins for their authors
//	sdk/         what a plugin's author imports; a module of its own, and sdk/native another
//	workloads/   the shipped plugins; they import sdk and nothing else of ours
//	mlperf/      MLPerf Endpoints' Agentic Inference beyond the plugin: rules as data; profile and standin, the data set and its
//	             stand-in; plan places the points of a curve;
//	             check (with lax, its readers, and power) holds packages to the rules; describe (with machine),
//	             provision, export and pack make them, recompute makes them again; viz feeds the visualizer
//	profile/     length-only profiles of agent runs: rows reads traces, measure sums them up, reference holds the published
//	             ones, verify holds what is drawn against them, fit makes profiles, catalog tells of the shipped ones;
//	             workloads/profiles draws
//	record/      watches a real agent through a proxy, and writes its conversations as trajectories
//	sweep/       several points of one run: plan, play, resume, report; until searches, cache proves that none feeds on another,
//	             chart draws their curve
//	shape/       what a data set is like, drawn as text and as one page
//	traces/      imported traces on the host's side: the normal form, sums, anonymity
//	schemas/     the contract and every file format; generated code apart under schemas/gen
//	cmd/runner/  main only wires; internal/config reads run files, internal/cli is the command line
//	bench/       comparisons side by side, by command
//
// arch_test.go keeps the arrows between these folders, and the owner of each third-party module, true.
package paceline
