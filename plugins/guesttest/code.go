package guesttest

// Code joins instructions to a body.
func Code(parts ...[]byte) []byte { return cat(parts...) }

// Const is i32.const.
func Const(v int32) []byte { return cat([]byte{0x41}, signed(int64(v))) }

// Const64 is i64.const.
func Const64(v int64) []byte { return cat([]byte{0x42}, signed(v)) }

// Get is local.get.
func Get(local int) []byte { return cat([]byte{0x20}, U(local)) }

// Set is local.set.
func Set(local int) []byte { return cat([]byte{0x21}, U(local)) }

// GetGlobal is global.get.
func GetGlobal(global int) []byte { return cat([]byte{0x23}, U(global)) }

// SetGlobal is global.set.
func SetGlobal(global int) []byte { return cat([]byte{0x24}, U(global)) }

// Call calls a function by its number.
func Call(f int) []byte { return cat([]byte{0x10}, U(f)) }

// Forever is a loop without an end around a body that leaves nothing.
func Forever(body ...[]byte) []byte {
	return cat([]byte{0x03, 0x40}, cat(body...), []byte{0x0c, 0, 0x0b})
}

// If runs then where the value on the stack is not 0; it leaves nothing.
func If(then ...[]byte) []byte { return cat([]byte{0x04, 0x40}, cat(then...), []byte{0x0b}) }

// Load32 is i32.load of an address on the stack, Load8 is i32.load8_u.
func Load32() []byte { return []byte{0x28, 2, 0} }

// Load8 is i32.load8_u of an address on the stack.
func Load8() []byte { return []byte{0x2d, 0, 0} }

// Load64 is i64.load of an address on the stack.
func Load64() []byte { return []byte{0x29, 3, 0} }

// Store8 is i32.store8 of (address, value) on the stack.
func Store8() []byte { return []byte{0x3a, 0, 0} }

// Store32 is i32.store of (address, value) on the stack.
func Store32() []byte { return []byte{0x36, 2, 0} }

// Store64 is i64.store of (address, value) on the stack.
func Store64() []byte { return []byte{0x37, 3, 0} }

// Plain instructions without operands of their own.
var (
	unreachable = []byte{0x00}
	drop        = []byte{0x1a}
	ret         = []byte{0x0f}
	add         = []byte{0x6a}
	sub         = []byte{0x6b}
	shl         = []byte{0x74}
	eq          = []byte{0x46}
	eqz         = []byte{0x45}
	gtU         = []byte{0x4b}
	xor64       = []byte{0x85}
	or64        = []byte{0x84}
	shl64       = []byte{0x86}
	extend      = []byte{0xad}
	memorySize  = []byte{0x3f, 0}
	memoryGrow  = []byte{0x40, 0}
)

// Unreachable traps.
func Unreachable() []byte { return unreachable }

// Drop is drop.
func Drop() []byte { return drop }

// Return is return.
func Return() []byte { return ret }

// Add is i32.add.
func Add() []byte { return add }

// Sub is i32.sub.
func Sub() []byte { return sub }

// Shl is i32.shl.
func Shl() []byte { return shl }

// Eq is i32.eq.
func Eq() []byte { return eq }

// Eqz is i32.eqz.
func Eqz() []byte { return eqz }

// GtU is i32.gt_u.
func GtU() []byte { return gtU }

// Xor64 is i64.xor.
func Xor64() []byte { return xor64 }

// Or64 is i64.or.
func Or64() []byte { return or64 }

// Shl64 is i64.shl.
func Shl64() []byte { return shl64 }

// Extend is i64.extend_i32_u.
func Extend() []byte { return extend }

// MemorySize is memory.size.
func MemorySize() []byte { return memorySize }

// MemoryGrow is memory.grow.
func MemoryGrow() []byte { return memoryGrow }

// Fill is memory.fill of (address, value, length) on the stack.
func Fill() []byte { return []byte{0xfc, 11, 0} }

// TableGrow is table.grow of table 0 by so many empty entries; it leaves the old size.
func TableGrow(entries int32) []byte {
	return cat([]byte{0xd0, 0x70}, Const(entries), []byte{0xfc, 15, 0})
}
