package filler

import (
	"encoding/binary"
	"strings"

	"paceline/core/seed"
)

// Bounds of the token ids that filler is made of.
const (
	FirstID = 1000
	LastID  = 4000
)

const vocabulary = " the and for are but not you all any can had her was one our out day get has him his how man new now old see two way who" +
	" boy did its let put say she too use may end set run top try add ask big box car cut eat far few got hot job key law lot low own six ten"

const (
	wordBytes = 4
	block     = len(vocabulary) / wordBytes // words of one permutation: 64, a power of two
	markWords = 8                           // of 64 words each: 48 bits
	idBytes   = 5                           // four digits and a comma
	markIDs   = 4                           // of 3000 ids each: 46 bits
	units     = 1 << 20                     // of the shared run
)

// material is one shared run of units of equal size, out of which pieces are sliced. It is not written to once it is made.
type material struct {
	run  []byte
	size int // bytes of a unit
	mark int // units of a mark
	unit func(n uint32) []byte
}

func words(root uint64) *material {
	random := seed.Derive(root, seed.Filler, []byte("words")).Rand()
	m := &material{size: wordBytes, mark: markWords, run: make([]byte, 0, units*wordBytes)}
	m.unit = func(n uint32) []byte {
		at := int(n) % block * wordBytes
		return []byte(vocabulary[at : at+wordBytes])
	}
	order := make([]string, block)
	for i := range order {
		order[i] = vocabulary[i*wordBytes:][:wordBytes]
	}
	for range units / block {
		random.Shuffle(block, func(i, j int) { order[i], order[j] = order[j], order[i] })
		m.run = append(m.run, strings.Join(order, "")...)
	}
	return m
}

func ids(root uint64) *material {
	random := seed.Derive(root, seed.Filler, []byte("ids")).Rand()
	m := &material{size: idBytes, mark: markIDs, run: make([]byte, 0, units*idBytes)}
	m.unit = func(n uint32) []byte { return appendID(nil, n) }
	for range units {
		m.run = appendID(m.run, random.Uint32())
	}
	return m
}

// appendID writes the id that n stands for, with its comma.
func appendID(b []byte, n uint32) []byte {
	id := FirstID + n%(LastID-FirstID)
	return append(b, byte('0'+id/1000), byte('0'+id/100%10), byte('0'+id/10%10), byte('0'+id%10), ',')
}

// slice returns n units of the filler that s names: the mark, which is a copy, and slices of the shared run.
func (m *material) slice(s seed.Seed, n int) (mark []byte, rest [][]byte) {
	marked := min(n, m.mark)
	mark = make([]byte, 0, marked*m.size)
	for i := range marked {
		mark = append(mark, m.unit(uint32(binary.BigEndian.Uint16(s[2*i:])))...)
	}
	at := int(binary.BigEndian.Uint32(s[24:]) % uint32(units/block) * uint32(block))
	for left := n - marked; left > 0; at = 0 {
		take := min(left, units-at)
		rest = append(rest, m.run[at*m.size:(at+take)*m.size:(at+take)*m.size])
		left -= take
	}
	return mark, rest
}
