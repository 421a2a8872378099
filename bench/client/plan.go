package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"paceline/bench/internal/stub"
	"paceline/core/chat"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

const (
	turnsEach = 8  // turns of a trajectory
	distinct  = 16 // trajectories, played again and again
	maxTokens = 64
)

// memory is a workload without a plugin.
type memory []*trajectory.Trajectory

// Plan implements the scheduler's Source.
func (m memory) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	return m[index%uint64(len(m))], nil
}

// trajectories makes agent sessions whose request bodies are o.Body bytes on average: a long opening, then per turn a
// recorded answer and a tool result.
func (o *Options) trajectories(turns int) memory {
	step := o.Body / 32
	list := make(memory, distinct)
	for i := range list {
		t := &trajectory.Trajectory{ID: fmt.Sprintf("bench-%04d", i), Index: uint64(i)}
		opening := message("system", o.Body-step*turnsEach/2, i)
		for k := range turns {
			turn := trajectory.Turn{Index: uint32(k), Append: []trajectory.Message{{JSON: message("user", step*2/3, i+k)}}}
			if k == 0 {
				turn.Append = append([]trajectory.Message{{JSON: opening}}, turn.Append...)
			} else {
				turn.Delay = o.Delay
			}
			turn.Recorded = &trajectory.Message{JSON: message("assistant", step/3, i+k)}
			t.Turns = append(t.Turns, turn)
		}
		list[i] = t
	}
	return list
}

// message writes a message of about n bytes whose text has the line ends and quotes of source code.
func message(role string, n, variant int) []byte {
	var text strings.Builder
	for line := variant; text.Len() < n-60; line++ {
		fmt.Fprintf(&text, `\tif value, ok := table[%d]; ok { return \"%d\", nil } // line %d\n`, line*7919%10007, line*31%997, line)
	}
	return []byte(`{"role":"` + role + `","content":"` + text.String() + `"}`)
}

func (o *Options) wire() chat.Wire {
	return chat.Wire{Model: stub.Model, Stream: !o.NoStream, IncludeUsage: !o.NoStream}
}

// requests renders every turn of the trajectories as the bytes that go over the wire.
func (o *Options) requests(list memory) ([][][]byte, error) {
	params, err := chat.Merge()
	if err != nil {
		return nil, err
	}
	shell, err := o.wire().Shell(params, nil, maxTokens)
	if err != nil {
		return nil, err
	}
	accept := "text/event-stream"
	if o.NoStream {
		accept = "application/json"
	}
	all := make([][][]byte, len(list))
	for i, t := range list {
		history := chat.NewHistory(chat.Keep)
		for _, turn := range t.Turns {
			for _, m := range turn.Append {
				if _, err := history.Append(m.JSON); err != nil {
					return nil, err
				}
			}
			body := shell.Body(history.Messages())
			if err := history.Recorded(turn.Recorded.JSON); err != nil {
				return nil, err
			}
			head := "POST /v1/chat/completions HTTP/1.1\r\nHost: " + o.Address + "\r\nContent-Type: application/json\r\nAccept: " + accept +
				"\r\n" + sched.DefaultRoutingHeader + ": " + t.ID + "\r\nContent-Length: " + strconv.FormatInt(body.Size, 10) + "\r\n\r\n"
			all[i] = append(all[i], append([]byte(head), bytes.Join(body.Body, nil)...))
		}
	}
	return all, nil
}
