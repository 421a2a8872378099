package standin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"paceline/mlperf/rules"
)

// Facts are what a stand-in holds.
type Facts struct {
	Coding         int   `json:"coding"`
	Workflow       int   `json:"workflow"`
	ClientTurns    int   `json:"client_turns"`
	AssistantTurns int   `json:"assistant_turns"`
	OpenEnds       int   `json:"end_on_a_client_turn"`
	Bytes          int64 `json:"bytes"`
}

// Write writes a stand-in as JSON Lines.
func Write(out io.Writer, o Options) (Facts, error) {
	if err := o.Check(); err != nil {
		return Facts{}, fmt.Errorf("make a stand-in: %w", err)
	}
	if o.Trajectories == 0 {
		o.Trajectories = rules.Trajectories
	}
	w, err := newWriter(o.Seed)
	if err != nil {
		return Facts{}, fmt.Errorf("make a stand-in: %w", err)
	}
	counted := &counter{out: out}
	buffered := bufio.NewWriterSize(counted, 1<<20)
	e := json.NewEncoder(buffered)
	e.SetEscapeHTML(false)
	var f Facts
	err = e.Encode(o.meta())
	for i, c := range shape(o) {
		if err != nil {
			break
		}
		f.add(c)
		err = w.talk(c, i+1, func(r *row) error { return e.Encode(r) })
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return f, fmt.Errorf("write a stand-in: %w", err)
	}
	f.Bytes = counted.n
	return f, nil
}

func (f *Facts) add(c conversation) {
	f.ClientTurns += c.clients
	f.AssistantTurns += c.clients
	if c.open {
		f.AssistantTurns--
		f.OpenEnds++
	}
	if c.workflow {
		f.Workflow++
	} else {
		f.Coding++
	}
}

// counter counts what it passes on.
type counter struct {
	out io.Writer
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	c.n += int64(n)
	return n, err
}
