package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// TokenFragment returns the ids of an answer, Answer.TokenIDs, as a fragment of Shell.Tokens, so that they go back to the
// target as they came. Nothing is copied.
func TokenFragment(ids json.RawMessage) []byte {
	return bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(ids, []byte("[")), []byte("]")))
}

// Tokens returns a request whose prompt is token ids, by a shell of APICompletions. Each fragment holds ids in
// decimal, with commas between them; an empty one holds none. The fragments' bytes are shared, not copied, as are the messages of Body.
func (s *Shell) Tokens(fragments [][]byte) (*Request, error) {
	if s.api != APICompletions {
		return nil, fmt.Errorf("a prompt of token ids needs the API %s, not %s", APICompletions, s.api.Named())
	}
	r := s.begin(2*len(fragments) + 2)
	r.add(s.head)
	separator := []byte{'['}
	for _, f := range fragments {
		if len(f) > 0 {
			r.add(separator)
			r.add(f)
			separator = comma
		}
	}
	if separator[0] == '[' {
		r.add(separator)
	}
	r.end(s.idsTail, len("]"))
	return r, nil
}
