// Package contract has the messages of the plugin contract, version 1, as plain Go structs with a codec that uses no
// reflection and nothing beyond the standard library, so that a wasm guest stays small and starts quickly.
//
// The structs follow schemas/plugin/v1/plugin.proto one to one and are generated from it. A scalar that the contract
// calls optional is a pointer, nil where absent. A message within a message is a pointer, repeated messages are slices
// of values. Of the members of a oneof at most one is set, a bytes member being set when it is not nil; where an author
// sets several, the one with the lowest number is sent.
//
// AppendTo writes the canonical bytes: fields by rising number, zero values left out, numeric lists packed. Equal
// messages have equal bytes. A string field that is not valid UTF-8 is sent with U+FFFD in place of each invalid run,
// since the other side would refuse the whole message otherwise; bytes fields are sent as they are.
//
// Unmarshal accepts what any protobuf encoder writes, skips fields that it does not know, and never panics. The bytes
// fields of the result share memory with its input, so the input may not be changed afterwards. The structs may be read
// from several goroutines at once and changed from one.
package contract

// Version is the version of the contract that this package speaks.
const Version = 1
