package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"paceline/workloads/profiles/strata"
)

// trace is one row of the file.
type trace struct {
	Turns     int       `json:"num_turns"`
	Input     int64     `json:"input_prompt_length"`
	Assistant []int64   `json:"assistant_response_length"`
	Tool      []int64   `json:"tool_call_output_length"`
	Wait      []float64 `json:"tool_call_latency"`
	Final     int64     `json:"final_assistant_response_length"`
}

// rows is the file, turn by turn.
type rows struct {
	traces []trace
	class  []int // of each trace
	start  []int // of each trace, in turns
	turns  []turn
}

// turn is one turn of the file with what the model says of it.
type turn struct {
	trace, position int
	value           [strata.Variables]int64 // the wait in milliseconds
	kind            int
	prev            int
	done            [strata.Kinds]bool // by turns before
	left            [strata.Kinds]int  // this one included
	table           int
	latent          [strata.Variables]float64
}

func (r *rows) numbers() int { return 3*len(r.traces) + 3*len(r.turns) }

// of gives the turns of a trace.
func (r *rows) of(i int) []turn { return r.turns[r.start[i] : r.start[i]+r.traces[i].Turns] }

func read(in io.Reader) (*rows, error) {
	r := &rows{}
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 16<<20)
	for line := 1; scan.Scan(); line++ {
		var t trace
		if err := json.Unmarshal(scan.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if t.Turns < 1 || len(t.Assistant) != t.Turns || len(t.Tool) != t.Turns || len(t.Wait) != t.Turns {
			return nil, fmt.Errorf("line %d: the lists do not have num_turns = %d elements", line, t.Turns)
		}
		r.start = append(r.start, len(r.turns))
		for p := range t.Turns {
			r.turns = append(r.turns, turn{trace: len(r.traces), position: p,
				value: [3]int64{t.Assistant[p], t.Tool[p], int64(math.Round(t.Wait[p] * 1000))}})
		}
		r.traces = append(r.traces, t)
	}
	if len(r.traces) < 100*strata.Classes {
		return nil, errors.Join(scan.Err(), fmt.Errorf("%d traces are too few: a class needs a hundred", len(r.traces)))
	}
	return r, scan.Err()
}
