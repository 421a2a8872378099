package history

import (
	"math"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// Count reads a number of tokens at a place of a record.
func Count(r *frame.Record, pointer string, v rawjson.Value) (uint32, error) {
	n, ok := rawjson.Integer(v)
	if !ok || n < 0 || n > math.MaxInt32 {
		return 0, r.Fault(pointer, "token-count", "a whole number of tokens from 0", "the length is %s", frame.Clip(v))
	}
	return uint32(n), nil
}

// Blocks is a prompt of which only its length and the identities of its blocks are known: equal blocks have equal text. The
// last block may be shorter than the others. Without ids it is one piece of the key.
func Blocks(r *frame.Record, pointer string, ids rawjson.Value, length, block uint32, key string, scope sdk.Scope) (sdk.Message, error) {
	if ids.Empty() {
		return Composed("user", Piece(length, key, sdk.ScopeTrajectory)), nil
	}
	var pieces []sdk.Piece
	left := length
	var err error
	ids.Each(func(i int, id rawjson.Value) bool {
		if err != nil || left == 0 {
			err = r.Fault(pointer, "blocks", "as many blocks of "+strconv.Itoa(int(block))+" tokens as the length takes",
				"the list goes on behind the %d tokens of the prompt", length)
			return false
		}
		n := min(left, block)
		left -= n
		pieces = append(pieces, Piece(n, "block-"+string(id), scope))
		return true
	})
	if err == nil && left > 0 {
		err = r.Fault(pointer, "blocks", "as many blocks of "+strconv.Itoa(int(block))+" tokens as the length takes",
			"the blocks end %d tokens before the %d tokens of the prompt", left, length)
	}
	if err != nil {
		return sdk.Message{}, err
	}
	return Composed("user", pieces...), nil
}

// Prompt is Blocks of a list that may stop before the prompt's end: what is behind the last whole block has no identity, and
// gets a text of the key rest.
func Prompt(r *frame.Record, pointer string, ids rawjson.Value, length, block uint32, key, rest string, scope sdk.Scope) (sdk.Message, error) {
	n := uint64(0)
	ids.Each(func(int, rawjson.Value) bool {
		n++
		return true
	})
	told := n * uint64(block)
	if n == 0 || told >= uint64(length) {
		return Blocks(r, pointer, ids, length, block, key, scope)
	}
	m, err := Blocks(r, pointer, ids, uint32(told), block, key, scope)
	if err == nil {
		m.Composed.Pieces = append(m.Composed.Pieces, Piece(length-uint32(told), rest, sdk.ScopeTrajectory))
	}
	return m, err
}
