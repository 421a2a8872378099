// Package host opens, starts, supervises, replaces and stops plugins, and hands their callers a grpc.ClientConnInterface,
// whatever is behind it: a wasm worker process, the process of a native plugin, or Go code in this process for tests.
//
// A [Host] starts worker processes and ends them with itself. A [Plugin] is one module whose digest, manifest and
// interface were checked before any of its code runs. A [Component] is one opened component with its own workers: calls
// through [Component.Conn] use pooled instances, [Component.Fresh] gives a new instance to one caller. After a trap, an
// exit, a timeout or a malformed reply the instance is discarded, and the next call gets a fresh one; a worker that had to
// be killed is replaced by the next call. Failures are of type [*Error].
//
// An instance of a native plugin is a process of its own. Its calls are bound by the wall clock alone, and it is never started
// again while a run is measured ([Host.Measuring]). Package native says what surrounds it.
//
// A worker never outlives the runner. On Linux the system kills it when the thread that started it ends, and that thread
// lives as long as the Host; an idle worker also ends with its standard input, and a worker that starts too late sees that
// its parent has changed. On other systems an idle worker ends with its standard input and a busy one by its CPU limit,
// so a runner that was killed may leave a worker for the rest of its call. CPU time and memory of a worker are watched on
// Linux; elsewhere the wall clock alone bounds a call.
package host
