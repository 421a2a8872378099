package history

import (
	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// Text is a chat message of a role with a text.
func Text[T string | []byte](role string, text T) sdk.Message {
	out := append([]byte(nil), `{"role":`...)
	out = rawjson.AppendString(out, role)
	out = append(out, `,"content":`...)
	out = rawjson.AppendString(out, text)
	return sdk.Message{Json: append(out, '}')}
}

// Filler is a message of which only the length in tokens is known. Messages of one trajectory with equal keys have equal
// text, as far as the shorter one goes.
func Filler(role string, tokens uint32, key string) sdk.Message {
	return Composed(role, Piece(tokens, key, sdk.ScopeTrajectory))
}

// Piece is filler that is part of a message.
func Piece(tokens uint32, key string, scope sdk.Scope) sdk.Piece {
	return sdk.Piece{Filler: &sdk.Filler{Tokens: tokens, Key: []byte(key), Scope: scope}}
}

// Composed is a message of pieces.
func Composed(role string, pieces ...sdk.Piece) sdk.Message {
	return sdk.Message{Composed: &sdk.Composed{Role: role, Pieces: pieces}}
}
