// Package wasmabi reads the outside of a WebAssembly file and checks it against version 1 of the plugin ABI
// (schemas/plugin/v1/ABI.md) without running any of its code.
//
// [Parse] lists what a module imports, exports and declares and finds its custom sections. [Check] says whether that
// outside is a plugin of ABI version 1. Both are pure functions of the bytes: the parent process uses them before it
// starts anything, and the worker uses them again on the bytes that it was given.
package wasmabi
