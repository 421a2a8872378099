// Package profile is the host's side of length-only profiles; it holds no code. rows reads traces, measure sums them up,
// reference holds what the published ones look like, verify holds drawn traces against that, fit makes a profile of
// traces, and catalog tells of the shipped ones. What draws is workloads/profiles, the same code that the plugin has.
package profile
