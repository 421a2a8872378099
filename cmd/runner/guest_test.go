package main

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	g "paceline/plugins/guesttest"
)

// Numbers of the methods that a guest of these tests answers (enum Method of the contract).
const (
	describe = 1
	open     = 2
	check    = 3
	plan     = 16
	score    = 48
	conclude = 50
	count    = 64
)

// cmdGuest writes a plugin named bad with one component comp that fails in one way in one method:
// guest FILE workload|scorer|counter METHOD trap|loop|memory|recursion|malformed|none.
func cmdGuest(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 4, "guest FILE workload|scorer|counter METHOD WAY")
	kind := args[1]
	method, ok := map[string]int32{"describe": describe, "open": open, "plan": plan, "score": score, "conclude": conclude, "count": count}[args[2]]
	want(ts, ok, "guest: method describe, open, plan, score, conclude or count")
	ways := map[string][]byte{
		"trap":      g.Unreachable(),
		"loop":      g.Code(g.Forever(), g.Unreachable()),
		"memory":    g.Code(g.Forever(g.Const(64), g.MemoryGrow(), g.Const(-1), g.Eq(), g.If(g.Unreachable())), g.Unreachable()),
		"recursion": g.Code(g.Call(3), g.Unreachable()),
		"malformed": g.Const64(5),
		"none":      nil,
	}
	way, ok := ways[args[3]]
	want(ts, ok, "guest: way trap, loop, memory, recursion, malformed or none")
	guest := g.Guest{
		Manifest: g.Manifest("bad", kind, "comp", "pure"),
		Funcs:    []g.Func{{Body: g.Call(3)}},
	}
	if way != nil {
		guest.Invoke = when(method, way)
	}
	at := int32(g.ReplyAt)
	for _, a := range answers(kind) {
		reply := append([]byte{0}, a.message...)
		guest.Data = append(guest.Data, g.Data{At: at, Bytes: reply})
		guest.Invoke = g.Code(guest.Invoke, when(a.method, g.Const64(int64(at)<<32|int64(len(reply)))))
		at += int32(len(reply))
	}
	// Everything else is answered with an empty message; memory is zero there.
	guest.Invoke = g.Code(guest.Invoke, g.Const64(int64(at)<<32|1))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), guest.Bytes(), 0o600))
}

// when answers a method with what the body gives.
func when(method int32, body []byte) []byte {
	return g.Code(g.Get(0), g.Const(method), g.Eq(), g.If(g.Code(body, g.Return())))
}

type methodAnswer struct {
	method  int32
	message []byte
}

// answers are the messages of a plugin that does its work: one trajectory without turns, or a score of 1.
func answers(kind string) []methodAnswer {
	number := map[string]byte{"workload": 1, "scorer": 3, "counter": 4}[kind]
	component := join([]byte{0x08, number}, text(2, "comp"), []byte{0x30, 1, 0x40, 1})
	return []methodAnswer{
		{describe, join(text(1, "bad"), text(2, "1.0.0"), []byte{0x18, 1}, text(4, "test"), text(5, string(component)))},
		{open, text(2, "\x08\x02\x18\x01\x2a\x08recorded")},
		{check, []byte{0x18, 1}},
		{conclude, join(text(1, "\x0a\x01s\x10\x02"), []byte{0x20, 1, 0x28, 1})},
	}
}

// text is a field of bytes, shorter than 128, as protobuf writes it.
func text(field byte, value string) []byte {
	return append([]byte{field<<3 | 2, byte(len(value))}, value...)
}

func join(parts ...[]byte) []byte {
	var b strings.Builder
	for _, p := range parts {
		b.Write(p)
	}
	return []byte(b.String())
}
