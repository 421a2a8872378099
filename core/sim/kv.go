package sim

// kvCache is the block store. It is not safe for concurrent use; the engine's
// lock guards it.
type kvCache struct {
	capacity int
	used     int // blocks held by sequences or kept for reuse
	known    map[uint64]*block
	// idle is a ring around a sentinel: known blocks that no sequence holds, the
	// least recently used first.
	idle      block
	idleCount int
	noReuse   bool
	changes   int // so far, of what is known or held
}

type block struct {
	hash       uint64
	known      bool
	holders    int
	prev, next *block // in the idle ring
}

func newKVCache(capacity int, noReuse bool) *kvCache {
	kv := &kvCache{capacity: capacity, known: map[uint64]*block{}, noReuse: noReuse}
	kv.idle.prev, kv.idle.next = &kv.idle, &kv.idle
	return kv
}

// match takes the longest run of known blocks from the start of hashes.
func (kv *kvCache) match(hashes []uint64) []*block {
	kv.changes++
	var held []*block
	for _, h := range hashes {
		b := kv.known[h]
		if b == nil {
			break
		}
		if b.holders == 0 {
			kv.unlink(b)
		}
		b.holders++
		held = append(held, b)
	}
	return held
}

// take adds n fresh blocks to held, forgetting idle ones where needed, or
// returns false and changes nothing.
func (kv *kvCache) take(held []*block, n int) ([]*block, bool) {
	if n > kv.capacity-kv.used+kv.idleCount {
		return held, false
	}
	kv.changes++
	for range n {
		if kv.used == kv.capacity {
			kv.forget(kv.idle.next)
		}
		kv.used++
		held = append(held, &block{holders: 1})
	}
	return held, true
}

// learn makes a computed whole block findable, unless an equal one is already.
func (kv *kvCache) learn(b *block, hash uint64) {
	if b.known || kv.noReuse || kv.known[hash] != nil {
		return
	}
	kv.changes++
	b.known, b.hash = true, hash
	kv.known[hash] = b
}

// release gives up a sequence's blocks, the last first, so that of a prefix the
// end is forgotten before the start.
func (kv *kvCache) release(held []*block) {
	kv.changes++
	for i := len(held) - 1; i >= 0; i-- {
		b := held[i]
		b.holders--
		switch {
		case b.holders > 0:
		case b.known:
			last := kv.idle.prev
			last.next, b.prev, b.next, kv.idle.prev = b, last, &kv.idle, b
			kv.idleCount++
		default:
			kv.used--
		}
	}
}

// reset forgets every block that no sequence holds.
func (kv *kvCache) reset() {
	kv.changes++
	for kv.idleCount > 0 {
		kv.forget(kv.idle.next)
	}
}

func (kv *kvCache) forget(b *block) {
	kv.unlink(b)
	delete(kv.known, b.hash)
	kv.used--
}

func (kv *kvCache) unlink(b *block) {
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
	kv.idleCount--
}
