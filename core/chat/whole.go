package chat

import (
	"errors"
	"fmt"
)

// Whole returns the same request asked for in one piece: only stream and stream_options differ, and all fragments but the
// last are shared. A request that asks for no stream is returned as it is.
func (r *Request) Whole() (*Request, error) {
	if !r.Stream {
		return r, nil
	}
	last := len(r.Body) - 1
	if last < 0 || len(r.Body[last]) < 2 || r.Body[last][0] != ']' || r.Body[last][1] != ',' {
		return nil, errors.New("ask for a whole answer: the body does not end as a Shell writes it")
	}
	list, err := split(append([]byte{'{'}, r.Body[last][2:]...))
	if err != nil {
		return nil, fmt.Errorf("ask for a whole answer: %w", err)
	}
	tail := []byte{']'}
	for _, m := range list {
		switch m.key {
		case "stream":
			m.value = []byte("false")
		case "stream_options":
			continue
		}
		tail = appendMember(tail, m.key, m.value)
	}
	tail = append(tail, '}')
	whole := &Request{Headers: r.Headers, Size: r.Size + int64(len(tail)-len(r.Body[last]))}
	whole.Body = append(append(make([][]byte, 0, len(r.Body)), r.Body[:last]...), tail)
	return whole, nil
}
