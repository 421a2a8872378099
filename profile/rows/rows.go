// Package rows reads files of length-only traces: one JSON object a line, with the six keys of the published agent profiles
// (num_turns, input_prompt_length, assistant_response_length, tool_call_output_length, tool_call_latency in seconds,
// final_assistant_response_length).
package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"paceline/workloads/profiles/shape"
)

// MaxLine is the longest line in bytes.
const MaxLine = 16 << 20

// Limits are the most that a trace may say.
type Limits struct {
	Turns  int64
	Tokens int64   // of each length
	Wait   float64 // seconds
}

// Most is what no trace of an agent is above.
var Most = Limits{Turns: 100_000, Tokens: 1 << 30, Wait: 1e6}

// Read calls each with every trace of the file; the trace is good until the next call. It returns how many there were. A
// fault names its line and field.
func Read(in io.Reader, each func(*shape.Trace)) (int, error) { return Most.Read(in, each) }

// Read is the function Read with other limits.
func (l Limits) Read(in io.Reader, each func(*shape.Trace)) (int, error) {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, MaxLine)
	var t shape.Trace
	n, line := 0, 0
	for scan.Scan() {
		line++
		text := bytes.TrimSpace(scan.Bytes())
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(text) == 0 {
			continue
		}
		if err := l.parse(text, &t); err != nil {
			return n, fmt.Errorf("line %d: %w", line, err)
		}
		each(&t)
		n++
	}
	if err := scan.Err(); errors.Is(err, bufio.ErrTooLong) {
		return n, fmt.Errorf("line %d: longer than %d bytes; one trace a line is wanted", line+1, MaxLine)
	} else if err != nil {
		return n, err
	}
	if n == 0 {
		return 0, errors.New("there are no traces in it")
	}
	return n, nil
}
