// Package record watches a real agent: a proxy that stands between the agent and its endpoint, and writes the conversations
// that went through as trajectories in the normal form (schemas/trajectory/v1). What it passes on it does not change.
// Headers, and fields of requests that are no part of a conversation, are never written.
package record
