package host

import (
	"context"

	"paceline/core/seed"
)

// runner is what a component's slot works with: one wasm worker process, the processes of a native plugin, or Go code in this
// process. Its methods are
// called by one goroutine at a time. Errors are of type *Error without plugin, component and call.
type runner interface {
	// instantiate makes instance id.
	instantiate(ctx context.Context, id uint32, s seed.Seed, b bounds) error
	// call runs one method and gives the reply with its first byte.
	call(ctx context.Context, id uint32, m method, request []byte, b bounds) ([]byte, error)
	// discard closes an instance; it may be gone already.
	discard(id uint32)
	// holds reports whether an instance can still be called, as far as that is known before it is.
	holds(id uint32) bool
	// alive reports whether further calls can work.
	alive() bool
	// stop ends the runner and waits for it.
	stop()
}
