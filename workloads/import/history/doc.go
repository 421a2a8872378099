// Package history makes turns out of chat messages, for the formats: from a list of messages in which each assistant
// message is an answer (Linear), and from requests that each carry their whole history (Calls).
package history
