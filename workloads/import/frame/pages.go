package frame

import "strings"

const (
	pageShift = 12
	pageItems = 1 << pageShift
)

// pages is a list that grows by pages, so that what is in it is never copied.
type pages[T any] struct {
	list [][]T
	n    int
}

// add puts a value at the end and gives its place.
func (p *pages[T]) add(v T) uint32 {
	if p.n%pageItems == 0 {
		p.list = append(p.list, make([]T, 0, pageItems))
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, v)
	p.n++
	return uint32(p.n - 1)
}

func (p *pages[T]) at(i uint32) *T { return &p.list[i>>pageShift][i%pageItems] }

// keeper keeps many short texts in few pieces of memory.
type keeper struct{ room *strings.Builder }

// keeperRoom is the size of a piece.
const keeperRoom = 64 << 10

func (k *keeper) keep(s string) string {
	if k.room == nil || k.room.Cap()-k.room.Len() < len(s) {
		k.room = &strings.Builder{}
		k.room.Grow(max(keeperRoom, len(s)))
	}
	at := k.room.Len()
	k.room.WriteString(s)
	return k.room.String()[at:]
}
