// Package endpoint is the client of the target: HTTP/1.1 over connections of its own, server-sent events, and the instants
// of a turn.
//
// It is not net/http, since exact instants and little CPU are what it is for. A request runs in the goroutine of its caller:
// every read is stamped right after it returned and before a byte of it is looked at; fragments of the body go to the
// kernel as they are; events are found and decoded without an allocation per chunk. The pool has no cap. Idle connections
// are looked at before they are used again, and dropped after Config.MaxIdle.
//
// Answers of every API become chat messages here: chunk.go and scanchunk.go read chat completions and completions,
// responses.go and messages.go what their names say, and dialect.go has what those two share.
//
// What it does not do, on purpose: HTTP/2 (waiting for a stream would hide in the target's times), compression, redirects,
// cookies, proxies, and retries. The one repetition is that of a reused connection which died before any byte of a
// response came: the request is sent once more on a new connection, is counted, and keeps the instant of its first send.
package endpoint
