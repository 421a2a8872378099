package wasmworker

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"
)

// Layout of poll_oneoff's lists.
const (
	subscriptionSize = 48
	eventSize        = 32
	eventClock       = 0
	maxSubscriptions = 1024
)

// pollOneoff answers every subscription at once: a clock's as if its time had come, a descriptor's with an error. Who
// waits looks at a clock next, and each look moves that on.
func pollOneoff(m api.Memory, args []uint64) uint32 {
	in, out, count := uint32(args[0]), uint32(args[1]), uint32(args[2])
	if count == 0 || count > maxSubscriptions {
		return errnoInval
	}
	subs, ok := m.Read(in, count*subscriptionSize)
	if !ok {
		return errnoFault
	}
	events := make([]byte, 0, count*eventSize)
	for i := 0; i < len(subs); i += subscriptionSize {
		errno := uint16(errnoSuccess)
		if subs[i+8] != eventClock {
			errno = errnoBadf
		}
		events = append(events, event(subs[i:i+subscriptionSize], errno)...)
	}
	return done(m.Write(out, events) && putU32(m, args[3], count))
}

// event makes the event of one subscription.
func event(sub []byte, errno uint16) []byte {
	ev := make([]byte, eventSize)
	copy(ev, sub[:8]) // the caller's own number
	binary.LittleEndian.PutUint16(ev[8:], errno)
	ev[10] = sub[8]
	return ev
}
