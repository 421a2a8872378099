// Package rows reads files of length-only traces: one JSON object a line, with the six keys of the published agent profiles
// (num_turns, input_prompt_length, assistant_response_length, tool_call_output_length, tool_call_latency in seconds,
// final_assistant_response_length).
package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"paceline/workloads/profiles/shape"
)

// Limits of a file: what is above them is no trace of an agent.
const (
	MaxLine   = 16 << 20
	MaxTurns  = 100_000
	MaxTokens = 1 << 30
	maxWait   = 1e6 // seconds
)

// row is one line.
type row struct {
	Turns     *int      `json:"num_turns"`
	Input     *int64    `json:"input_prompt_length"`
	Assistant []int64   `json:"assistant_response_length"`
	Tool      []int64   `json:"tool_call_output_length"`
	Wait      []float64 `json:"tool_call_latency"`
	Final     *int64    `json:"final_assistant_response_length"`
}

// Read calls each with every trace of the file; the trace is good until the next call. It returns how many there were. A
// fault names its line.
func Read(in io.Reader, each func(*shape.Trace)) (int, error) {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, MaxLine)
	var t shape.Trace
	n, line := 0, 0
	for scan.Scan() {
		line++
		text := bytes.TrimSpace(scan.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := parse(text, &t); err != nil {
			return n, fmt.Errorf("line %d: %w", line, err)
		}
		each(&t)
		n++
	}
	if err := scan.Err(); errors.Is(err, bufio.ErrTooLong) {
		return n, fmt.Errorf("line %d: longer than %d bytes", line+1, MaxLine)
	} else if err != nil {
		return n, err
	}
	if n == 0 {
		return 0, errors.New("there are no traces in it")
	}
	return n, nil
}

func parse(text []byte, t *shape.Trace) error {
	var r row
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if r.Turns == nil || r.Input == nil || r.Final == nil {
		return errors.New("num_turns, input_prompt_length and final_assistant_response_length are wanted")
	}
	if *r.Turns < 0 || *r.Turns > MaxTurns {
		return fmt.Errorf("num_turns is %d, and 0 to %d are allowed", *r.Turns, MaxTurns)
	}
	for _, l := range []struct {
		name string
		n    int
	}{{"assistant_response_length", len(r.Assistant)}, {"tool_call_output_length", len(r.Tool)}, {"tool_call_latency", len(r.Wait)}} {
		if l.n != *r.Turns {
			return fmt.Errorf("%s has %d elements, and num_turns is %d", l.name, l.n, *r.Turns)
		}
	}
	t.Reset()
	var err error
	if t.Input, err = tokens("input_prompt_length", *r.Input); err != nil {
		return err
	}
	if t.Final, err = tokens("final_assistant_response_length", *r.Final); err != nil {
		return err
	}
	return r.turns(t)
}

func (r *row) turns(t *shape.Trace) error {
	for i := range *r.Turns {
		assistant, err := tokens(fmt.Sprintf("assistant_response_length[%d]", i), r.Assistant[i])
		if err != nil {
			return err
		}
		tool, err := tokens(fmt.Sprintf("tool_call_output_length[%d]", i), r.Tool[i])
		if err != nil {
			return err
		}
		wait := r.Wait[i]
		if wait < 0 || wait > maxWait {
			return fmt.Errorf("tool_call_latency[%d] is %g, and 0 to %g seconds are allowed", i, wait, maxWait)
		}
		t.Turns = append(t.Turns, shape.Turn{Assistant: assistant, Tool: tool, Wait: int64(math.Round(wait * 1e6))})
	}
	return nil
}

func tokens(name string, n int64) (int64, error) {
	if n < 0 || n > MaxTokens {
		return 0, fmt.Errorf("%s is %d, and 0 to %d are allowed", name, n, MaxTokens)
	}
	return n, nil
}
