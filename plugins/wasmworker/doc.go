// Package wasmworker is the child process that runs one WebAssembly plugin, and the frames that it speaks with its parent.
//
// A worker runs untrusted code that cannot be interrupted from inside a process, so it is a process of its own: the parent
// (plugins/host) kills it when a call takes too long or takes too much memory. It is started as `runner plugin-worker
// PPID`, with an empty environment, in its own process group, at the lowest priority. It opens nothing by path but its
// compile cache: the module comes in a frame, inputs are descriptors that it inherited, from number 3 on.
//
// # Frames
//
// Requests come on standard input, answers go to standard output. A frame is
//
//	length  4 bytes, little-endian: of kind and body together
//	kind    1 byte
//	body
//
// The parent sends one request and reads answers until one ends it; there is never more than one request open.
//
//	L load         4 bytes little-endian length of a JSON document [Load], the document, the module
//	I instantiate  JSON [Instantiate]
//	C call         instance, method, CPU limit in milliseconds (4 bytes little-endian each), the request message
//	X close        instance
//
//	R reply        ends a call: the guest's reply, its first byte included
//	K ok           ends a load, instantiate or close: JSON [Loaded] or nothing
//	F failure      ends any request: JSON [Failure]
//	G log          instance, 1 byte level, text
//	D dropped      instance, lines, bytes (8 bytes each but the first 4): log output that was cut, as a difference
//
// At the end of standard input the worker exits with code 0. It exits with code 3 when a frame cannot be understood.
//
// # Compile cache
//
// Compiled code is kept in a folder that the parent names, one sub-folder for each key of module, engine, CPU and
// settings, with a digest over what the engine wrote. An entry whose digest does not fit is deleted and made anew, and
// code from it never runs. A folder that belongs to somebody else, that others may write or that is missing and cannot be
// made means compiling without a cache. See [Loaded].
package wasmworker

// EngineName and EngineVersion name the engine that runs guests, as the lock and the run files keep it.
const (
	EngineName    = "wazero"
	EngineVersion = "v1.12.0"
)

// Command is the hidden command of the runner that starts a worker.
const Command = "plugin-worker"

// FirstInput is the number of the first inherited input descriptor; the others follow it.
const FirstInput = 3
