// Package cache proves that a target's prefix cache is empty of what the point before has sent.
//
// For some of that point's trajectories, the latest first, the first request is asked again as it was sent then, byte for byte in
// its messages and with the same salts. Before it, the same request is asked twice under salts that were never sent: what the
// second of those finds is what any request finds, such as tools that stand before the salt. After it, it is asked once more: a
// target on which that finds nothing either has no prefix cache, or tells none, and nothing is proven.
//
// What was found is read from usage.prompt_tokens_details.cached_tokens; where the target does not tell that, the times to the first
// token are compared.
package cache
