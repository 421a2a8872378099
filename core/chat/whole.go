package chat

import (
	"bytes"
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
	if last < 0 || r.closing == 0 || len(r.Body[last]) <= r.closing || r.Body[last][r.closing] != ',' {
		return nil, errors.New("ask for a whole answer: the body does not end as a Shell writes it")
	}
	list, err := split(append([]byte{'{'}, r.Body[last][r.closing+1:]...))
	if err != nil {
		return nil, fmt.Errorf("ask for a whole answer: %w", err)
	}
	tail := append(bytes.Clone(r.Body[last][:r.closing]), ',')
	var rest Params
	for _, m := range list {
		switch m.key {
		case "stream":
			m.value = []byte("false")
		case "stream_options":
			continue
		}
		rest.list = append(rest.list, m)
	}
	tail = append(tail, rest.JSON()[1:]...)
	whole := &Request{Headers: r.Headers, closing: r.closing, Size: r.Size + int64(len(tail)-len(r.Body[last]))}
	whole.Body = append(append(make([][]byte, 0, len(r.Body)), r.Body[:last]...), tail)
	return whole, nil
}
